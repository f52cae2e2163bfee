/** One sandbox process as the server sees it: started, spoken to, watched, and read after its death. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { FRAME, readFrames, writeFrame } from './frames.ts'
import { type Definition, decodeMark, MARK_BYTES, type Mark } from './protocol.ts'
import { LIMITS } from './types.ts'

const ENTRY = fileURLToPath(new URL('./sandbox/main.ts', import.meta.url))
const STDERR_CHARS_MAX = 2_000

export interface SandboxEvents {
  onReady(process: SandboxProcess): void
  /** The answer to a call, text of a `ResultHead`, a line feed, and the array of answers. */
  onResult(process: SandboxProcess, call: number, text: string): void
  onChecked(process: SandboxProcess, call: number, text: string): void
  /** `reason` is for the log; `mark` says which call it was at. */
  onDeath(process: SandboxProcess, reason: string, mark: Mark): void
}

export class SandboxProcess {
  readonly pid: number
  ready = false
  /** Inputs sent and not answered; kept by the engine. */
  outstandingInputs = 0
  /** Ids of calls sent and not answered; kept by the engine. */
  readonly calls = new Set<number>()
  private heardAt = performance.now()
  private dead = false
  private readonly child: ChildProcess
  private readonly pipe: Duplex
  private readonly markFile: MarkFile
  /** Keys of the scripts that the process knows, the least recently used first. */
  private readonly known = new Set<string>()
  private stderr = ''
  private killReason = ''

  constructor(events: SandboxEvents) {
    this.markFile = openMarkFile()
    // No environment of ours: a script that breaks out of V8 finds no secrets. The time zone is part of the contract
    // with the scripts. The flag is what isolated-vm asks for with Node 20 and later.
    this.child = spawn(
      process.execPath,
      ['--no-node-snapshot', '--disable-warning=ExperimentalWarning', ENTRY],
      {
        env: { TZ: 'UTC', PATH: '', ...(process.platform === 'win32' ? windowsEnvironment() : {}) },
        stdio: ['ignore', 'ignore', 'pipe', 'pipe', this.markFile.fd],
        windowsHide: true,
      },
    )
    this.pid = this.child.pid ?? -1
    this.pipe = this.child.stdio[3] as Duplex
    this.listen(events)
  }

  private listen(events: SandboxEvents): void {
    readFrames(this.pipe, (type, call, text) => {
      this.heardAt = performance.now()
      if (type === FRAME.ready) {
        this.ready = true
        events.onReady(this)
      } else if (type === FRAME.result) events.onResult(this, call, text)
      else if (type === FRAME.checked) events.onChecked(this, call, text)
    })
    // Writing to a process that has just died ends here; its exit is what counts.
    this.pipe.on('error', (error) => {
      this.killReason ||= error.message
    })
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(0, STDERR_CHARS_MAX)
    })
    const died = (reason: string): void => {
      if (this.dead) return
      this.dead = true
      this.pipe.destroy()
      const mark = this.markFile.read()
      this.markFile.close()
      // Of V8's own last words only the line that says what happened.
      const lastWords = this.stderr.split('\n').find((line) => /error|failed/i.test(line)) ?? ''
      const parts = [this.killReason, reason, lastWords.replace(/^# */, '')].filter((part) => part !== '')
      events.onDeath(this, parts.join(': '), mark)
    }
    this.child.on('error', (error) => died(error.message))
    this.child.on('exit', (code, signal) => died(signal ?? `exit code ${code}`))
  }

  /** Makes sure that the process knows a script. */
  define(definition: Definition): void {
    if (this.known.delete(definition.key)) {
      this.known.add(definition.key)
      return
    }
    this.known.add(definition.key)
    writeFrame(this.pipe, FRAME.define, 0, JSON.stringify(definition))
    if (this.known.size <= LIMITS.definitions) return
    const [oldest] = this.known
    if (oldest === undefined) return
    this.known.delete(oldest)
    writeFrame(this.pipe, FRAME.forget, 0, oldest)
  }

  send(type: number, call: number, text: string): void {
    if (this.calls.size === 0) this.heardAt = performance.now()
    writeFrame(this.pipe, type, call, text)
  }

  /** Milliseconds for which the process has had work and said nothing. */
  silentMs(): number {
    return this.calls.size === 0 ? 0 : performance.now() - this.heardAt
  }

  /** Starts the silence anew, for example because the server itself was stopped for a while. */
  forgive(): void {
    this.heardAt = performance.now()
  }

  kill(reason: string): void {
    this.killReason ||= reason
    this.child.kill('SIGKILL')
  }

  async stop(): Promise<void> {
    if (this.dead) return
    const gone = new Promise<void>((resolve) => this.child.once('exit', () => resolve()))
    this.kill('stopped')
    await gone
  }
}

/** What Node itself cannot start without on Windows. */
function windowsEnvironment(): Record<string, string> {
  const { SystemRoot = 'C:\\Windows' } = process.env
  return { SystemRoot }
}

interface MarkFile {
  readonly fd: number
  read(): Mark
  close(): void
}

/** A file of a few bytes that both processes hold open; without a name wherever the system permits that. */
function openMarkFile(): MarkFile {
  const path = join(tmpdir(), `leitstand-scripts-${randomUUID()}`)
  const fd = openSync(path, 'wx+', 0o600)
  const keepsName = process.platform === 'win32'
  if (!keepsName) rmSync(path)
  return {
    fd,
    read() {
      const bytes = Buffer.alloc(MARK_BYTES)
      readSync(fd, bytes, 0, MARK_BYTES, 0)
      return decodeMark(bytes)
    },
    close() {
      closeSync(fd)
      if (keepsName) rmSync(path, { force: true })
    },
  }
}
