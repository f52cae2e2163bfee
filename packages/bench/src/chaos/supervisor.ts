import { type ChildProcess, fork } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { here, type Place } from '../cluster/network.ts'
import { clusterOf, endChild, freePort, serverEntry, serverEnvironment } from '../platform.ts'
import { isSame, listProcesses, type Process, signalTo } from './procfs.ts'

const restartMs = 100
const restartMsMax = 2000
const tailChars = 4000

interface Options {
  /** where the database and everything else of the platform is */
  dataDir: string
  /** where its output goes */
  logFile: string
  /** the mail server it sends through */
  smtpUrl: string
  /** environment besides what all servers get */
  settings?: Readonly<Record<string, string>>
  /** this machine by default */
  place?: Place
  signal: AbortSignal
}

/**
 * Keeps a server running on one data folder and the same ports, as an init system would: whenever it ends it
 * is started again, at once and then with growing pauses. Nothing is cleaned up in between: that is the
 * server's job.
 */
export class Supervisor implements AsyncDisposable {
  readonly port: number
  readonly mqttPort: number
  readonly #options: Options
  #child: ChildProcess | undefined
  #isReady = false
  #failedStarts = 0
  #stopping = false
  #starts = 0
  #ends = 0
  #turn: (() => void)[] = []

  private constructor(options: Options, ports: { port: number; mqttPort: number }) {
    this.#options = options
    this.port = ports.port
    this.mqttPort = ports.mqttPort
  }

  /** Starts the server; it need not be ready yet. */
  static async open(options: Options): Promise<Supervisor> {
    const supervisor = new Supervisor(options, { port: await freePort(), mqttPort: await freePort() })
    supervisor.#start()
    return supervisor
  }

  get url(): string {
    return `http://${this.#place.host}:${this.port}`
  }

  get #place(): Place {
    return this.#options.place ?? here
  }

  get database() {
    return clusterOf(this.#options.dataDir)
  }

  /** How often the server was started; 1 before the first fault. */
  get starts(): number {
    return this.#starts
  }

  /** How often the server ended by itself, without being killed or stopped. */
  get ends(): number {
    return this.#ends
  }

  /** The server's pid while it runs. */
  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  /** Whether the current process has reported that it is ready. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** Waits until the present server, or its successor, is ready. @returns whether it was in time */
  async ready(timeoutMs: number): Promise<boolean> {
    const late = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#options.signal])
    while (!this.#isReady && !late.aborted) await this.#change(late)
    this.#options.signal.throwIfAborted()
    return this.#isReady
  }

  /** Waits until another process than this one is being started. */
  async restarted(pid: number): Promise<void> {
    while (this.pid === null || this.pid === pid) await this.#change(this.#options.signal)
    this.#options.signal.throwIfAborted()
  }

  kill(signal: NodeJS.Signals): void {
    if (this.pid !== null) signalTo(this.pid, signal)
  }

  /** The end of the server's output. */
  tail(): string {
    return readFileSync(this.#options.logFile, 'utf8').slice(-tailChars)
  }

  /** Stops the server and any leftover processes. @returns processes that should have ended with it */
  async stop(processesBefore: readonly Process[]): Promise<Process[]> {
    this.#stopping = true
    const child = this.#child
    if (child) await endChild(child)
    const left = () => listProcesses().filter((one) => processesBefore.some((other) => isSame(one, other)))
    for (let waitedMs = 0; waitedMs < restartMsMax && left().length > 0; waitedMs += restartMs)
      await delay(restartMs)
    const orphans = left()
    for (const { pid } of orphans) signalTo(pid, 'SIGKILL')
    return orphans
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop([])
  }

  #start(): void {
    const { dataDir, logFile, smtpUrl, settings } = this.#options
    const output = openSync(logFile, 'a')
    const common = serverEnvironment(dataDir, { port: this.port, mqttPort: this.mqttPort, logLevel: 'warn' })
    const { host, enter } = this.#place
    const [execPath = '', ...words] = [...enter, process.execPath]
    const child = fork(serverEntry, [], {
      ...common,
      execPath,
      execArgv: [...words, ...common.execArgv],
      env: { ...common.env, HOST: host, SMTP_URL: smtpUrl, ...settings },
      stdio: ['ignore', output, output, 'ipc'],
    })
    closeSync(output)
    this.#child = child
    this.#starts++
    child.once('message', () => {
      this.#isReady = true
      this.#failedStarts = 0
      this.#changed()
    })
    child.once('exit', (code) => {
      if (code !== null && !this.#stopping) this.#ends++
      this.#again(child)
    })
    // It could not even be started.
    child.once('error', () => this.#again(child))
    this.#changed()
  }

  /** The server is gone: starts the next one after a while. */
  #again(child: ChildProcess): void {
    if (this.#child !== child) return
    if (!this.#isReady) this.#failedStarts++
    this.#isReady = false
    this.#child = undefined
    this.#changed()
    if (this.#stopping) return
    const pauseMs = Math.min(restartMs * 2 ** this.#failedStarts, restartMsMax)
    setTimeout(() => {
      if (!this.#stopping) this.#start()
    }, pauseMs)
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        signal.removeEventListener('abort', done)
        resolve()
      }
      signal.addEventListener('abort', done, { once: true })
      if (signal.aborted) done()
      this.#turn.push(done)
    })
  }

  #changed(): void {
    for (const resolve of this.#turn.splice(0)) resolve()
  }
}

/**
 * Log file of the server: outside its data, so that a full disk does not hide it; BENCH_SERVER_LOG keeps it.
 */
export function logFileOf(folder: string): string {
  return process.env.BENCH_SERVER_LOG || join(folder, 'server.log')
}
