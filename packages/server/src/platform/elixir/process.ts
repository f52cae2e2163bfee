import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { toTerm } from './terms.ts'
import { elixirLimits } from './types.ts'

const runner = fileURLToPath(new URL('./runner.exs', import.meta.url))
const stderrCharsMax = 2_000

/** Programs of this machine that parsers in Elixir need; null where there is no Elixir. */
export interface ElixirPrograms {
  elixir: string
  erl: string
  /** puts the process into namespaces of its own; null where it is not there or may not */
  bubblewrap: string | null
}

/** Looks for the programs on the PATH, and tries whether bubblewrap may do its work here. */
export async function findElixir(path = process.env.PATH ?? ''): Promise<ElixirPrograms | null> {
  const [elixir, erl, bwrap] = ['elixir', 'erl', 'bwrap'].map((name) => findProgram(name, path))
  if (!elixir || !erl) return null
  const works =
    bwrap !== undefined &&
    (await promisify(execFile)(bwrap, ['--ro-bind', '/', '/', '--unshare-all', 'true']).then(
      () => true,
      () => false,
    ))
  return { elixir, erl, bubblewrap: works ? (bwrap ?? null) : null }
}

function findProgram(name: string, path: string): string | undefined {
  for (const folder of path.split(delimiter).filter(Boolean)) {
    const file = join(folder, name)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {
      // Not in this folder.
    }
  }
  return undefined
}

/**
 * Command line of the process: without environment, in a file system of the programs alone, without network, and with
 * bounds of the operating system on its data.
 */
export function commandOf({ elixir, erl, bubblewrap }: ElixirPrograms): { command: string; args: string[] } {
  const beam = [elixir, '--erl', '+S 1:1 +A 1 +SDio 1 -noinput', runner]
  const limits = `ulimit -c 0; ulimit -d ${elixirLimits.dataKb}; exec "$@"`
  if (bubblewrap === null) return { command: '/bin/sh', args: ['-c', limits, 'sh', ...beam] }
  const folders = ['/usr', '/bin', '/lib', '/lib32', '/lib64', '/etc/alternatives', '/etc/ld.so.cache']
  // Elixir and Erlang that are installed elsewhere, e.g. by a version manager.
  const others = [elixir, erl]
    .flatMap((program) => [program, realpathSync(program)])
    .map((program) => dirname(dirname(program)))
  const seen = [...new Set([...folders, ...others.filter((folder) => folder !== '/' && folder !== '/usr')])]
  const binds = seen.flatMap((folder) => ['--ro-bind-try', folder, folder])
  const isolation = [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--clearenv'],
    // First, or it would cover programs that are installed below it.
    ...['--tmpfs', '/tmp'],
    ...binds,
    ...['--ro-bind', runner, runner, '--proc', '/proc', '--dev', '/dev', '--chdir', '/tmp'],
    ...Object.entries(environment(erl)).flatMap(([name, value]) => ['--setenv', name, value]),
  ]
  return { command: '/bin/sh', args: ['-c', limits, 'sh', bubblewrap, ...isolation, ...beam] }
}

/** All that the process knows of its surroundings: no secrets. */
function environment(erl: string): Record<string, string> {
  return {
    PATH: [dirname(erl), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    HOME: '/tmp',
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    ERL_CRASH_DUMP_SECONDS: '0',
    LEITSTAND_LIMITS: toTerm(elixirLimits.runner).toString('base64'),
  }
}

export interface ElixirEvents {
  onAnswer(text: string): void
  /** `reason` is for the log */
  onDeath(reason: string): void
}

/** One BEAM process: started, spoken to in frames with their length in front, and ended. */
export class ElixirProcess {
  readonly #child: ChildProcess
  readonly #input: Duplex
  #killReason = ''
  #stderr = ''
  #dead = false

  constructor(programs: ElixirPrograms, events: ElixirEvents) {
    const { command, args } = commandOf(programs)
    this.#child = spawn(command, args, {
      env: environment(programs.erl),
      cwd: '/tmp',
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    })
    this.#input = this.#child.stdio[3] as Duplex
    const output = this.#child.stdio[4] as Duplex
    readFrames(output, (text) => events.onAnswer(text))
    for (const stream of [this.#input, output]) {
      // Writing to a process that has just died ends here; its exit is what counts.
      stream.on('error', (error) => {
        this.#killReason ||= error.message
      })
    }
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-stderrCharsMax)
    })
    const died = (reason: string): void => {
      if (this.#dead) return
      this.#dead = true
      this.#input.destroy()
      output.destroy()
      const parts = [this.#killReason, reason, this.#stderr.trim()].filter((part) => part !== '')
      events.onDeath(parts.join(': '))
    }
    this.#child.on('error', (error) => died(error.message))
    this.#child.on('exit', (code, signal) => died(signal ?? `exit code ${code}`))
  }

  send(term: unknown): void {
    const body = toTerm(term)
    const head = Buffer.alloc(4)
    head.writeUInt32BE(body.length, 0)
    this.#input.write(Buffer.concat([head, body]))
  }

  kill(reason: string): void {
    this.#killReason ||= reason
    this.#child.kill('SIGKILL')
  }

  async stop(): Promise<void> {
    if (this.#dead) return
    const gone = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()))
    this.kill('stopped')
    await gone
  }
}

function readFrames(stream: Duplex, onFrame: (text: string) => void): void {
  let held: Buffer = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    while (held.length >= 4) {
      const length = held.readUInt32BE(0)
      if (length > elixirLimits.frameBytesMax) {
        stream.destroy(new Error('the pipe to Elixir is out of step'))
        return
      }
      if (held.length < 4 + length) return
      onFrame(held.toString('utf8', 4, 4 + length))
      held = held.subarray(4 + length)
    }
  })
}
