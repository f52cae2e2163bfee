import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import S3rver from 's3rver'
import { accepts, freePort } from './ports.ts'

const run = promisify(execFile)

/** A server of files with a folder of its own, `folder`, that the test looks into. */
interface FileServer extends AsyncDisposable {
  readonly port: number
  /** what is stored there */
  readonly folder: string
}

/**
 * A real OpenSSH server: the user of the test signs in with `privateKey` and is given SFTP only, in `folder`.
 * `fingerprint` is that of its own key as `ssh-keygen` prints it.
 */
export async function startSshd(): Promise<
  FileServer & { username: string; privateKey: string; fingerprint: string }
> {
  const program = programAt(['/usr/sbin/sshd', '/usr/local/sbin/sshd'], 'openssh-server')
  const base = mkdtempSync(join(tmpdir(), 'leitstand-sshd-'))
  const folder = join(base, 'files')
  mkdirSync(folder)
  // Where it puts the half of itself that is not trusted; a package of a machine without systemd does not make it.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true })
  const keys = { host: join(base, 'host'), user: join(base, 'user') }
  for (const path of [keys.host, keys.user])
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', path])
  const printed = (await run('ssh-keygen', ['-l', '-f', `${keys.host}.pub`])).stdout
  writeFileSync(join(base, 'authorized'), readFileSync(`${keys.user}.pub`), { mode: 0o600 })
  const port = await freePort()
  const lines = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${keys.host}`,
    `AuthorizedKeysFile ${join(base, 'authorized')}`,
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    'StrictModes no',
    'UsePAM no',
    `PidFile ${join(base, 'pid')}`,
    'Subsystem sftp internal-sftp',
    `ForceCommand internal-sftp -d ${folder}`,
  ]
  writeFileSync(join(base, 'config'), `${lines.join('\n')}\n`)
  const stop = await start(program, ['-D', '-e', '-f', join(base, 'config')], port)
  return {
    port,
    folder,
    username: userInfo().username,
    privateKey: readFileSync(keys.user, 'utf8'),
    fingerprint: printed.split(' ')[1] ?? '',
    [Symbol.asyncDispose]: () => stop(base),
  }
}

/** rclone serves a folder by WebDAV, or by SFTP with a password: the user `bridge` with the password `secret`. */
export async function startRclone(protocol: 'webdav' | 'sftp'): Promise<FileServer> {
  const program = programAt(['/usr/bin/rclone', '/usr/local/bin/rclone'], 'rclone')
  const base = mkdtempSync(join(tmpdir(), 'leitstand-rclone-'))
  const folder = join(base, 'files')
  mkdirSync(folder)
  const port = await freePort()
  const args = [
    'serve',
    protocol,
    folder,
    '--addr',
    `127.0.0.1:${port}`,
    '--user',
    'bridge',
    '--pass',
    'secret',
  ]
  const stop = await start(program, [...args, '--config', join(base, 'config'), '--cache-dir', base], port)
  return { port, folder, [Symbol.asyncDispose]: () => stop(base) }
}

/** A service with the protocol of S3 and the bucket `reports`; its access key is `S3RVER`, as is the secret. */
export async function startS3(): Promise<FileServer> {
  const base = mkdtempSync(join(tmpdir(), 'leitstand-s3-'))
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: base,
    configureBuckets: [{ name: 'reports', configs: [] }],
  })
  const { port } = await server.run()
  return {
    port,
    folder: join(base, 'reports'),
    [Symbol.asyncDispose]: async () => {
      await server.close()
      rmSync(base, { recursive: true, force: true })
    },
  }
}

async function start(program: string, args: readonly string[], port: number) {
  const child: ChildProcess = spawn(program, args, { stdio: 'pipe', env: { ...process.env, HOME: tmpdir() } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => {
      output += text
    })
  }
  const died = new Promise<never>((_resolve, reject) => {
    child.once('exit', () => reject(new Error(`${program} did not start: ${output}`)))
    child.once('error', reject)
  })
  died.catch(() => {})
  await Promise.race([accepts(port, child), died])
  return async (folder: string) => {
    if (child.exitCode === null) {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await gone
    }
    rmSync(folder, { recursive: true, force: true })
  }
}

function programAt(places: readonly string[], name: string): string {
  const found = places.find((place) => existsSync(place))
  if (found) return found
  throw new Error(`The tests need ${name}: install it, e.g. with "apt-get install ${name}"`)
}
