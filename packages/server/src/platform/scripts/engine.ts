/**
 * The script engine: distributes calls over a few sandbox processes and survives their crashes.
 *
 * States of a call: *waiting* (per group, in turn) → *sent* to one process → answered, perhaps in parts. When
 * the process dies the call is resent; the call the process was working on then runs its inputs one by one,
 * apart from live traffic, so that a second death identifies the input at fault. That one fails with
 * SCRIPT_CRASHED and the others continue. A process that sends an invalid message is treated like one that
 * died.
 */
import { availableParallelism } from 'node:os'
import { LRUCache } from 'lru-cache'
import { upTo } from '../cache.ts'
import { failed, HostileAnswer, readCheck, readPart } from './answers.ts'
import { CrashBudgets } from './budgets.ts'
import { diedAt, frameText, giveUp, isHopeless, type PendingCall } from './calls.ts'
import { Definitions, homeOf } from './definitions.ts'
import { FRAME } from './frames.ts'
import type { Isolation } from './isolation.ts'
import { createScriptMetrics, type ScriptMetrics, type ScriptMetricsRegistry } from './metrics.ts'
import { cut } from './parts.ts'
import { fresh, ownerOf, type Place, placeOf } from './places.ts'
import { Pools } from './pools.ts'
import type { SandboxEvents, SandboxProcess } from './process.ts'
import type { Definition, Mark } from './protocol.ts'
import { Quarantine } from './quarantine.ts'
import { Reports } from './reports.ts'
import { Shares } from './shares.ts'
import {
  type EncodeInput,
  type JsonInput,
  LIMITS,
  type RunOptions,
  type ScriptCheck,
  type ScriptEngine,
  type ScriptEngineStatus,
  type ScriptErrorCode,
  type ScriptInput,
  type ScriptLimit,
  type ScriptResult,
  type ScriptSource,
} from './types.ts'
import { WaitingCalls } from './waiting.ts'

export interface ScriptEngineOptions {
  /** Number of sandbox processes; by default 2, on a single processor 1. */
  readonly workers?: number
  readonly log: {
    info(details: object, message: string): void
    warn(details: object, message: string): void
    error(details: object, message: string): void
  }
  readonly metrics?: ScriptMetricsRegistry
  /** If set, every top-level account has its own processes; returns the top-level account of an account. */
  readonly domainOf?: (account: number) => Promise<number>
  /** Called when an account is throttled or refused, at most once a second for each. */
  readonly onLimit?: (account: number, limit: ScriptLimit, detail: string) => void
}

const WATCH_EVERY_MS = 250
const TROUBLED_MAX = 10_000
const CULPRITS_MAX = 10_000
/** A script moves from its preferred process to a less busy one when it is this many inputs behind. */
const AFFINITY_INPUTS = 1_024

export class Engine implements ScriptEngine {
  readonly started: Promise<void>
  private readonly options: ScriptEngineOptions
  private readonly metrics: ScriptMetrics
  private readonly definitions = new Definitions()
  private readonly quarantine = new Quarantine()
  private readonly budgets = new CrashBudgets()
  private readonly shares = new Shares()
  /** Time until which accounts count as troubled. */
  private readonly troubled = new LRUCache<string, number>(upTo(TROUBLED_MAX))
  /** Until when scripts run apart from live traffic because they delayed it. Their accounts are forgiven sooner. */
  private readonly culprits = new LRUCache<string, number>(upTo(CULPRITS_MAX))
  /** Runs stopped by the timer or for their memory. */
  private readonly stalls = new Shares()
  /**
   * Until when the scripts of an account run apart from live traffic until they have answered well, because one
   * delayed it.
   */
  private readonly warned = new LRUCache<string, number>(upTo(CULPRITS_MAX))
  /** Calls of live scripts sent that have not answered well yet, by account. */
  private readonly unproven = new Map<string, number>()
  private readonly waiting = new WaitingCalls()
  private readonly sent = new Map<number, PendingCall>()
  private readonly pools: Pools
  private readonly reports: Reports
  private readonly watch: NodeJS.Timeout
  private watchedAt = performance.now()
  private nextId = 1
  private restarts = 0
  private stopping = false

  constructor(options: ScriptEngineOptions, isolation: Isolation) {
    this.options = options
    this.reports = new Reports(options.onLimit)
    this.metrics = createScriptMetrics(options.metrics, () => this.status())
    // When every account has its own processes, few scripts use the shared ones.
    const shared = options.workers ?? Math.max(1, Math.min(2, availableParallelism()))
    const workers = options.domainOf === undefined ? shared : 1
    let ready = 0
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.started = promise
    const events: SandboxEvents = {
      onReady: () => {
        if (++ready === workers) resolve()
        this.dispatch()
      },
      onPart: (process, call, text, last) => this.onPart(process, call, text, last),
      onChecked: (process, call, text) => this.onChecked(process, call, text),
      onDeath: (process, reason, mark) => {
        if (ready < workers) reject(new Error(`A sandbox process did not start: ${reason}`))
        this.onDeath(process, reason, mark)
      },
    }
    // Those of trials and of troubled accounts.
    const poolsMax = options.domainOf === undefined ? 2 : LIMITS.accountPools
    this.pools = new Pools({ isolation, events, workers, poolsMax, onRoom: () => this.dispatch() })
    this.watch = setInterval(() => this.watchProcesses(), WATCH_EVERY_MS)
    this.watch.unref()
  }

  run(
    script: ScriptSource,
    inputs: readonly (ScriptInput | JsonInput)[],
    options: RunOptions = {},
  ): Promise<ScriptResult[]> {
    return this.submit(script, inputs, 'decode', options)
  }

  encode(
    script: ScriptSource,
    inputs: readonly EncodeInput[],
    options: RunOptions = {},
  ): Promise<ScriptResult[]> {
    return this.submit(script, inputs, 'encode', options)
  }

  async check(script: Omit<ScriptSource, 'id'>): Promise<ScriptCheck> {
    if (script.source.length > LIMITS.sourceChars) return { ok: false, error: TOO_LONG }
    const id = this.takeId()
    const own = this.definitions.of({ ...script, id: 'check' })
    // A group of its own, so that a script being edited never shares an isolate with live ones.
    const definition = { ...own, group: `check ${id}`, key: `check ${id}` }
    const place = await this.placeOf({ ...script, id: 'check' }, own)
    return new Promise((resolve) =>
      this.enqueue({
        id,
        definition,
        ...place,
        asked: { kind: 'check' },
        text: JSON.stringify(definition),
        total: 1,
        ...fresh(place.apart),
        answer: (outcome) => resolve(outcome as ScriptCheck),
      }),
    )
  }

  /**
   * Whether an account's scripts were slow or crashed recently, so that callers can keep them from delaying
   * others.
   */
  isTroubled(account: number): boolean {
    return this.isOwnerTroubled(ownerOf(account), performance.now())
  }

  private isOwnerTroubled(owner: string, now: number): boolean {
    const isNow = this.budgets.isSuspect(owner, now) || this.isSlow(owner, now) || this.isStalling(owner, now)
    // Extended for a while: an account whose calls run apart uses little time, and would soon seem fine.
    if (isNow) this.troubled.set(owner, now + LIMITS.troubleLastsMs)
    return isNow || (this.troubled.get(owner) ?? 0) > now
  }

  private isStalling(owner: string, now: number): boolean {
    return this.stalls.of(owner, now) > LIMITS.stallsPerOwner
  }

  private isSlow(owner: string, now = performance.now()): boolean {
    return this.shares.of(owner, now) > LIMITS.troubledMs
  }

  status(): ScriptEngineStatus {
    return {
      processes: this.pools.processes.map(({ pid, outstandingInputs }) => ({ pid, outstandingInputs })),
      waitingCalls: this.waiting.size,
      restarts: this.restarts,
      quarantined: this.quarantine.keys(performance.now()),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping = true
    clearInterval(this.watch)
    await this.pools.close()
    for (const call of [...this.sent.values(), ...this.waiting.drain()])
      giveUp(call, 'SCRIPT_ENGINE_BUSY', STOPPING)
    this.sent.clear()
  }

  // ---- accepting calls

  private async submit(
    script: ScriptSource,
    inputs: readonly object[],
    entry: 'decode' | 'encode',
    options: RunOptions,
  ): Promise<ScriptResult[]> {
    if (script.source.length > LIMITS.sourceChars)
      return inputs.map(() => failed(TOO_LONG.code, TOO_LONG.message))
    const definition = this.definitions.of(script)
    const found = this.placeOf(script, definition)
    const place = found instanceof Promise ? await found : found
    const results: ScriptResult[] = new Array(inputs.length)
    const parts = cut(inputs, results)
    let nextPart = 0
    const worker = async (): Promise<void> => {
      for (;;) {
        const part = parts[nextPart++]
        if (part === undefined) return
        const head = {
          key: definition.key,
          total: part.indexes.length,
          entry,
          console: options.console === true,
        }
        const answers = await new Promise<ScriptResult[]>((resolve) =>
          this.enqueue({
            id: this.takeId(),
            definition,
            ...place,
            asked: { kind: 'run', head },
            text: `[${part.texts.join(',')}]`,
            total: head.total,
            ...fresh(options.apart === true ? place.apart : place.live),
            answer: (outcome) => resolve(outcome as ScriptResult[]),
          }),
        )
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

  private placeOf(script: ScriptSource, definition: Definition): Place | Promise<Place> {
    return placeOf(script, definition.group, this.options.domainOf)
  }

  private takeId(): number {
    if (this.nextId > 0xffff_fff0) this.nextId = 1
    return this.nextId++
  }

  private enqueue(call: PendingCall): void {
    const now = performance.now()
    const { key } = call.definition
    if (this.stopping) giveUp(call, 'SCRIPT_ENGINE_BUSY', STOPPING)
    else if (this.quarantine.has(key, now) || !this.budgets.mayRun(call.owner, key, now)) {
      this.reports.note(call, 'scriptCrashes', now)
      const whose = this.quarantine.has(key, now) ? 'The script' : "The account's scripts"
      giveUp(call, 'SCRIPT_QUARANTINED', `${whose} took the sandbox down repeatedly, and rests for a while`)
    } else {
      this.judge(call, now)
      if (this.waiting.add(call)) this.dispatch()
      else giveUp(call, 'SCRIPT_ENGINE_BUSY', 'Too many scripts are waiting to be run')
    }
  }

  /** Moves a call apart from live traffic if its script or its account would delay or crash others. */
  private judge(call: PendingCall, now: number): void {
    const { key } = call.definition
    // Accounts that crash processes with ever-new scripts must not crash those that others need.
    const isSuspect = this.budgets.isSuspect(call.owner, now) && !this.budgets.isKnown(call.owner, key, now)
    const isNew = (this.warned.get(call.owner) ?? 0) > now && this.isUnproven(call)
    // The same for accounts that time out repeatedly: each timeout delays the calls behind it. What is not live
    // traffic goes there as soon as the account has taken much time.
    const isCulprit = (this.culprits.get(key) ?? 0) > now
    const isGuilty = isCulprit || isSuspect || isNew || this.isStalling(call.owner, now)
    if (isGuilty) this.troubled.set(call.owner, now + LIMITS.troubleLastsMs)
    if (isGuilty || (call.pool === call.apart && this.isOwnerTroubled(call.owner, now))) call.pool = call.last
  }

  /** Sends waiting calls for as long as a process has room. */
  private dispatch(): void {
    if (this.stopping) return
    for (;;) {
      const now = performance.now()
      const call = this.waiting.take(
        (candidate) => this.maySend(candidate, now),
        this.shares,
        now,
        (other) => {
          if (this.isSlow(other.owner, now)) this.reports.note(other, 'scriptTime', now)
        },
      )
      const process = call && this.processFor(call)
      if (call === undefined || process === undefined) return
      this.send(process, call)
    }
  }

  private maySend(call: PendingCall, now: number): boolean {
    // Its account may have delayed others since it arrived.
    if (this.isUnproven(call)) this.judge(call, now)
    const isTooNew = this.isUnproven(call) && (this.unproven.get(call.owner) ?? 0) >= LIMITS.unprovenCalls
    return !isTooNew && this.processFor(call) !== undefined
  }

  /** Whether a call is live traffic of a script that has not answered well yet. */
  private isUnproven(call: PendingCall): boolean {
    const isLive = call.pool !== call.apart && call.pool !== call.last
    return isLive && call.asked.kind === 'run' && !this.budgets.hasAnswered(call.definition.key)
  }

  private processFor(call: PendingCall): SandboxProcess | undefined {
    const ready = this.pools.get(call.pool)?.ready(performance.now()) ?? []
    const [first] = ready
    if (first === undefined) return undefined
    const idlest = ready.reduce((a, b) => (b.outstandingInputs < a.outstandingInputs ? b : a), first)
    const home = ready[homeOf(call.definition) % ready.length] ?? first
    const chosen = home.outstandingInputs > idlest.outstandingInputs + AFFINITY_INPUTS ? idlest : home
    const own = chosen.outstandingByGroup.get(call.definition.group) ?? 0
    // Every group gets one call in; beyond that it must leave room for other groups.
    const isFirst = own === 0 && chosen.calls.size < LIMITS.callsPerProcess
    const fits =
      chosen.outstandingInputs + call.total <= LIMITS.outstandingInputs &&
      own + call.total <= LIMITS.outstandingInputs / 2
    return isFirst || fits ? chosen : undefined
  }

  private send(process: SandboxProcess, call: PendingCall): void {
    this.sent.set(call.id, call)
    call.sentAt = performance.now()
    call.sentUnproven = this.isUnproven(call)
    if (call.sentUnproven) this.unproven.set(call.owner, (this.unproven.get(call.owner) ?? 0) + 1)
    if (call.asked.kind === 'run') process.define(call.definition)
    process.send(
      call.asked.kind === 'run' ? FRAME.run : FRAME.check,
      call.id,
      frameText(call, this.isSlow(call.owner)),
    )
    process.take(call.id, call.definition.group, call.total)
  }

  // ---- results

  /** The call that a result is for; a process that sends an unsolicited result is killed. */
  private callOf(process: SandboxProcess, id: number, kind: 'run' | 'check'): PendingCall | undefined {
    const call = process.calls.has(id) ? this.sent.get(id) : undefined
    if (call?.asked.kind === kind) return call
    process.kill('nonsense')
    return undefined
  }

  /** Forgets a call that was sent. */
  private forget(call: PendingCall): void {
    this.sent.delete(call.id)
    const now = performance.now()
    this.pools.ended(call.pool, now - call.sentAt, now)
    if (!call.sentUnproven) return
    const left = (this.unproven.get(call.owner) ?? 1) - 1
    if (left > 0) this.unproven.set(call.owner, left)
    else this.unproven.delete(call.owner)
  }

  private done(process: SandboxProcess, call: PendingCall): void {
    this.forget(call)
    process.settle(call.id, call.definition.group, call.total)
  }

  private onPart(process: SandboxProcess, id: number, text: string, last: boolean): void {
    const call = this.callOf(process, id, 'run')
    if (call === undefined) return
    const before = call.results.length
    try {
      const { results, busyUs } = readPart(text, call.total - before)
      call.results.push(...results)
      const now = performance.now()
      this.shares.add(call.owner, busyUs / 1000, now)
      const stalled = results.filter((each) => !each.ok && stalls.includes(each.error.code)).length
      if (stalled > 0) this.noteStalls(call, stalled, now)
      if (!last) return
      if (call.results.length !== call.total) throw new HostileAnswer('Answers are missing')
      if (results.some(({ ok }) => ok)) this.budgets.answered(call.definition.key, now)
    } catch (error) {
      if (!(error instanceof HostileAnswer)) throw error
      this.onNonsense(process, call, before + error.good, error)
      return
    }
    this.done(process, call)
    call.answer(call.results)
    this.dispatch()
  }

  private noteStalls(call: PendingCall, count: number, now: number): void {
    this.stalls.add(call.owner, count, now)
    this.warned.set(call.owner, now + LIMITS.culpritMs)
    if (this.isStalling(call.owner, now)) this.culprits.set(call.definition.key, now + LIMITS.culpritMs)
  }

  private onChecked(process: SandboxProcess, id: number, text: string): void {
    const call = this.callOf(process, id, 'check')
    if (call === undefined) return
    try {
      const check = readCheck(text)
      this.done(process, call)
      call.answer(check)
    } catch (error) {
      if (!(error instanceof HostileAnswer)) throw error
      this.onNonsense(process, call, 0, error)
      return
    }
    this.dispatch()
  }

  private onNonsense(process: SandboxProcess, call: PendingCall, next: number, error: HostileAnswer): void {
    this.options.log.error({ err: error, script: call.definition.key }, 'A sandbox process answered nonsense')
    process.kill('nonsense', { call: call.id, next: Math.min(next, call.total - 1), single: call.suspected })
  }

  // ---- lifecycle of the processes

  private watchProcesses(): void {
    const now = performance.now()
    // The server itself was stopped (suspended, starved): the results may already be in the pipe.
    const late = now - this.watchedAt > 2 * WATCH_EVERY_MS
    this.watchedAt = now
    for (const process of this.pools.processes) {
      if (late) process.forgive()
      else if (process.isFrozen) process.kill('no sign of life')
    }
    this.pools.tidy(now)
    if (this.waiting.size > 0) this.dispatch()
  }

  private onDeath(process: SandboxProcess, reason: string, mark: Mark): void {
    if (this.stopping || process.isUnwanted) return
    this.restarts++
    this.metrics.restarted()
    this.options.log.warn(
      { pid: process.pid, reason, call: mark.call },
      'A sandbox process died and is started again',
    )
    for (const call of [...process.calls].flatMap((id) => this.sent.get(id) ?? [])) {
      this.forget(call)
      this.retry(call, mark)
    }
  }

  private retry(call: PendingCall, mark: Mark): void {
    const now = performance.now()
    call.attempts++
    call.results = []
    if (mark.call === call.id) {
      const isProven = diedAt(call, mark)
      const { key } = call.definition
      // For an account that is already suspect one death is enough.
      if (isProven || this.budgets.isSuspect(call.owner, now)) {
        this.budgets.crashed(key)
        this.culprits.set(key, now + LIMITS.culpritMs)
        this.budgets.died(call.owner, now)
        this.reports.note(call, 'scriptCrashes', now)
      }
      if (isProven && call.asked.kind === 'run' && this.quarantine.crashed(key, now))
        this.options.log.error({ script: key }, 'A script rests because it crashes its sandbox')
    }
    if (isHopeless(call)) giveUp(call, HOPELESS, 'The script crashed its sandbox repeatedly')
    else this.enqueue(call)
  }
}

/** Results that took all the time or memory that a script may have. */
const stalls: readonly ScriptErrorCode[] = ['SCRIPT_TIMEOUT', 'SCRIPT_MEMORY']

const HOPELESS: ScriptErrorCode = 'SCRIPT_CRASHED'

const STOPPING = 'The server is stopping'
const TOO_LONG = {
  code: 'SCRIPT_SYNTAX',
  message: `The script is longer than ${LIMITS.sourceChars} characters`,
} as const
