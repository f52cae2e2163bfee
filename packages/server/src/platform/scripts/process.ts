/**
 * One sandbox process from the server's side: started, sent calls, watched, and inspected after its death.
 */
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import type { Priority } from '../priority.ts'
import { FRAME, readFrames, writeFrame } from './frames.ts'
import { FD, type Isolation } from './isolation.ts'
import { type Definition, decodeMark, MARK_BYTES, type Mark } from './protocol.ts'
import { LIMITS } from './types.ts'

const STDERR_CHARS_MAX = 2_000
/** Keep-alive frames between two results; the longest call needs far fewer. */
const ALIVE_FRAMES_MAX = 10_000

export interface SandboxEvents {
  onReady(process: SandboxProcess): void
  /** Results of a call, in the format of `PartHead`; `last` on the final ones. */
  onPart(process: SandboxProcess, call: number, text: string, last: boolean): void
  onChecked(process: SandboxProcess, call: number, text: string): void
  /** `reason` is for the log; `mark` is the call it was working on. */
  onDeath(process: SandboxProcess, reason: string, mark: Mark): void
}

export class SandboxProcess {
  ready = false
  /** it was stopped because it is no longer needed */
  isUnwanted = false
  /** Inputs sent and not yet answered, in total and by group. */
  outstandingInputs = 0
  readonly outstandingByGroup = new Map<string, number>()
  /** Ids of calls sent and not yet answered. */
  readonly calls = new Set<number>()
  private readonly silenceMax: number
  private heardAt = performance.now()
  private dead = false
  private readonly child: ChildProcess
  private readonly pipe: Duplex
  private readonly markFile: MarkFile
  /** Keys of the scripts loaded in the process, with their group, least recently used first. */
  private readonly known = new Map<string, string>()
  private readonly knownOf = new Map<string, number>()
  private stderr = ''
  private killReason = ''
  /** The call to blame, overriding the mark file. */
  private blame: Mark | undefined
  /** Pid of the sandboxed process, when it runs under bubblewrap. */
  private innerPid: number | undefined
  private aliveFrames = 0

  constructor(isolation: Isolation, events: SandboxEvents, priority: Priority) {
    this.markFile = openMarkFile()
    this.silenceMax = priority === 'last' ? LIMITS.silenceLastMs : LIMITS.silenceMs
    this.child = isolation.start(this.markFile.fd, priority)
    this.pipe = this.child.stdio[FD.pipe] as Duplex
    if (isolation.wrapped) this.readInfo(this.child.stdio.at(FD.info) as Duplex)
    this.listen(events)
  }

  get pid(): number {
    return this.innerPid ?? this.child.pid ?? -1
  }

  private readInfo(info: Duplex): void {
    let text = ''
    info.on('error', () => undefined)
    info.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(0, STDERR_CHARS_MAX)
      const pid = /"child-pid": (\d+)/.exec(text)?.[1]
      if (pid !== undefined) this.innerPid = Number(pid)
    })
  }

  private listen(events: SandboxEvents): void {
    readFrames(this.pipe, LIMITS.frameBytesFrom, (type, call, text) => {
      if (this.killReason !== '') return
      this.heardAt = performance.now()
      if (type === FRAME.ready && !this.ready) {
        this.ready = true
        events.onReady(this)
      } else if (type === FRAME.part) events.onPart(this, call, text, false)
      else if (type === FRAME.result) events.onPart(this, call, text, true)
      else if (type === FRAME.checked) events.onChecked(this, call, text)
      else if (type !== FRAME.alive || text !== '' || ++this.aliveFrames > ALIVE_FRAMES_MAX)
        this.kill('nonsense')
      if (type !== FRAME.alive) this.aliveFrames = 0
    })
    // Errors of writing to a process that has just died, and frames that are too long; its exit handles the
    // rest.
    this.pipe.on('error', (error) => this.kill(error.message))
    // Without its pipe it is useless.
    this.pipe.on('close', () => this.child.kill('SIGKILL'))
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(0, STDERR_CHARS_MAX)
    })
    const died = (reason: string): void => {
      if (this.dead) return
      this.dead = true
      this.pipe.destroy()
      const mark = this.blame ?? this.markFile.read()
      this.markFile.close()
      // Of V8's last output keep only the line with the cause.
      const lastWords = this.stderr.split('\n').find((line) => /error|failed/i.test(line)) ?? ''
      const parts = [this.killReason, reason, lastWords.replace(/^# */, '')].filter((part) => part !== '')
      events.onDeath(this, parts.join(': '), mark)
    }
    this.child.on('error', (error) => died(error.message))
    this.child.on('exit', (code, signal) => died(signal ?? `exit code ${code}`))
  }

  /** Makes sure that the process has a script's definition. */
  define(definition: Definition): void {
    const { key, group } = definition
    const isKnown = this.known.delete(key)
    this.known.set(key, group)
    if (isKnown) return
    const own = (this.knownOf.get(group) ?? 0) + 1
    this.knownOf.set(group, own)
    writeFrame(this.pipe, FRAME.define, 0, JSON.stringify(definition))
    // A group with ever-new scripts evicts its own, not those of others.
    const isGreedy = own > LIMITS.definitionsPerGroup
    if (!isGreedy && this.known.size <= LIMITS.definitions) return
    const [oldest] = [...this.known].find(([, of]) => !isGreedy || of === group) ?? []
    if (oldest !== undefined) this.forget(oldest)
  }

  private forget(key: string): void {
    const group = this.known.get(key) ?? ''
    const left = (this.knownOf.get(group) ?? 0) - 1
    if (left > 0) this.knownOf.set(group, left)
    else this.knownOf.delete(group)
    this.known.delete(key)
    writeFrame(this.pipe, FRAME.forget, 0, key)
  }

  send(type: number, call: number, text: string): void {
    if (this.calls.size === 0) this.heardAt = performance.now()
    writeFrame(this.pipe, type, call, text)
  }

  /** Whether the process has had work for so long without sending anything that it must be frozen. */
  get isFrozen(): boolean {
    return this.calls.size > 0 && performance.now() - this.heardAt > this.silenceMax
  }

  /** Records a call that was sent. */
  take(call: number, group: string, inputs: number): void {
    this.calls.add(call)
    this.outstandingInputs += inputs
    this.outstandingByGroup.set(group, (this.outstandingByGroup.get(group) ?? 0) + inputs)
  }

  /** Records that a call was answered. */
  settle(call: number, group: string, inputs: number): void {
    this.calls.delete(call)
    this.outstandingInputs -= inputs
    const left = (this.outstandingByGroup.get(group) ?? 0) - inputs
    if (left > 0) this.outstandingByGroup.set(group, left)
    else this.outstandingByGroup.delete(group)
  }

  /** Restarts the silence timer, for example because the server itself was suspended. */
  forgive(): void {
    this.heardAt = performance.now()
  }

  /** @param blame the call that is at fault, when the process cannot be asked */
  kill(reason: string, blame?: Mark): void {
    this.killReason ||= reason
    this.blame ??= blame
    // A wrapper that ends takes the process with it.
    this.child.kill('SIGKILL')
  }

  async stop(): Promise<void> {
    if (this.dead) return
    this.isUnwanted = true
    const gone = new Promise<void>((resolve) => this.child.once('exit', () => resolve()))
    this.kill('stopped')
    await gone
  }
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
