import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type pg from 'pg'
import { endChild, freePort, keepTail } from '../platform.ts'
import { flowsOf } from './flow.ts'

/** What is installed; never a dependency of ours. */
export const nodeRedVersion = '5.0.7'
const pgVersion = '8.23.1'
const installTimeoutMs = 600_000
const startTimeoutMs = 60_000
const pollMs = 50

/**
 * Installs Node-RED with npm into a folder of the user's cache, once.
 * @returns the folder
 * @throws when npm cannot
 */
export async function installNodeRed(): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const folder = join(cache, 'leitstand-bench', `node-red-${nodeRedVersion}`)
  if (existsSync(join(folder, 'complete'))) return folder
  mkdirSync(folder, { recursive: true })
  const dependencies = { 'node-red': nodeRedVersion, pg: pgVersion }
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'node-red-bench', private: true, dependencies }),
  )
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund'], {
    cwd: folder,
    timeout: installTimeoutMs,
  })
  writeFileSync(join(folder, 'complete'), '')
  return folder
}

interface Options {
  /** where it is installed */
  program: string
  /** a folder for its settings and flows */
  folder: string
  brokerPort: number
  database: pg.ClientConfig
  /** whether the broker keeps messages for it while it is away */
  isPersistent: boolean
}

/** A Node-RED with one flow: MQTT in, a function with the driver, a function that stores. */
export class NodeRed implements AsyncDisposable {
  readonly #options: Options
  readonly #port: number
  #child: ChildProcess | undefined

  private constructor(options: Options, port: number) {
    this.#options = options
    this.#port = port
  }

  /** Starts it, and resolves when it has subscribed. */
  static async start(options: Options): Promise<NodeRed> {
    mkdirSync(options.folder, { recursive: true })
    const nodeRed = new NodeRed(options, await freePort())
    nodeRed.#configure()
    await nodeRed.up()
    return nodeRed
  }

  /** null while it does not run */
  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  async up(): Promise<void> {
    const { program, folder } = this.#options
    const child = spawn(
      process.execPath,
      [join(program, 'node_modules', 'node-red', 'red.js'), '--settings', join(folder, 'settings.cjs')],
      { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    this.#child = child
    const said = keepTail(child)
    let output = ''
    let isConnected = false
    child.stdout?.on('data', (chunk: Buffer) => {
      if (isConnected) return
      output += chunk.toString('utf8')
      isConnected = output.includes('Connected to broker')
    })
    for (const end = performance.now() + startTimeoutMs; !isConnected; await delay(pollMs))
      if (performance.now() > end || child.exitCode !== null)
        throw new Error(`Node-RED did not connect: ${output.slice(-2000)} ${said()}`)
  }

  /** kill -9; resolves when it is gone. */
  async crash(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child) await endChild(this.#child)
  }

  #configure(): void {
    const { program, folder, brokerPort, database, isPersistent } = this.#options
    const pgModule = createRequire(join(program, 'package.json')).resolve('pg')
    const settings = {
      uiPort: this.#port,
      uiHost: '127.0.0.1',
      userDir: folder,
      flowFile: join(folder, 'flows.json'),
      credentialSecret: false,
      diagnostics: { enabled: false },
      logging: { console: { level: 'info', metrics: false, audit: false } },
    }
    writeFileSync(
      join(folder, 'settings.cjs'),
      `module.exports = { ...${JSON.stringify(settings)}, functionGlobalContext: { pg: require(${JSON.stringify(pgModule)}), database: ${JSON.stringify(database)} } }\n`,
    )
    writeFileSync(join(folder, 'flows.json'), JSON.stringify(flowsOf(brokerPort, isPersistent)))
  }
}
