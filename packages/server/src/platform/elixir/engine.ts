import { createHash } from 'node:crypto'
import { messageOf } from '../errors.ts'
import { storableJson } from '../storable.ts'
import { ElixirProcess, type ElixirPrograms } from './process.ts'
import { Atom, Tuple } from './terms.ts'
import { type ElixirAnswer, type ElixirInput, elixirLimits } from './types.ts'

interface Log {
  warn(details: object, message: string): void
}

/** Inputs of one parser that go to the process together. */
interface Job {
  key: string
  source: string
  inputs: readonly ElixirInput[]
  answered(answers: ElixirAnswer[]): void
}

/** What an answer of the process may say. */
type Told =
  | { ready: true }
  | { defined: { ok: true } | Failure }
  | { answers: ({ v: unknown; l: string[]; us: number } | (Failure & { l?: string[]; us: number }))[] }
interface Failure {
  ok?: false
  c: Extract<ElixirAnswer, { ok: false }>['error']['code']
  e: string
  line?: number | null
}

/**
 * Runs parsers in Elixir in one process of its own, which is started with the first of them. Its life: *starting* →
 * *idle* → *defining* a parser it does not know → *running* a job → *idle* … A process that dies is replaced; the
 * inputs it was at run one by one then, and the one it dies at again is answered with SCRIPT_CRASHED.
 */
export class ElixirEngine implements AsyncDisposable {
  readonly #programs: ElixirPrograms
  readonly #log: Log
  readonly #waiting: Job[] = []
  #waitingInputs = 0
  #process: ElixirProcess | undefined
  #state: 'none' | 'starting' | 'idle' | 'defining' | 'running' = 'none'
  #job: Job | undefined
  /** slots by key of the parser, the least recently used first */
  readonly #slots = new Map<string, string>()
  readonly #broken = new Map<string, Failure>()
  #defined = 0
  readonly #crashes = new Map<string, { count: number; untilMs: number }>()
  #silence: NodeJS.Timeout | undefined
  #stopping = false

  constructor(programs: ElixirPrograms, log: Log) {
    this.#programs = programs
    this.#log = log
  }

  /** Answers in the order of the inputs; never rejects. */
  async run(source: string, inputs: readonly ElixirInput[]): Promise<ElixirAnswer[]> {
    const key = createHash('sha256').update(source).digest('base64url')
    const parts = Array.from({ length: Math.ceil(inputs.length / elixirLimits.inputsPerCall) }, (_, part) =>
      inputs.slice(part * elixirLimits.inputsPerCall, (part + 1) * elixirLimits.inputsPerCall),
    )
    const answers = await Promise.all(
      parts.map(
        (part) =>
          new Promise<ElixirAnswer[]>((answered) => this.#add({ key, source, inputs: part, answered })),
      ),
    )
    return answers.flat()
  }

  /** Compiles a parser without calling it. @returns null, or what is wrong with it */
  async check(source: string): Promise<Extract<ElixirAnswer, { ok: false }>['error'] | null> {
    const key = createHash('sha256').update(source).digest('base64url')
    const answers = await new Promise<ElixirAnswer[]>((answered) =>
      this.#add({ key, source, inputs: [], answered }),
    )
    const [answer] = answers
    return answer?.ok === false ? answer.error : null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true
    clearTimeout(this.#silence)
    const jobs = [...(this.#job ? [this.#job] : []), ...this.#waiting.splice(0)]
    this.#job = undefined
    for (const job of jobs) give(job, 'SCRIPT_ENGINE_BUSY', 'The server is stopping')
    await this.#process?.stop()
  }

  #add(job: Job): void {
    const crashes = this.#crashes.get(job.key)
    if (this.#stopping) give(job, 'SCRIPT_ENGINE_BUSY', 'The server is stopping')
    else if (crashes && crashes.count >= elixirLimits.crashesMax && performance.now() < crashes.untilMs)
      give(job, 'SCRIPT_QUARANTINED', 'The parser took its process down repeatedly and rests for a while')
    else if (this.#waitingInputs + job.inputs.length > elixirLimits.waitingMax)
      give(job, 'SCRIPT_ENGINE_BUSY', 'Too many packets wait for Elixir')
    else {
      this.#waiting.push(job)
      this.#waitingInputs += job.inputs.length
      this.#next()
    }
  }

  #next(): void {
    if (this.#stopping || this.#waiting.length === 0) return
    if (this.#state === 'idle' && this.#defined >= elixirLimits.definitionsMax) {
      this.#process?.kill('replaced after many parsers')
      this.#state = 'starting'
      return
    }
    if (this.#state === 'none') {
      this.#start()
      return
    }
    if (this.#state !== 'idle') return
    const job = this.#waiting.shift()
    if (job === undefined) return
    this.#waitingInputs -= job.inputs.length
    this.#job = job
    const slot = this.#slots.get(job.key)
    if (slot === undefined) this.#define(job)
    else this.#send(job, slot)
  }

  #start(): void {
    this.#state = 'starting'
    this.#slots.clear()
    this.#broken.clear()
    this.#defined = 0
    const started: ElixirProcess = new ElixirProcess(this.#programs, {
      onAnswer: (text) => {
        if (this.#process === started) this.#hear(text)
      },
      onDeath: (reason) => {
        if (this.#process === started) this.#died(reason)
      },
    })
    this.#process = started
    this.#watch()
  }

  #define(job: Job): void {
    this.#state = 'defining'
    this.#defined++
    const [oldest] = this.#slots
    let slot = `S${this.#slots.size + 1}`
    if (oldest !== undefined && this.#slots.size >= elixirLimits.slots) {
      slot = oldest[1]
      this.#slots.delete(oldest[0])
      this.#broken.delete(oldest[0])
    }
    this.#slots.set(job.key, slot)
    this.#process?.send(new Tuple(new Atom('define'), new Atom(slot), job.source))
    this.#watch()
  }

  #send(job: Job, slot: string): void {
    // Used last.
    this.#slots.delete(job.key)
    this.#slots.set(job.key, slot)
    const broken = this.#broken.get(job.key)
    if (broken !== undefined || job.inputs.length === 0) {
      this.#finish(broken === undefined ? [] : failAll(job, broken))
      return
    }
    this.#state = 'running'
    const inputs = job.inputs.map(({ payload, meta }) => new Tuple(payload, meta))
    this.#process?.send(new Tuple(new Atom('run'), new Atom(slot), inputs))
    this.#watch()
  }

  #hear(text: string): void {
    clearTimeout(this.#silence)
    let told: Told
    try {
      told = JSON.parse(storableJson(text)) as Told
    } catch (error) {
      this.#process?.kill(`an answer that is no JSON: ${messageOf(error)}`)
      return
    }
    const job = this.#job
    if ('ready' in told) {
      this.#state = 'idle'
      this.#next()
    } else if (job !== undefined && 'defined' in told) {
      const slot = this.#slots.get(job.key)
      if (!('ok' in told.defined && told.defined.ok)) this.#broken.set(job.key, told.defined as Failure)
      this.#send(job, slot ?? '')
    } else if (job !== undefined && 'answers' in told) {
      this.#crashes.delete(job.key)
      this.#finish(told.answers.map(toAnswer))
    }
  }

  #finish(answers: ElixirAnswer[]): void {
    const job = this.#job
    this.#job = undefined
    this.#state = 'idle'
    job?.answered(answers)
    this.#next()
  }

  #died(reason: string): void {
    clearTimeout(this.#silence)
    const state = this.#state
    const job = this.#job
    this.#process = undefined
    this.#state = 'none'
    this.#job = undefined
    if (this.#stopping) return
    if (job !== undefined) this.#crashed(job, state, reason)
    else if (state === 'starting' && this.#defined === 0) {
      this.#log.warn({ reason }, 'Elixir could not be started')
      const jobs = this.#waiting.splice(0)
      this.#waitingInputs = 0
      for (const each of jobs) give(each, 'SCRIPT_ENGINE_FAILED', 'Elixir could not be started')
    }
    this.#next()
  }

  #crashed(job: Job, state: string, reason: string): void {
    this.#log.warn({ reason, state }, 'The process of Elixir died and is started again')
    if (state === 'running' && job.inputs.length > 1) {
      // One by one, so that exactly the guilty one is answered with the error; before all others.
      const answers: ElixirAnswer[] = new Array(job.inputs.length)
      let missing = job.inputs.length
      const singles = job.inputs.map((input, index) => ({
        ...job,
        inputs: [input],
        answered: ([answer]: ElixirAnswer[]) => {
          if (answer !== undefined) answers[index] = answer
          missing--
          if (missing === 0) job.answered(answers)
        },
      }))
      this.#waiting.unshift(...singles)
      this.#waitingInputs += singles.length
      return
    }
    const crashes = this.#crashes.get(job.key)
    const untilMs = performance.now() + elixirLimits.quarantineMs
    if (this.#crashes.size > 1_000) this.#crashes.clear()
    this.#crashes.set(job.key, { count: (crashes?.count ?? 0) + 1, untilMs })
    give(job, 'SCRIPT_CRASHED', 'The parser took its process down, most likely by asking for too much memory')
  }

  /** A process that is frozen is as good as dead. */
  #watch(): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => this.#process?.kill('no sign of life'), elixirLimits.silenceMs)
    this.#silence.unref()
  }
}

type Code = Extract<ElixirAnswer, { ok: false }>['error']['code']

/** The same failure for all inputs; for a check one answer says it. */
function failAll(job: Job, { c, e, line }: Failure): ElixirAnswer[] {
  const error = { code: c, message: e, ...(typeof line === 'number' ? { line } : {}) }
  return Array.from({ length: Math.max(1, job.inputs.length) }, () => ({ ok: false, error, durationUs: 0 }))
}

function give(job: Job, code: Code, message: string): void {
  job.answered(failAll(job, { c: code, e: message }))
}

function toAnswer(answer: Extract<Told, { answers: unknown }>['answers'][number]): ElixirAnswer {
  const { us: durationUs, l = [] } = answer
  if ('c' in answer) {
    const line = / \(line (\d+)\)$/.exec(answer.e)?.[1]
    const error = { code: answer.c, message: answer.e, ...(line === undefined ? {} : { line: Number(line) }) }
    return { ok: false, error, durationUs, console: l }
  }
  return { ok: true, value: answer.v, durationUs, console: l }
}
