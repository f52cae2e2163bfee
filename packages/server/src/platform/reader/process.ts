/** One reader process from the server's side: started, given files, limited and killed. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { dirname } from 'node:path'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Priority, withPriority } from '../priority.ts'
import { type Frame, framesOf, frameTypes, writeFrame } from './frames.ts'
import type { ReaderLimits } from './types.ts'

const entry = fileURLToPath(new URL('./child.ts', import.meta.url))
const root = fileURLToPath(new URL('../../../../../', import.meta.url))
/** Everything the process may read. */
const code = [
  `${root}node_modules/`,
  `${root}packages/contract/`,
  `${root}packages/server/src/`,
  `${root}packages/server/node_modules/`,
  `${root}packages/server/package.json`,
  `${root}package.json`,
]
const stderrCharsMax = 2_000

export class ReaderProcess {
  /** why the server killed it; empty: it did not */
  killReason = ''
  readonly #child: ChildProcess
  readonly #pipe: Duplex
  readonly #frames: AsyncGenerator<Frame>
  readonly #exited: Promise<void>
  #stderr = ''

  /** @param bubblewrap path of the program that isolates network and files; null if not available */
  constructor(limits: ReaderLimits, bubblewrap: string | null, priority: Priority) {
    const { command, args } = commandOf(limits, bubblewrap)
    this.#child = spawn(...withPriority(priority, command, args), {
      // Node cannot start without this on Windows; nothing else is passed on.
      env:
        process.platform === 'win32'
          ? { SystemRoot: process.env.SystemRoot ?? 'C:\\Windows' }
          : { TZ: 'UTC' },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
    this.#pipe = this.#child.stdio[3] as Duplex
    // Errors of writing to a process that has just died; the caller notices that no more frames arrive.
    this.#pipe.on('error', (error) => {
      this.#stderr ||= error.message
    })
    this.#frames = framesOf(this.#pipe, limits.partBytesMax)
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(0, stderrCharsMax)
    })
    this.#exited = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#stderr ||= error.message
        this.#pipe.destroy()
        resolve()
      })
      this.#child.once('exit', () => {
        this.#pipe.destroy()
        resolve()
      })
    })
  }

  /** Whether it can read another file. */
  get isAlive(): boolean {
    return this.killReason === '' && this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Its last output, for the log. */
  get lastWords(): string {
    return this.#stderr
  }

  /**
   * Makes it read a file.
   * @returns the frames of the result, the last of them `done`, `refused` or `failed`; without one of these
   * the process has died
   */
  async *ask(module: URL, input: unknown, bytes: Uint8Array): AsyncGenerator<Frame> {
    writeFrame(this.#pipe, frameTypes.task, JSON.stringify({ module: module.href, input: input ?? null }))
    writeFrame(this.#pipe, frameTypes.file, bytes)
    for (;;) {
      const next = await this.#frames.next()
      if (next.done) return
      yield next.value
      if (next.value.type !== frameTypes.part) return
    }
  }

  /** Kills it at once, whatever it is doing. */
  async kill(reason: string): Promise<void> {
    this.killReason ||= reason
    this.#child.kill('SIGKILL')
    await this.#exited
  }
}

/**
 * Command line of the process. The operating system limits its memory, including memory outside of V8's heap,
 * and lets it write no files; with bubblewrap it has no network, and its file system contains only programs
 * and our code.
 */
function commandOf(limits: ReaderLimits, bubblewrap: string | null): { command: string; args: string[] } {
  const node = [
    process.execPath,
    `--max-old-space-size=${limits.heapMegabytesMax}`,
    '--disable-warning=ExperimentalWarning',
    '--disable-proto=delete',
    '--disallow-code-generation-from-strings',
    '--permission',
    ...code.map((path) => `--allow-fs-read=${path}`),
    entry,
  ]
  if (process.platform === 'win32') return { command: process.execPath, args: node.slice(1) }
  const bounds = [
    ...['ulimit -c 0', 'ulimit -f 0', `ulimit -t ${limits.processorSecondsMax}`],
    `ulimit -d ${limits.dataKilobytesMax}`,
  ].join('; ')
  const isolated = bubblewrap === null ? node : [bubblewrap, ...isolation(), ...node]
  return { command: '/bin/sh', args: ['-c', `${bounds}; exec "$@"`, 'sh', ...isolated] }
}

function isolation(): string[] {
  const programs = ['/usr', '/bin', '/lib', '/lib32', '/lib64', '/etc/ld.so.cache', dirname(process.execPath)]
  return [
    ...['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL', '--clearenv'],
    // No other devices, among them our terminal.
    ...['--tmpfs', '/tmp', '--proc', '/proc', '--dev-bind', '/dev/null', '/dev/null'],
    ...[...programs, ...code].flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--setenv', 'TZ', 'UTC', '--chdir', '/tmp'],
  ]
}

/** Path of bubblewrap if it is installed and works, else null. */
export async function findBubblewrap(): Promise<string | null> {
  const program = 'bwrap'
  return promisify(execFile)(program, ['--ro-bind', '/', '/', '--unshare-all', 'true']).then(
    () => program,
    () => null,
  )
}
