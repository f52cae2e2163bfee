import { breakAfter } from '../breaks.ts'
import type { Budgets } from './budgets.ts'
import type { Places } from './places.ts'
import { type ElixirEvents, ElixirProcess } from './process.ts'
import type { ElixirRuntime } from './runtime.ts'
import { Atom, Tuple } from './terms.ts'
import type { ElixirAnswer, ElixirError, ElixirInput, ElixirLimits, ElixirLog } from './types.ts'

/** Inputs of one parser that go to the process together; none: it is only compiled. */
export interface Job {
  key: string
  source: string
  inputs: readonly ElixirInput[]
  /** results received from the process so far */
  answers: ElixirAnswer[]
  answered(answers: ElixirAnswer[]): void
}

interface LaneOptions {
  /** the owner: key of its budget */
  key: string
  accountId: number
  runtime: ElixirRuntime
  places: Places
  budgets: Budgets
  limits: ElixirLimits
  log: ElixirLog
  /** the account hit a limit */
  onLimit(detail: string): void
  /** it has neither a process nor work any more */
  onEmpty(): void
}

type State = 'none' | 'waiting' | 'starting' | 'idle' | 'defining' | 'running' | 'ending'

/**
 * The parsers of one account, run in a process that is never shared with other accounts. States: *none* →
 * *waiting* for a place → *starting* → *idle* → *defining* a parser new to the process → *running* a job →
 * *idle* … → *ending* when it is not needed or others wait for the place. A process that dies is replaced:
 * results received so far stay valid, and the input at which it died is run alone, and fails with
 * SCRIPT_CRASHED if the process dies again.
 */
export class Lane {
  readonly #options: LaneOptions
  readonly #waiting: Job[] = []
  #waitingInputs = 0
  #state: State = 'none'
  #process: ElixirProcess | undefined
  #place: number | undefined
  /** when it became ready, and whether it has done any work in this turn */
  #turnMs = 0
  #hasWorked = false
  #chargedMs = 0
  /** its process only runs when nothing else does */
  #isLast = false
  #breakUntilMs = 0
  #job: Job | undefined
  #jobStartedMs = 0
  /** slots by key of the parser, the least recently used first */
  readonly #slots = new Map<string, string>()
  readonly #broken = new Map<string, ElixirError>()
  #defined = 0
  #isFull = false
  #silence: NodeJS.Timeout | undefined
  #rest: NodeJS.Timeout | undefined
  /** it was killed because a call did not end */
  #isOverrun = false
  #isStopping = false
  #lastUsedMs = 0

  constructor(options: LaneOptions) {
    this.#options = options
  }

  get isIdle(): boolean {
    return this.#state === 'idle' && this.#waiting.length === 0
  }

  get lastUsedMs(): number {
    return this.#lastUsedMs
  }

  /** Pid of the BEAM outside of the sandbox, for tests. */
  get pid(): number | undefined {
    return this.#process?.pid
  }

  add(job: Job): void {
    const { limits, budgets, key, onLimit } = this.#options
    const nowMs = performance.now()
    if (this.#isStopping) refuse(job, 'SCRIPT_ENGINE_BUSY', 'The server is stopping')
    else if (budgets.restMs(key, nowMs) > 0) {
      onLimit('processor time and processes of its parsers')
      refuse(
        job,
        'PARSER_ELIXIR_OVER_BUDGET',
        "The account's parsers have used up their processor time for now",
      )
    } else if (budgets.isResting(key, job.key, nowMs)) {
      onLimit('a parser rests after it took its process down repeatedly')
      refuse(job, 'SCRIPT_QUARANTINED', 'The parser took its process down repeatedly and rests for a while')
    } else if (
      this.#waitingInputs + job.inputs.length > limits.waitingMax ||
      this.#waiting.length >= limits.waitingMax
    ) {
      onLimit('packets that wait for Elixir')
      refuse(job, 'SCRIPT_ENGINE_BUSY', 'Too many packets wait for Elixir')
    } else {
      this.#waiting.push(job)
      this.#waitingInputs += job.inputs.length
    }
    this.#next()
  }

  /** Ends the process if it is idle. */
  end(): void {
    if (!this.isIdle) return
    clearTimeout(this.#rest)
    this.#state = 'ending'
    this.#process?.kill('not needed')
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#silence)
    clearTimeout(this.#rest)
    const jobs = [...(this.#job ? [this.#job] : []), ...this.#waiting.splice(0)]
    this.#job = undefined
    for (const job of jobs) refuse(job, 'SCRIPT_ENGINE_BUSY', 'The server is stopping')
    await this.#process?.stop()
  }

  #next(): void {
    if (this.#isStopping) return
    const { limits, places } = this.#options
    if (this.#state === 'none') {
      if (this.#waiting.length > 0) this.#start()
      else this.#options.onEmpty()
      return
    }
    if (this.#state !== 'idle') return
    if (this.#waiting.length === 0) {
      this.#lastUsedMs = performance.now()
      clearTimeout(this.#rest)
      this.#rest = setTimeout(() => this.end(), limits.idleMs)
      this.#rest.unref()
      if (places.isWanted) this.end()
      return
    }
    const isOld = this.#isFull || this.#defined >= limits.definitionsMax
    if (isOld || (this.#hasWorked && places.isWanted && performance.now() - this.#turnMs > limits.turnMs)) {
      this.#state = 'ending'
      this.#process?.kill(isOld ? 'replaced after many parsers' : 'others wait for its place')
      return
    }
    if (!this.#isLast && this.#isHeavy()) {
      this.#state = 'ending'
      this.#process?.kill('replaced by one that runs last')
      return
    }
    const breakMs = this.#breakUntilMs - performance.now()
    if (breakMs > 0) {
      clearTimeout(this.#rest)
      this.#rest = setTimeout(() => this.#next(), breakMs)
    } else this.#begin()
  }

  #isHeavy(): boolean {
    const { budgets, key } = this.#options
    return budgets.isHeavy(key, performance.now())
  }

  #begin(): void {
    const job = this.#waiting.shift()
    if (job === undefined) return
    clearTimeout(this.#rest)
    this.#waitingInputs -= job.inputs.length
    this.#job = job
    this.#jobStartedMs = performance.now()
    const slot = this.#slots.get(job.key)
    if (slot === undefined) this.#define(job)
    else this.#send(job, slot)
  }

  async #start(): Promise<void> {
    this.#state = 'waiting'
    const { places, runtime } = this.#options
    const place = await places.take()
    if (place === null || this.#isStopping) {
      if (place !== null) places.giveBack(place)
      this.#state = 'none'
      this.#refuseAll('SCRIPT_ENGINE_BUSY', 'Too many accounts run parsers in Elixir at the moment')
      this.#next()
      return
    }
    this.#state = 'starting'
    this.#place = place
    this.#slots.clear()
    this.#broken.clear()
    this.#defined = 0
    this.#isFull = false
    this.#hasWorked = false
    this.#isOverrun = false
    this.#isLast = this.#isHeavy()
    const events: ElixirEvents = {
      onReady: () => {
        clearInterval(this.#silence)
        this.#state = 'idle'
        this.#turnMs = performance.now()
        // Its start is no work of the account's: on a slow machine it alone would count as heavy use.
        this.#chargedMs = this.#process?.cpuMs() ?? 0
        this.#next()
      },
      onMessage: (message) => {
        if (message.kind === 'defined') this.#onDefined(message)
        else this.#onAnswer(message.answer)
      },
      onDeath: (reason) => this.#died(reason),
    }
    this.#process = new ElixirProcess(runtime, place, events, this.#isLast ? 'last' : 'aside')
    this.#watch()
  }

  #define(job: Job): void {
    this.#state = 'defining'
    this.#defined++
    const [oldest] = this.#slots
    let slot = `S${this.#slots.size + 1}`
    if (oldest !== undefined && this.#slots.size >= this.#options.limits.slots) {
      slot = oldest[1]
      this.#slots.delete(oldest[0])
      this.#broken.delete(oldest[0])
    }
    this.#slots.set(job.key, slot)
    this.#process?.send(new Tuple(new Atom('define'), new Atom(slot), job.source))
    this.#watch()
  }

  #send(job: Job, slot: string): void {
    // Moves it to the end: most recently used.
    this.#slots.delete(job.key)
    this.#slots.set(job.key, slot)
    const broken = this.#broken.get(job.key)
    if (broken !== undefined || job.inputs.length === 0) {
      this.#finish(broken === undefined ? [] : failAll(job, broken))
      return
    }
    this.#state = 'running'
    job.answers = []
    const inputs = job.inputs.map(({ payload, meta }) => new Tuple(payload, meta))
    this.#process?.send(new Tuple(new Atom('run'), new Atom(slot), inputs))
    this.#watch()
  }

  #onDefined({ error, isFull }: { error: ElixirError | null; isFull: boolean }): void {
    const job = this.#job
    if (job === undefined || this.#state !== 'defining') {
      this.#process?.kill('it defined what nobody gave it')
      return
    }
    clearInterval(this.#silence)
    if (error !== null) this.#broken.set(job.key, error)
    this.#isFull = isFull
    this.#send(job, this.#slots.get(job.key) ?? '')
  }

  #onAnswer(answer: ElixirAnswer): void {
    const job = this.#job
    if (job === undefined || this.#state !== 'running') {
      this.#process?.kill('it answered what nobody asked')
      return
    }
    job.answers.push(answer)
    if (job.answers.length < job.inputs.length) {
      this.#watch()
      return
    }
    clearInterval(this.#silence)
    this.#options.budgets.clear(this.#options.key, job.key)
    this.#finish(job.answers)
  }

  #finish(answers: ElixirAnswer[]): void {
    const job = this.#job
    this.#charge(this.#process?.cpuMs() ?? 0)
    this.#takeBreak()
    this.#job = undefined
    this.#state = 'idle'
    this.#hasWorked = true
    job?.answered(answers)
    this.#next()
  }

  #takeBreak(): void {
    if (!this.#isLast) return
    const nowMs = performance.now()
    this.#breakUntilMs = nowMs + breakAfter(nowMs - this.#jobStartedMs)
  }

  /** @param cpuMs CPU time of the process so far */
  #charge(cpuMs: number): void {
    const { budgets, key } = this.#options
    if (cpuMs <= this.#chargedMs) return
    budgets.spend(key, cpuMs - this.#chargedMs, performance.now())
    this.#chargedMs = cpuMs
  }

  #died(reason: string): void {
    clearInterval(this.#silence)
    clearTimeout(this.#rest)
    const { places, log, accountId } = this.#options
    const state = this.#state
    const job = this.#job
    this.#process = undefined
    this.#state = 'none'
    this.#job = undefined
    if (this.#place !== undefined) places.giveBack(this.#place)
    this.#place = undefined
    if (this.#isStopping) return
    if (job !== undefined) {
      this.#takeBreak()
      log.warn({ reason, state, accountId }, 'The process of Elixir died and is started again')
      this.#crashed(job, state)
    } else if (state === 'starting') {
      log.warn({ reason, accountId }, 'Elixir could not be started')
      this.#refuseAll('SCRIPT_ENGINE_FAILED', 'Elixir could not be started')
    }
    this.#next()
  }

  #crashed(job: Job, state: State): void {
    const { budgets, key, onLimit } = this.#options
    const nowMs = performance.now()
    // Its CPU time since the last check is lost: charge at most the elapsed time.
    budgets.spend(key, Math.min(nowMs - this.#jobStartedMs, this.#options.limits.compileCpuMs), nowMs)
    budgets.crashed(key, nowMs)
    onLimit('a parser took its process down')
    if (state === 'running' && job.inputs.length > 1) {
      this.#runOnBothSides(job)
      return
    }
    budgets.blame(key, job.key, nowMs)
    if (this.#isOverrun) refuse(job, 'SCRIPT_TIMEOUT', 'The parser could not be stopped in its time')
    else
      refuse(
        job,
        'SCRIPT_CRASHED',
        'The parser took its process down, most likely by asking for too much memory',
      )
  }

  /** Runs the input at which it died alone, then the inputs after it; ahead of all other jobs. */
  #runOnBothSides(job: Job): void {
    const { inputs, answered } = job
    const done = [...job.answers]
    const rest = inputs.slice(done.length + 1)
    const behind: Job = {
      ...job,
      inputs: rest,
      answered: (answers) => answered([...done, ...answers]),
    }
    const alone: Job = {
      ...job,
      inputs: inputs.slice(done.length, done.length + 1),
      answered: (answers) => {
        done.push(...answers)
        if (rest.length === 0) answered(done)
      },
    }
    const both = rest.length === 0 ? [alone] : [alone, behind]
    this.#waiting.unshift(...both)
    this.#waitingInputs += 1 + rest.length
  }

  #refuseAll(code: ElixirError['code'], message: string): void {
    const jobs = this.#waiting.splice(0)
    this.#waitingInputs = 0
    for (const job of jobs) refuse(job, code, message)
  }

  /** A process that is frozen, or computes without end, is treated as dead. */
  #watch(): void {
    clearInterval(this.#silence)
    const { limits } = this.#options
    const sinceMs = performance.now()
    const cpuSinceMs = this.#process?.cpuMs() ?? 0
    this.#silence = setInterval(() => {
      const isRunning = this.#state === 'running'
      const cpuMs = (this.#process?.cpuMs() ?? 0) - cpuSinceMs
      if (cpuMs > (isRunning ? limits.callCpuMs : limits.compileCpuMs)) {
        this.#isOverrun = isRunning
        this.#process?.kill('it computes without end')
      } else if (performance.now() - sinceMs > limits.silenceMs) this.#process?.kill('no sign of life')
    }, limits.lookMs)
    this.#silence.unref()
  }
}

/** The same failure for all inputs; a check gets a single one. */
function failAll(job: Pick<Job, 'inputs'>, error: ElixirError): ElixirAnswer[] {
  return Array.from({ length: Math.max(1, job.inputs.length) }, () => ({ ok: false, error, durationUs: 0 }))
}

function refuse(job: Job, code: ElixirError['code'], message: string): void {
  job.answered(failAll(job, { code, message }))
}
