import type { ChildProcess } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { messageOf } from '../errors.ts'
import type { Priority } from '../priority.ts'
import { cpuMsOf, sealSandbox, startSandbox } from '../sandbox/bubblewrap.ts'
import { type Message, readMessage } from './answers.ts'
import type { ElixirRuntime } from './runtime.ts'
import { toTerm } from './terms.ts'
import { elixirLimits } from './types.ts'

export interface ElixirEvents {
  /** it can be given work from now on */
  onReady(): void
  onMessage(message: Exclude<Message, { kind: 'ready' }>): void
  /** `reason` is for the log */
  onDeath(reason: string): void
}

/**
 * One BEAM in its sandbox: starts it, exchanges length-prefixed frames with it, and ends it. It is killed
 * when it sends anything the runner would not send.
 */
export class ElixirProcess {
  readonly #child: ChildProcess
  readonly #input: Duplex
  readonly #events: ElixirEvents
  #killReason = ''
  #stderr = ''
  #isDead = false
  #isReady = false
  /** pid of the BEAM outside of the sandbox, once it is sealed */
  #pid: number | undefined
  #cpuMs = 0

  constructor({ tools, sandbox }: ElixirRuntime, place: number, events: ElixirEvents, priority: Priority) {
    this.#events = events
    const surroundings = sandbox(place)
    const stdio = ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] as const
    this.#child = startSandbox(tools, surroundings, [...stdio], priority)
    this.#input = this.#child.stdio[3] as Duplex
    const output = this.#child.stdio[4] as Duplex
    readFrames(output, (text) => this.#hear(text, () => sealSandbox(tools, surroundings, this.#child)))
    for (const stream of [this.#input, output]) {
      stream.on('error', (error) => this.kill(error.message))
    }
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-elixirLimits.stderrCharsMax)
    })
    const died = (reason: string): void => {
      if (this.#isDead) return
      this.#isDead = true
      this.#input.destroy()
      output.destroy()
      // Later stderr contains compiler messages about users' sources.
      const parts = [this.#killReason, reason, this.#isReady ? '' : this.#stderr.trim()].filter(
        (part) => part !== '',
      )
      events.onDeath(parts.join(': '))
    }
    this.#child.on('error', (error) => died(error.message))
    this.#child.on('exit', (code, signal) => died(signal ?? `exit code ${code}`))
  }

  /** Pid of the BEAM outside of the sandbox, for tests. */
  get pid(): number | undefined {
    return this.#pid
  }

  send(term: unknown): void {
    const body = toTerm(term)
    const head = Buffer.alloc(4)
    head.writeUInt32BE(body.length, 0)
    this.#input.write(Buffer.concat([head, body]))
  }

  /** CPU time so far; for a dead process the last known value. */
  cpuMs(): number {
    if (this.#pid === undefined || this.#isDead) return this.#cpuMs
    try {
      this.#cpuMs = cpuMsOf(this.#pid)
    } catch {
      // It has just died; its exit event reports that.
    }
    return this.#cpuMs
  }

  kill(reason: string): void {
    if (this.#isDead) return
    this.cpuMs()
    this.#killReason ||= reason
    this.#child.kill('SIGKILL')
  }

  async stop(): Promise<void> {
    if (this.#isDead) return
    const gone = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()))
    this.kill('stopped')
    await gone
  }

  #hear(text: string, seal: () => Promise<number>): void {
    if (this.#isDead || this.#killReason !== '') return
    let message: Message
    try {
      message = readMessage(text)
    } catch (error) {
      this.kill(messageOf(error))
      return
    }
    if (message.kind !== 'ready') {
      if (this.#isReady) this.#events.onMessage(message)
      else this.kill('an answer before it was ready')
    } else if (this.#isReady || this.#pid !== undefined) this.kill('ready a second time')
    else this.#seal(seal)
  }

  /** A process only gets user code once it can no longer start other processes. */
  #seal(seal: () => Promise<number>): void {
    seal().then(
      (pid) => {
        this.#pid = pid
        this.#isReady = true
        if (!this.#isDead) this.#events.onReady()
      },
      (error: unknown) => this.kill(messageOf(error)),
    )
  }
}

/**
 * Calls `onFrame` for every complete frame; one that announces too great a length ends the stream before it
 * is read.
 */
function readFrames(stream: Duplex, onFrame: (text: string) => void): void {
  let parts: Buffer[] = []
  let held = 0
  let needed = 4
  stream.on('data', (chunk: Buffer) => {
    parts.push(chunk)
    held += chunk.length
    if (held < needed) return
    let bytes = parts.length === 1 ? chunk : Buffer.concat(parts, held)
    for (;;) {
      needed = bytes.length < 4 ? 4 : bytes.readUInt32BE(0) + 4
      if (needed - 4 > elixirLimits.answerBytesMax) {
        stream.destroy(new Error('an answer is too long'))
        return
      }
      if (bytes.length < needed) break
      onFrame(bytes.toString('utf8', 4, needed))
      bytes = bytes.subarray(needed)
    }
    parts = bytes.length === 0 ? [] : [bytes]
    held = bytes.length
  })
}
