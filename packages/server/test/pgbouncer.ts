import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { DatabaseAddress } from '../src/platform/db/index.ts'
import { afterThisFile } from './cleanup.ts'
import { accepts, freePort } from './ports.ts'

const run = promisify(execFile)
const places = ['/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer']

type Address = Extract<DatabaseAddress, { host: string }>

/**
 * A real pgbouncer in transaction mode in front of a database, with only three connections to it. It ends after the test file.
 * @returns the address through it
 */
export async function startPgbouncer({ host, port, user, password, database }: Address): Promise<Address> {
  const program = await findProgram()
  const folder = mkdtempSync(join(tmpdir(), 'leitstand-pgbouncer-'))
  const own = await freePort()
  const lines = [
    '[databases]',
    `${database} = host=${host} port=${port} user=${user} password=${password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${own}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 3',
    'max_client_conn = 500',
  ]
  writeFileSync(join(folder, 'pgbouncer.ini'), `${lines.join('\n')}\n`, { mode: 0o600 })
  // It does not run as root, and whose the socket of the database is may enter its folder.
  const { uid, gid } = statSync(host)
  for (const path of [folder, join(folder, 'pgbouncer.ini')]) chownSync(path, uid, gid)
  const as = process.getuid?.() === 0 ? { uid, gid } : {}
  const child = spawn(program, [join(folder, 'pgbouncer.ini')], { ...as, cwd: '/', stdio: 'pipe' })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text
    })
  }
  afterThisFile(async () => {
    await down(child)
    rmSync(folder, { recursive: true, force: true })
  })
  await accepts(own, child)
  if (child.exitCode !== null) throw new Error(`pgbouncer did not start: ${output}`)
  return { host: '127.0.0.1', port: own, user, database }
}

async function down(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  // At once: its clients are gone.
  child.kill('SIGTERM')
  await gone
}

async function findProgram(): Promise<string> {
  const found = places.find((place) => existsSync(place))
  if (found) return found
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    await run('apt-get', ['install', '-y', '--no-install-recommends', 'pgbouncer'])
    const installed = places.find((place) => existsSync(place))
    if (installed) return installed
  }
  throw new Error('The tests need pgbouncer: install it, e.g. with "apt-get install pgbouncer"')
}
