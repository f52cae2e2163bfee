import { setImmediate as turn } from 'node:timers/promises'
import type { JsonValue } from '@leitstand/contract/common'
import type { StateMetric } from '@leitstand/contract/rules'
import { type PastResult, type PastRule, pastLimits } from '@leitstand/contract/rules/past'
import type { Context } from '../../../platform/context.ts'
import { apart } from '../../../platform/scripts/index.ts'
import type { Related } from '../metrics/related/index.ts'
import { readPlaces } from '../metrics/store.ts'
import type { Place } from '../metrics/types.ts'
import { History } from './history.ts'
import { Outcome, type Period, ThinChart } from './outcome.ts'
import { resolved } from './resolve.ts'
import { type Moment, type PastStep, Simulation, stateMetricsOf } from './simulation.ts'
import { type Children, haveTexts, type PastValue, readStarts, readValues, type Wanted } from './store.ts'
import { widthOf } from './windows.ts'

export const runLimits = {
  /** values read at once; fewer when they may be texts of any length */
  valuesAtOnce: 5_000,
  textsAtOnce: 200,
  /** times with values that are evaluated at once */
  momentsAtOnce: 250,
  /** values in the windows of a run, together */
  windowsMax: 1_000_000,
  /** working time of a run */
  workMsMax: 600_000,
} as const

type Tools = Pick<Context, 'db' | 'scripts'>

export interface Subject extends Period {
  twinId: number
  rule: PastRule
  /** the stored rule; null: there is none to compare with */
  stored: PastRule | null
  children: Children
}

const nowhere: Place = { timeZone: 'UTC', keyValues: {}, latitude: null, longitude: null }

/**
 * A rule on its way through the past. The history of its states is read in pieces and forgotten where no window needs it any
 * more; a rule that is stored already is run on the same pieces.
 */
export class Run {
  readonly #tools: Tools
  readonly #subject: Subject
  readonly #histories = new Map<number, History>()
  readonly #simulations: Simulation[]
  readonly #draft: Outcome
  readonly #stored: Outcome | null
  readonly #charts: ReadonlyMap<string, ThinChart>
  readonly #wanted: Wanted[]
  readonly #valuesAtOnce: number
  /** everything before is done; before the period, only its windows are filled */
  #atMs: number
  #workedMs = 0
  #stopped: PastResult['stopped'] = null

  private constructor(
    tools: Tools,
    subject: Subject,
    { place, wanted, hasTexts }: { place: Place; wanted: Wanted[]; hasTexts: boolean },
  ) {
    this.#tools = tools
    this.#subject = subject
    this.#wanted = wanted
    this.#valuesAtOnce = hasTexts ? runLimits.textsAtOnce : runLimits.valuesAtOnce
    for (const { stateId } of wanted) this.#histories.set(stateId, new History())
    this.#atMs = Math.min(subject.fromMs, ...wanted.map(({ startMs }) => startMs))
    this.#draft = new Outcome(subject)
    this.#stored = subject.stored === null ? null : new Outcome(subject)
    const aliases = subject.rule.metrics.slice(0, pastLimits.chartsMax).map(({ alias }) => alias)
    this.#charts = new Map(aliases.map((alias) => [alias, new ThinChart(subject)]))
    const simulate = (rule: PastRule, related: Related, record: (step: PastStep) => void) =>
      new Simulation(rule, {
        histories: this.#histories,
        related,
        place,
        scripts: apart(tools.scripts),
        fromMs: subject.fromMs,
        record,
      })
    const { rule, stored, children } = subject
    this.#simulations = [simulate(rule, children.draft, (step) => this.#recordDraft(step))]
    if (stored !== null)
      this.#simulations.push(simulate(stored, children.stored, (step) => this.#stored?.record(step)))
  }

  static async begin(tools: Tools, given: Subject): Promise<Run> {
    const { db } = tools
    const { rule } = await resolved(db, given.twinId, given.rule)
    const stored = given.stored && (await resolved(db, given.twinId, given.stored)).rule
    const subject = { ...given, rule, stored }
    const { children } = given
    const metrics = [
      ...stateMetricsOf(rule.metrics, children.draft),
      ...stateMetricsOf(stored?.metrics ?? [], children.stored),
    ]
    const places = await readPlaces(db, [subject.twinId])
    const stateIds = [...new Set(metrics.map(({ stateId }) => stateId))]
    return new Run(tools, subject, {
      place: places.get(subject.twinId) ?? nowhere,
      wanted: await wantedOf(db, metrics, subject.fromMs),
      hasTexts: await haveTexts(db, stateIds),
    })
  }

  /** How many milliseconds of the period are done. */
  get doneMs(): number {
    return Math.max(0, this.#atMs - this.#subject.fromMs)
  }

  /**
   * Goes on for so long.
   * @returns whether there is more
   */
  async work(forMs: number): Promise<boolean> {
    const startedMs = performance.now()
    let workedMs = 0
    while (workedMs < forMs && !this.#isOver()) {
      await this.#piece()
      workedMs = performance.now() - startedMs
    }
    this.#workedMs += workedMs
    return !this.#isOver()
  }

  result(): Omit<PastResult, 'real'> {
    const { fromMs, toMs } = this.#subject
    return {
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
      stopped: this.#stopped,
      draft: this.#draft.line(),
      stored: this.#stored?.line() ?? null,
      charts: [...this.#charts].flatMap(([alias, chart]) => {
        const points = chart.points()
        return points.length === 0 ? [] : [{ alias, points }]
      }),
    }
  }

  #isOver(): boolean {
    if (this.#stopped !== null || this.#atMs >= this.#subject.toMs) return true
    const weight = [...this.#histories.values()].reduce((sum, history) => sum + history.weight, 0)
    if (weight > runLimits.windowsMax) this.#stop('values')
    else if (this.#workedMs > runLimits.workMsMax) this.#stop('time')
    return this.#stopped !== null
  }

  #stop(reason: 'values' | 'time'): void {
    const atMs = Math.max(this.#atMs, this.#subject.fromMs)
    this.#stopped = { reason, at: new Date(atMs).toISOString() }
  }

  /** Reads the next values and evaluates them. */
  async #piece(): Promise<void> {
    const { fromMs, toMs } = this.#subject
    const endMs = this.#atMs < fromMs ? fromMs : toMs
    const wanted = this.#wanted.map(({ stateId, startMs }) => ({
      stateId,
      startMs: Math.max(startMs, this.#atMs),
    }))
    const read = await readValues(this.#tools.db, wanted, endMs, this.#valuesAtOnce)
    const { untilMs: readUntilMs } = read
    const moments = momentsOf(read.values, readUntilMs)
    for (let first = 0; first === 0 || first < moments.length; first += runLimits.momentsAtOnce) {
      const some = moments.slice(first, first + runLimits.momentsAtOnce)
      const next = moments[first + runLimits.momentsAtOnce]
      await this.#take(some, next?.timeMs ?? readUntilMs)
    }
  }

  async #take(moments: readonly Moment[], endMs: number): Promise<void> {
    for (const { timeMs, values } of moments)
      for (const [stateId, value] of values) this.#histories.get(stateId)?.add(timeMs, value)
    const isBefore = this.#atMs < this.#subject.fromMs
    for (const simulation of this.#simulations) {
      if (isBefore) simulation.fill(endMs)
      else await simulation.run(moments, endMs, turn)
    }
    await turn()
    this.#atMs = endMs
    this.#forget(endMs)
  }

  #forget(endMs: number): void {
    for (const [stateId, history] of this.#histories) {
      const needed = this.#simulations.flatMap((each) => each.neededSince(stateId, endMs - 1) ?? [])
      // The newest value is needed for silences.
      history.forget(Math.max(history.first, Math.min(...needed, history.end - 1)))
    }
  }

  #recordDraft(step: PastStep): void {
    this.#draft.record(step)
    for (const [alias, chart] of this.#charts) {
      const number = numberOf(step.inputs[alias])
      if (number !== null) chart.add(step.timeMs, number)
    }
  }
}

function numberOf(value: JsonValue | undefined): number | null {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'number' ? value : null
}

/** Values by time, without those at `untilMs`. */
function momentsOf(values: readonly PastValue[], untilMs: number): Moment[] {
  const moments: { timeMs: number; values: Map<number, JsonValue> }[] = []
  for (const { timeMs, stateId, value } of values) {
    if (timeMs >= untilMs) break
    const last = moments.at(-1)
    if (last?.timeMs === timeMs) last.values.set(stateId, value)
    else moments.push({ timeMs, values: new Map([[stateId, value]]) })
  }
  return moments
}

/** From when on the history of each state is needed, so that every window is full at the beginning. */
async function wantedOf(
  db: Context['db'],
  metrics: readonly StateMetric[],
  fromMs: number,
): Promise<Wanted[]> {
  const byState = [...Map.groupBy(metrics, ({ stateId }) => stateId)].map(([stateId, all]) => {
    const widths = all.map(widthOf)
    const finite = (numbers: number[]) => Math.max(1, ...numbers.filter(Number.isFinite))
    const minutes = finite(widths.map(({ lastMinutes }) => lastMinutes))
    return {
      stateId,
      count: finite(widths.map(({ lastValues }) => lastValues)),
      sinceMs: fromMs - minutes * 60_000,
    }
  })
  const starts = await readStarts(db, byState, fromMs)
  return byState.map(({ stateId, sinceMs }) => ({
    stateId,
    startMs: Math.min(sinceMs, starts.get(stateId) ?? fromMs),
  }))
}
