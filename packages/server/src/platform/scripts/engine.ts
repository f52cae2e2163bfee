/**
 * The script engine: hands calls to a few sandbox processes and survives their deaths.
 *
 * A call's life: *waiting* (per group, in turn) → *sent* to one process → answered. When the process dies the call is
 * sent again; the one that the process was at runs its inputs one by one then, so that a second death names the
 * guilty input. That one is answered with SCRIPT_CRASHED and the others run on.
 */
import { availableParallelism } from 'node:os'
import { failed, readResults } from './answers.ts'
import { Definitions, homeOf } from './definitions.ts'
import { FRAME } from './frames.ts'
import { createScriptMetrics, type ScriptMetrics, type ScriptMetricsRegistry } from './metrics.ts'
import { cut } from './parts.ts'
import { type SandboxEvents, SandboxProcess } from './process.ts'
import type { Definition, Mark, RunHead } from './protocol.ts'
import { Quarantine } from './quarantine.ts'
import {
  type EncodeInput,
  type JsonInput,
  LIMITS,
  type ScriptCheck,
  type ScriptEngine,
  type ScriptEngineStatus,
  type ScriptInput,
  type ScriptResult,
  type ScriptSource,
} from './types.ts'
import { WaitingCalls } from './waiting.ts'

export interface ScriptEngineOptions {
  /** Number of sandbox processes; by default 2, on a single processor 1. */
  readonly workers?: number
  readonly log: {
    warn(details: object, message: string): void
    error(details: object, message: string): void
  }
  readonly metrics?: ScriptMetricsRegistry
}

/** Part of a `run` that goes to one process in one message. */
export interface PendingCall {
  readonly id: number
  readonly definition: Definition
  readonly json: string
  readonly head: Omit<RunHead, 'singleUntil' | 'crashed'>
  readonly crashed: number[]
  singleUntil: number
  /** a process has died while it was at this call */
  suspected: boolean
  attempts: number
  resolve(results: ScriptResult[]): void
}

interface PendingCheck {
  readonly definition: Definition
  attempts: number
  resolve(check: ScriptCheck): void
}

const CHECKS_MAX = 200
const WATCH_EVERY_MS = 250
const RESPAWN_MS_MAX = 5_000
/** A script's home process is left for an idler one when it is this many inputs behind. */
const AFFINITY_INPUTS = 1_024

/** Starts the sandbox processes and waits until they are ready. Rejects when the first ones cannot start. */
export async function createScriptEngine(options: ScriptEngineOptions): Promise<ScriptEngine> {
  const engine = new Engine(options)
  try {
    await engine.started
  } catch (error) {
    await engine[Symbol.asyncDispose]()
    throw error
  }
  return engine
}

class Engine implements ScriptEngine {
  readonly started: Promise<void>
  private readonly log: ScriptEngineOptions['log']
  private readonly metrics: ScriptMetrics
  private readonly size: number
  private readonly definitions = new Definitions()
  private readonly quarantine = new Quarantine()
  private readonly waiting = new WaitingCalls()
  private readonly sent = new Map<number, PendingCall>()
  private readonly checks = new Map<number, PendingCheck>()
  private readonly processes = new Set<SandboxProcess>()
  private readonly watch: NodeJS.Timeout
  private readonly respawns = new Set<NodeJS.Timeout>()
  private readonly events: SandboxEvents
  private watchedAt = performance.now()
  private nextId = 1
  private restarts = 0
  private failedStarts = 0
  private stopping = false

  constructor(options: ScriptEngineOptions) {
    this.log = options.log
    this.size = options.workers ?? Math.max(1, Math.min(2, availableParallelism()))
    this.metrics = createScriptMetrics(options.metrics, () => this.status())
    let ready = 0
    let resolveStarted = (): void => undefined
    let rejectStarted = (_error: Error): void => undefined
    this.started = new Promise((resolve, reject) => {
      resolveStarted = resolve
      rejectStarted = reject
    })
    this.events = {
      onReady: () => {
        this.failedStarts = 0
        ready++
        if (ready === this.size) resolveStarted()
        this.sendWaitingChecks()
        this.dispatch()
      },
      onResult: (process, call, text) => this.onResult(process, call, text),
      onChecked: (process, call, text) => this.onChecked(process, call, text),
      onDeath: (process, reason, mark) => {
        if (ready < this.size) rejectStarted(new Error(`A sandbox process did not start: ${reason}`))
        this.onDeath(process, reason, mark)
      },
    }
    for (let i = 0; i < this.size; i++) this.spawn()
    this.watch = setInterval(() => this.watchProcesses(), WATCH_EVERY_MS)
    this.watch.unref()
  }

  run(
    script: ScriptSource,
    inputs: readonly (ScriptInput | JsonInput)[],
    options?: { readonly console?: boolean },
  ): Promise<ScriptResult[]> {
    return this.submit(script, inputs, 'decode', options?.console === true)
  }

  encode(
    script: ScriptSource,
    inputs: readonly EncodeInput[],
    options?: { readonly console?: boolean },
  ): Promise<ScriptResult[]> {
    return this.submit(script, inputs, 'encode', options?.console === true)
  }

  async check(script: Omit<ScriptSource, 'id'>): Promise<ScriptCheck> {
    if (script.source.length > LIMITS.sourceChars) return { ok: false, error: TOO_LONG }
    // A group of its own, so that a script that is being written never shares an isolate with live ones.
    const definition = this.definitions.of({ ...script, id: 'check', group: `check ${this.nextId}` })
    return new Promise((resolve) => this.sendCheck(this.nextId++, { definition, attempts: 0, resolve }))
  }

  status(): ScriptEngineStatus {
    return {
      processes: [...this.processes].map(({ pid, outstandingInputs }) => ({ pid, outstandingInputs })),
      waitingCalls: this.waiting.size,
      restarts: this.restarts,
      quarantined: this.quarantine.keys(performance.now()),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping = true
    clearInterval(this.watch)
    for (const timer of this.respawns) clearTimeout(timer)
    await Promise.all([...this.processes].map((process) => process.stop()))
    for (const call of [...this.sent.values(), ...this.waiting.drain()])
      this.giveUp(call, 'SCRIPT_ENGINE_BUSY', STOPPING)
    this.sent.clear()
    for (const check of this.checks.values())
      check.resolve({ ok: false, error: { code: 'SCRIPT_ENGINE_BUSY', message: STOPPING } })
    this.checks.clear()
  }

  // ---- taking calls

  private async submit(
    script: ScriptSource,
    inputs: readonly object[],
    entry: 'decode' | 'encode',
    console: boolean,
  ): Promise<ScriptResult[]> {
    if (script.source.length > LIMITS.sourceChars)
      return inputs.map(() => failed(TOO_LONG.code, TOO_LONG.message))
    const definition = this.definitions.of(script)
    const results: ScriptResult[] = new Array(inputs.length)
    const parts = cut(inputs, results)
    let nextPart = 0
    const worker = async (): Promise<void> => {
      for (;;) {
        const part = parts[nextPart++]
        if (part === undefined) return
        const head = { key: definition.key, total: part.indexes.length, entry, console }
        const answers = await this.submitPart(definition, `[${part.texts.join(',')}]`, head)
        for (const [position, index] of part.indexes.entries()) {
          const answer = answers[position]
          if (answer !== undefined) results[index] = answer
        }
      }
    }
    await Promise.all(Array.from({ length: Math.min(parts.length, LIMITS.partsInFlight) }, worker))
    this.metrics.count(script.kind, results)
    return results
  }

  private submitPart(
    definition: Definition,
    json: string,
    head: PendingCall['head'],
  ): Promise<ScriptResult[]> {
    return new Promise((resolve) => {
      const call = {
        id: this.nextId++,
        definition,
        json,
        head,
        crashed: [],
        singleUntil: 0,
        suspected: false,
        attempts: 0,
        resolve,
      }
      if (this.nextId > 0xffff_fff0) this.nextId = 1
      this.enqueue(call)
    })
  }

  private enqueue(call: PendingCall): void {
    if (this.stopping) this.giveUp(call, 'SCRIPT_ENGINE_BUSY', STOPPING)
    else if (this.quarantine.has(call.definition.key, performance.now()))
      this.giveUp(
        call,
        'SCRIPT_QUARANTINED',
        'The script took its sandbox down repeatedly and rests for a while',
      )
    else if (!this.waiting.add(call))
      this.giveUp(call, 'SCRIPT_ENGINE_BUSY', 'Too many scripts are waiting to be run')
    else this.dispatch()
  }

  private giveUp(call: PendingCall, code: Parameters<typeof failed>[0], message: string): void {
    call.resolve(Array.from({ length: call.head.total }, () => failed(code, message)))
  }

  /** Sends waiting calls for as long as a process has room. */
  private dispatch(): void {
    for (;;) {
      const call = this.waiting.peek()
      if (call === undefined) return
      const process = this.processFor(call)
      if (process === undefined) return
      this.waiting.shift()
      this.send(process, call)
    }
  }

  private processFor(call: PendingCall): SandboxProcess | undefined {
    const ready = [...this.processes].filter((process) => process.ready)
    const [first] = ready
    if (first === undefined) return undefined
    const idlest = ready.reduce((a, b) => (b.outstandingInputs < a.outstandingInputs ? b : a), first)
    const home = ready[homeOf(call.definition) % ready.length] ?? first
    const chosen = home.outstandingInputs > idlest.outstandingInputs + AFFINITY_INPUTS ? idlest : home
    const fits = chosen.outstandingInputs + call.head.total <= LIMITS.outstandingInputs
    return fits ? chosen : undefined
  }

  private send(process: SandboxProcess, call: PendingCall): void {
    const head: RunHead = { ...call.head, singleUntil: call.singleUntil, crashed: call.crashed }
    this.sent.set(call.id, call)
    process.define(call.definition)
    process.send(FRAME.run, call.id, `${JSON.stringify(head)}\n${call.json}`)
    process.calls.add(call.id)
    process.outstandingInputs += call.head.total
  }

  private sendCheck(id: number, check: PendingCheck): void {
    const [process] = [...this.processes].filter((candidate) => candidate.ready)
    if (check.attempts >= 2 || this.checks.size >= CHECKS_MAX) {
      const crashed = check.attempts >= 2
      const code = crashed ? 'SCRIPT_CRASHED' : 'SCRIPT_ENGINE_BUSY'
      const message = crashed ? 'The script took its sandbox down' : 'Too many scripts are being checked'
      check.resolve({ ok: false, error: { code, message } })
      return
    }
    this.checks.set(id, check)
    // Without a process it is sent as soon as one is ready.
    if (process === undefined) return
    check.attempts++
    process.send(FRAME.check, id, JSON.stringify(check.definition))
    process.calls.add(id)
  }

  private sendWaitingChecks(): void {
    for (const [id, check] of [...this.checks]) {
      if ([...this.processes].some((process) => process.calls.has(id))) continue
      this.checks.delete(id)
      this.sendCheck(id, check)
    }
  }

  // ---- answers

  private onResult(process: SandboxProcess, id: number, text: string): void {
    const call = this.sent.get(id)
    process.calls.delete(id)
    if (call === undefined) return
    this.sent.delete(id)
    process.outstandingInputs -= call.head.total
    try {
      call.resolve(readResults(text, call.head.total))
    } catch (error) {
      this.log.error({ err: error, script: call.definition.key }, 'A sandbox process answered nonsense')
      this.giveUp(call, 'SCRIPT_CRASHED', 'The sandbox gave no usable answer')
      process.kill('nonsense')
    }
    this.dispatch()
  }

  private onChecked(process: SandboxProcess, id: number, text: string): void {
    const check = this.checks.get(id)
    process.calls.delete(id)
    this.checks.delete(id)
    check?.resolve(JSON.parse(text) as ScriptCheck)
  }

  // ---- life and death of the processes

  private spawn(): void {
    this.processes.add(new SandboxProcess(this.events))
  }

  private watchProcesses(): void {
    const now = performance.now()
    // The server itself stood still (suspended, starved): the answers may lie in the pipe already.
    const late = now - this.watchedAt > 2 * WATCH_EVERY_MS
    this.watchedAt = now
    for (const process of this.processes) {
      if (late) process.forgive()
      else if (process.silentMs() > LIMITS.silenceMs) process.kill('no sign of life')
    }
  }

  private onDeath(process: SandboxProcess, reason: string, mark: Mark): void {
    this.processes.delete(process)
    if (this.stopping) return
    this.restarts++
    this.metrics.restarted()
    this.log.warn(
      { pid: process.pid, reason, call: mark.call },
      'A sandbox process died and is started again',
    )
    this.respawn(process.ready)
    const calls = [...process.calls].flatMap((id) => this.sent.get(id) ?? [])
    const checks = [...process.calls].flatMap((id) => {
      const check = this.checks.get(id)
      return check === undefined ? [] : [{ id, check }]
    })
    for (const call of calls) {
      this.sent.delete(call.id)
      this.retry(call, mark)
    }
    for (const { id, check } of checks) {
      this.checks.delete(id)
      this.sendCheck(id, check)
    }
  }

  private respawn(wasReady: boolean): void {
    if (!wasReady) this.failedStarts++
    const delay = wasReady ? 0 : Math.min(100 * 2 ** this.failedStarts, RESPAWN_MS_MAX)
    const timer = setTimeout(() => {
      this.respawns.delete(timer)
      if (!this.stopping) this.spawn()
    }, delay)
    this.respawns.add(timer)
  }

  private retry(call: PendingCall, mark: Mark): void {
    call.attempts++
    if (mark.call === call.id) {
      call.singleUntil = Math.min(mark.next + LIMITS.inputsPerSlice, call.head.total)
      // A process can also die for reasons of its own: killed by the system, or by an operator. One death proves nothing.
      const again = call.suspected
      call.suspected = true
      if (mark.single && again) {
        call.crashed.push(mark.next)
        const rests = this.quarantine.crashed(call.definition.key, performance.now())
        if (rests)
          this.log.error({ script: call.definition.key }, 'A script rests because it crashes its sandbox')
      }
    }
    if (call.crashed.length >= LIMITS.crashesPerCall || call.attempts >= LIMITS.attemptsPerCall)
      this.giveUp(call, 'SCRIPT_CRASHED', 'The script took its sandbox down repeatedly')
    else this.enqueue(call)
  }
}

const STOPPING = 'The server is stopping'
const TOO_LONG = {
  code: 'SCRIPT_SYNTAX',
  message: `The script is longer than ${LIMITS.sourceChars} characters`,
} as const
