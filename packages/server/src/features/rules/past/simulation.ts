import type { JsonValue } from '@leitstand/contract/common'
import type {
  Branch,
  ExecutionTimes,
  Metric,
  RelatedMetric,
  RuleConditions,
  RuleTrigger,
  StateMetric,
} from '@leitstand/contract/rules'
import type { PastCause } from '@leitstand/contract/rules/past'
import type { ScriptEngine } from '../../../platform/scripts/index.ts'
import { isScript } from '../conditions/script.ts'
import { judgeDue } from '../due.ts'
import { isStateMetric, ownValue } from '../metrics/index.ts'
import {
  type Cell,
  faultyValue,
  type InputRequest,
  toInputs,
  tooManyValues,
  toStepInput,
} from '../metrics/read.ts'
import { combineValues } from '../metrics/related/combine.ts'
import { isRelated, type Related } from '../metrics/related/index.ts'
import { partMetrics } from '../metrics/related/parts.ts'
import type { LookbackAnswer } from '../metrics/store.ts'
import type { Place } from '../metrics/types.ts'
import { newState, type RuleResult, type RuleState, type StepInput, type StepRule, step } from '../step.ts'
import { changedSeen, type Seen } from '../triggers/changes/changed.ts'
import { followsChangesOnly, waitingOf, wakingRelated, wakingStatesOf } from '../triggers/index.ts'
import { History } from './history.ts'
import { lookAt, placesAt, Window } from './windows.ts'

/** The part of a rule that decides when it fires. */
export interface PastRule {
  title: string
  triggers: readonly RuleTrigger[]
  metrics: readonly Metric[]
  conditions: RuleConditions
  executionTimes: ExecutionTimes | null
  throttleHours: number
}

/** The values that were stored for one time, by state. */
export interface Moment {
  timeMs: number
  values: ReadonlyMap<number, JsonValue>
}

/** One evaluation in the past. */
export interface PastStep {
  timeMs: number
  result: RuleResult
  cause: PastCause
  inputs: StepInput['inputs']
  branch: Branch | null
  error: string | null
}

interface Wake {
  timeMs: number
  cause: PastCause
}

/** A trigger that waits for the clock; of a silence, `reported` is the time of the value after which it was reported. */
interface Due {
  trigger: RuleTrigger
  index: number
  dueMs: number
  silence: { stateId: number; ms: number } | null
  reported: Date | null
}

interface Options {
  /** the values of the states its metrics read; the caller adds them */
  histories: ReadonlyMap<number, History>
  /** the states of metrics over children, by alias; absent: there are none */
  related?: Related
  /** the twin now */
  place: Place
  scripts: Pick<ScriptEngine, 'run'>
  fromMs: number
  /** gets each evaluation, in the order of their times */
  record: (step: PastStep) => void
}

/** Evaluations whose scripts run together. */
const wakesAtOnce = 100
/** Work between two breaks. */
const breakAfterMs = 8

/** Lets others work. */
type Turn = () => Promise<unknown>

/** A metric with those of its states: itself, or for children one for each. */
function statesOfMetric(metric: Metric, related: Related): StateMetric[] {
  if (isStateMetric(metric)) return [metric]
  return isRelated(metric) ? partMetrics(metric, related.get(metric.alias) ?? []) : []
}

/** The metrics of single states that metrics consist of. */
export function stateMetricsOf(metrics: readonly Metric[], related: Related): StateMetric[] {
  return metrics.flatMap((metric) => statesOfMetric(metric, related))
}

const noChildren: Related = new Map()

/** A state without any value. */
const nothing = new History()

/**
 * Runs one rule over the past, with the functions that decide for a rule that runs: what wakes it, what its metrics are, what
 * its conditions and its throttle do. It begins as a rule does that is stored at the first moment. Several calls of `run`
 * in a row are one run. Nothing is sent or stored.
 *
 * Scripts answer many evaluations at once. An evaluation that only waits for time to pass (`for`) depends on those before it; if
 * it needs a script, its answer is guessed to be that of the one before, all that were needed are asked for together, and
 * the stretch is done again with their answers until nothing was guessed.
 */
export class Simulation {
  readonly #rule: StepRule
  readonly #options: Options
  readonly #waking: readonly number[]
  readonly #changesOnly: boolean
  readonly #hasScripts: boolean
  /** of metrics over children */
  readonly #parts: ReadonlyMap<Metric, readonly StateMetric[]>
  readonly #windows: ReadonlyMap<StateMetric, Window>
  readonly #byState: ReadonlyMap<number, readonly StateMetric[]>
  readonly #request: InputRequest['rule']
  readonly #dues: Due[]
  #seen: Seen | null = null
  #brokeMs = 0
  #state: RuleState = newState

  constructor(rule: PastRule, options: Options) {
    const { metrics, triggers, conditions } = rule
    const { place, histories, fromMs, related = noChildren } = options
    this.#rule = {
      ...rule,
      twinTitle: '',
      timeZone: place.timeZone,
      decimals: new Map(),
      actions: [],
    }
    this.#options = options
    this.#waking = [...new Set([...wakingStatesOf(rule), ...wakingRelated({ ...rule, related })])]
    this.#changesOnly = followsChangesOnly(rule)
    this.#hasScripts = isScript(conditions) || metrics.some(({ transformer }) => transformer?.trim())
    this.#parts = new Map(
      metrics.filter(isRelated).map((metric) => [metric, statesOfMetric(metric, related)]),
    )
    this.#windows = new Map(
      [...metrics.filter(isStateMetric), ...[...this.#parts.values()].flat()].map((metric) => [
        metric,
        new Window(metric, histories.get(metric.stateId) ?? nothing),
      ]),
    )
    this.#byState = Map.groupBy(this.#windows.keys(), ({ stateId }) => stateId)
    this.#request = { id: 'rule:past', accountId: null, twinId: null, metrics, conditions }
    this.#dues = waitingOf(rule, new Date(fromMs), place.timeZone).map((waiting): Due => {
      const { trigger: index } = waiting
      const trigger = triggers[index] as RuleTrigger
      return 'dueAt' in waiting
        ? { trigger, index, dueMs: waiting.dueAt.getTime(), silence: null, reported: null }
        : { trigger, index, dueMs: fromMs + waiting.silence.ms, silence: waiting.silence, reported: null }
    })
  }

  /**
   * Evaluates everything before a time.
   * @param moments with values, in order, since the end of the last call; their values are in the histories, and none
   * that are newer than `endMs`
   * @param turn called between pieces of work, to let others work
   */
  async run(moments: readonly Moment[], endMs: number, turn: Turn): Promise<void> {
    const wakes = this.#wakes(moments, endMs)
    let next = wakes.next()
    do {
      const piece: { wake: Wake; cells: Cell[] }[] = []
      while (next.done !== true && piece.length < wakesAtOnce) {
        const wake = next.value
        piece.push({ wake, cells: this.#cellsOf(wake.timeMs, piece.length) })
        await this.#breathe(turn)
        next = wakes.next()
      }
      await this.#evaluate(piece, next.done === true ? endMs : next.value.timeMs, turn)
    } while (next.done !== true)
    this.fill(endMs)
  }

  /** Moves the windows on to a time, without evaluating anything. */
  fill(endMs: number): void {
    for (const window of this.#windows.values()) window.moveTo(endMs - 1)
  }

  /** Where the values of a state begin that are still needed at a time; null: it reads no such state. */
  neededSince(stateId: number, timeMs: number): number | null {
    const history = this.#options.histories.get(stateId) ?? nothing
    const lows = (this.#byState.get(stateId) ?? []).flatMap((metric) => {
      return metric.stateId === stateId ? [placesAt(metric, history, timeMs).low] : []
    })
    return lows.length === 0 ? null : Math.min(...lows)
  }

  /** What wakes the rule before a time, in order: values before the clock. */
  *#wakes(moments: readonly Moment[], endMs: number): Generator<Wake> {
    for (const { timeMs, values } of moments) {
      yield* this.#clock(timeMs)
      if (!this.#waking.some((id) => values.has(id))) continue
      if (this.#changesOnly) {
        const changed = changedSeen(this.#seen, values, this.#waking)
        if (changed === null) continue
        this.#seen = changed
      }
      yield { timeMs, cause: { kind: 'values' } }
    }
    yield* this.#clock(endMs)
  }

  /** What the clock wakes before a time. */
  *#clock(endMs: number): Generator<Wake> {
    for (;;) {
      const due = this.#dues.reduce<Due | null>(
        (first, each) => (first === null || each.dueMs < first.dueMs ? each : first),
        null,
      )
      if (due === null || due.dueMs >= endMs) return
      const { dueMs } = due
      if (this.#judge(due)) {
        const { trigger } = due
        const cause: PastCause =
          trigger.kind === 'silence' ? { kind: 'silence', metric: trigger.metric } : { kind: 'time' }
        yield { timeMs: dueMs, cause }
      }
    }
  }

  /** @returns whether it wakes the rule; moves it to its next time */
  #judge(due: Due): boolean {
    const { trigger, index, dueMs, silence, reported } = due
    const newest = silence === null ? null : this.#newestTime(silence.stateId, dueMs)
    const row = {
      ruleId: 0,
      twinId: 0,
      accountId: 0,
      trigger: index,
      stateId: silence?.stateId ?? null,
      silenceMs: silence?.ms ?? null,
      newest,
      reported,
    }
    const { wakes, next } = judgeDue(row, trigger, this.#rule.timeZone, new Date(dueMs))
    due.dueMs = next.dueAt?.getTime() ?? Number.POSITIVE_INFINITY
    due.reported = next.reported
    return wakes
  }

  #newestTime(stateId: number, timeMs: number): Date | null {
    const history = this.#options.histories.get(stateId) ?? nothing
    const end = history.after(timeMs)
    return end === history.first ? null : new Date(history.timeAt(end - 1))
  }

  /** The metrics at the time of a wake; the times of calls ascend. */
  #cellsOf(timeMs: number, request: number): Cell[] {
    for (const window of this.#windows.values()) window.moveTo(timeMs)
    return this.#cells(timeMs, request, (metric) => (this.#windows.get(metric) as Window).answer())
  }

  /** The metrics at a time between wakes. */
  #cellsBetween(timeMs: number, request: number): Cell[] {
    const { histories } = this.#options
    return this.#cells(timeMs, request, (metric) =>
      lookAt(metric, histories.get(metric.stateId) ?? nothing, timeMs),
    )
  }

  #cells(timeMs: number, request: number, read: (metric: StateMetric) => LookbackAnswer): Cell[] {
    const at = new Date(timeMs)
    return this.#rule.metrics.map((metric): Cell => {
      if (isRelated(metric)) return this.#combined(metric, request, read)
      if (!isStateMetric(metric))
        return { request, metric, value: ownValue(metric, this.#options.place, at), error: null }
      const { value, tooMany } = read(metric)
      return { request, metric, value, error: tooMany ? faultyValue(metric, tooManyValues) : null }
    })
  }

  /** A metric over children: the value of each, and of all of them together. */
  #combined(metric: RelatedMetric, request: number, read: (part: StateMetric) => LookbackAnswer): Cell {
    const answers = (this.#parts.get(metric) ?? []).map(read)
    if (answers.some(({ tooMany }) => tooMany))
      return { request, metric, value: null, error: faultyValue(metric, tooManyValues) }
    const values = answers.map(({ value }) => value)
    return { request, metric, value: combineValues(values, metric.across ?? 'avg'), error: null }
  }

  #requestAt(timeMs: number): InputRequest {
    return { rule: this.#request, until: new Date(timeMs), values: new Map() }
  }

  async #ask(times: readonly number[], cells: readonly Cell[]): Promise<StepInput[]> {
    return toInputs(
      this.#options.scripts,
      cells,
      times.map((ms) => this.#requestAt(ms)),
    )
  }

  /** Lets others work, if it is time to. */
  async #breathe(turn: Turn): Promise<void> {
    if (performance.now() - this.#brokeMs < breakAfterMs) return
    await turn()
    this.#brokeMs = performance.now()
  }

  async #evaluate(piece: readonly { wake: Wake; cells: Cell[] }[], endMs: number, turn: Turn): Promise<void> {
    const wakes = piece.map(({ wake }) => wake)
    const inputs = this.#hasScripts
      ? await this.#ask(
          wakes.map(({ timeMs }) => timeMs),
          piece.flatMap(({ cells }) => cells),
        )
      : piece.map(({ cells }) => toStepInput(cells))
    const known = new Map<number, StepInput>()
    for (;;) {
      const { steps, state, guessed } = await this.#stepThrough(wakes, inputs, { known, endMs, turn })
      if (guessed.length === 0) {
        this.#state = state
        for (const each of steps) this.#options.record(each)
        return
      }
      const answers = await this.#ask(
        guessed,
        guessed.flatMap((ms, index) => this.#cellsBetween(ms, index)),
      )
      for (const [index, ms] of guessed.entries()) known.set(ms, answers[index] as StepInput)
    }
  }

  /** Evaluates wakes, and between them what waits for time to pass. */
  async #stepThrough(
    wakes: readonly Wake[],
    inputs: readonly StepInput[],
    { known, endMs, turn }: { known: ReadonlyMap<number, StepInput>; endMs: number; turn: Turn },
  ): Promise<{ steps: PastStep[]; state: RuleState; guessed: number[] }> {
    const steps: PastStep[] = []
    const guessed: number[] = []
    let state = this.#state
    let last: StepInput = { kind: 'aborted', inputs: {}, alias: '' }
    const take = (timeMs: number, cause: PastCause, input: StepInput): void => {
      const recheck = cause.kind === 'conditions'
      const {
        result,
        branch,
        error,
        state: after,
      } = step(this.#rule, state, input, { at: new Date(timeMs), recheck })
      steps.push({ timeMs, result, cause, inputs: input.inputs, branch, error })
      state = after
      last = input
    }
    const takeDue = async (untilMs: number, isIncluded: boolean): Promise<void> => {
      for (;;) {
        await this.#breathe(turn)
        const dueMs = state.dueAt?.getTime() ?? Number.POSITIVE_INFINITY
        if (dueMs > untilMs || (dueMs === untilMs && !isIncluded)) return
        state = { ...state, dueAt: null }
        let input = known.get(dueMs)
        if (input === undefined && this.#hasScripts) {
          guessed.push(dueMs)
          input = last
        }
        take(dueMs, { kind: 'conditions' }, input ?? toStepInput(this.#cellsBetween(dueMs, 0)))
      }
    }
    for (const [index, wake] of wakes.entries()) {
      await takeDue(wake.timeMs, wake.cause.kind !== 'values')
      take(wake.timeMs, wake.cause, inputs[index] as StepInput)
    }
    await takeDue(endMs, false)
    return { steps, state, guessed }
  }
}

/** What of a rule cannot be run again: what it refers to has no history. */
export function notReplayed({ triggers, metrics }: Pick<PastRule, 'triggers' | 'metrics'>) {
  return {
    triggers: [...new Set(triggers.map(({ kind }) => kind))].filter((kind) => !replayed.has(kind)),
    metrics: metrics.filter(({ operation }) => present.has(operation)).map(({ alias }) => alias),
    tree: metrics
      .filter(isRelated)
      .filter(({ of }) => of !== 'own')
      .map(({ alias }) => alias),
  }
}

const replayed: ReadonlySet<string> = new Set(['values', 'changes', 'silence', 'daily', 'interval', 'cron'])
/** Their value now is used. */
const present: ReadonlySet<string> = new Set(['property', 'position'])
