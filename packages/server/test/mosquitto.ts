import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { accepts, freePort } from './ports.ts'

const run = promisify(execFile)
const places = ['/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto', '/opt/homebrew/sbin/mosquitto']
/** A self-signed certificate for `localhost`; valid for a hundred years, for tests only. */
const certificates = fileURLToPath(new URL('./certificates', import.meta.url))

/**
 * A real mosquitto on a free port, with a user `bridge` (password `secret`) who may read `city/#`, `shared/#`, `application/#` and `v3/#` and
 * write everywhere, a second port with TLS and a self-signed certificate, and a store that survives a restart.
 */
export class Mosquitto implements AsyncDisposable {
  readonly port: number
  readonly tlsPort: number
  readonly #program: string
  readonly #folder: string
  #process: ChildProcess | undefined

  private constructor(program: string, folder: string, port: number, tlsPort: number) {
    this.#program = program
    this.#folder = folder
    this.port = port
    this.tlsPort = tlsPort
  }

  static async start(): Promise<Mosquitto> {
    const program = await findProgram()
    const folder = mkdtempSync(join(tmpdir(), 'leitstand-mosquitto-'))
    const [port, tlsPort] = [await freePort(), await freePort()]
    const passwords = join(folder, 'passwords')
    writeFileSync(passwords, '', { mode: 0o600 })
    await run(join(program, '../../bin/mosquitto_passwd'), ['-b', passwords, 'bridge', 'secret'])
    writeFileSync(
      join(folder, 'acl'),
      [
        'user bridge',
        'topic read city/#',
        'topic read shared/#',
        'topic read application/#',
        'topic read v3/#',
        'topic write #',
        '',
      ].join('\n'),
      {
        mode: 0o600,
      },
    )
    const lines = [
      'per_listener_settings false',
      'allow_anonymous false',
      `password_file ${passwords}`,
      `acl_file ${join(folder, 'acl')}`,
      'persistence true',
      `persistence_location ${folder}/`,
      'max_queued_messages 0',
      ...(process.getuid?.() === 0 ? ['user root'] : []),
      `listener ${port} 127.0.0.1`,
      `listener ${tlsPort} 127.0.0.1`,
      `certfile ${certificates}/localhost.crt`,
      `keyfile ${certificates}/localhost.key`,
    ]
    writeFileSync(join(folder, 'mosquitto.conf'), `${lines.join('\n')}\n`)
    const mosquitto = new Mosquitto(program, folder, port, tlsPort)
    await mosquitto.up()
    return mosquitto
  }

  /** Starts it again after `down`; resolves when it accepts connections. */
  async up(): Promise<void> {
    const child = spawn(this.#program, ['-c', join(this.#folder, 'mosquitto.conf')], { stdio: 'pipe' })
    this.#process = child
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (text) => {
        output += text
      })
    }
    const died = new Promise<never>((_, reject) => {
      child.once('exit', () => reject(new Error(`mosquitto did not start: ${output}`)))
    })
    died.catch(() => {})
    await Promise.race([accepts(this.port, child), died])
  }

  /** Stops it like a restart of its machine; its store is kept. */
  async down(): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (!child || child.exitCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await gone
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

async function findProgram(): Promise<string> {
  const found = places.find((place) => existsSync(place))
  if (found) return found
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    await run('apt-get', ['install', '-y', '--no-install-recommends', 'mosquitto'])
    const installed = places.find((place) => existsSync(place))
    if (installed) return installed
  }
  throw new Error(
    'The tests need the MQTT broker mosquitto: install it, e.g. with "apt-get install mosquitto"',
  )
}
