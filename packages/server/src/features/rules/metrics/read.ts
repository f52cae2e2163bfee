import { performance } from 'node:perf_hooks'
import type { JsonValue } from '@leitstand/contract/common'
import type { Metric, RuleConditions, StateMetric } from '@leitstand/contract/rules'
import type { Executor } from '../../../platform/db/index.ts'
import type { ScriptEngine } from '../../../platform/scripts/types.ts'
import type { SeriesFeature, TimedValue } from '../../series/index.ts'
import { isScript, runScripts, type ScriptQuestion } from '../conditions/script.ts'
import type { StepInput } from '../step.ts'
import type { WindowCache, WindowQuestion } from '../windows/cache.ts'
import { isCurrentMetric, isOwnMetric, isStateMetric, ownValue } from './index.ts'
import { isLong, lookFarBack } from './long.ts'
import type { Related } from './related/index.ts'
import { combineParts, partsOf } from './related/parts.ts'
import { type Lookback, type LookbackAnswer, lookBack, readPlaces, windowValuesMax } from './store.ts'
import type { Place } from './types.ts'

/** One evaluation whose inputs are needed. */
export interface InputRequest {
  /**
   * the rule; its id appears in logs and script errors. Scripts of one account may share a sandbox; a rule
   * without an account (a draft) shares it with none.
   */
  rule: {
    id: string
    accountId: number | null
    /** null: of a draft without one */
    twinId: number | null
    metrics: readonly Metric[]
    /** the states of metrics that name them by key, by alias */
    related?: Related
    /** run here if they are a script; absent: they are not evaluated */
    conditions?: RuleConditions
  }
  until: Date
  /** known values, by state */
  values: ReadonlyMap<number, JsonValue>
  /** an event brought these values, in its turn: windows of their states may be answered from memory */
  isInTurn?: boolean
  /** what was read in its turn, by alias; absent: it is read now */
  read?: ReadonlyMap<string, ReadValue>
}

/** The value of a metric before its transformer. */
export type ReadValue = Pick<Cell, 'value' | 'error'>

interface Sources {
  db: Executor
  scripts: Pick<ScriptEngine, 'run'>
  series: Pick<SeriesFeature, 'current' | 'summaries'>
  /** absent: everything is read from the history */
  windows?: Pick<WindowCache, 'answer'>
  /** told how long each request took */
  spent?: Spent
}

/** Called with the part that a request had of the time for reading values, or for running scripts, in microseconds. */
export type Spent = (request: number, on: 'reading' | 'scripts', durationUs: number) => void

const notMeasured: Spent = () => undefined

const minuteMs = 60_000
const noValues: ReadonlyMap<number, TimedValue> = new Map()

type InputError = Pick<Extract<StepInput, { kind: 'error' }>, 'code' | 'message'>

/** One metric of one request whose value is being determined. */
export interface Cell<M extends Metric = Metric> {
  request: number
  metric: M
  value: JsonValue
  error: InputError | null
}

type StateCell = Cell<StateMetric>

function isOfState(cell: Cell): cell is StateCell {
  return isStateMetric(cell.metric)
}

/**
 * Values of the metrics of many evaluations, in their order, with few queries for all of them together: the
 * value from the event, else the current value, else a look into the history; then the transformers, grouped
 * by script. A metric with `abortIfNull` and no value aborts its evaluation, a failing script turns it into
 * an error; neither affects the others.
 *
 * A current value is the newest one up to `until`; a window of minutes ends at `until`. A missing value is
 * not passed to the transformer.
 */
export async function readInputs(sources: Sources, requests: readonly InputRequest[]): Promise<StepInput[]> {
  const known = requests.flatMap(({ rule, read }, request) =>
    read === undefined
      ? []
      : rule.metrics.map((metric): Cell => {
          const { value = null, error = null } = read.get(metric.alias) ?? {}
          return { request, metric, value, error }
        }),
  )
  const cells = await readCells(sources, requests)
  return toInputs(sources.scripts, [...known, ...cells], requests, sources.spent)
}

/** The values of metrics before their transformers, without those that were read in their turn. */
export async function readCells(
  { db, series, windows, spent = notMeasured }: Omit<Sources, 'scripts'>,
  requests: readonly InputRequest[],
): Promise<Cell[]> {
  const cells = requests.flatMap(({ rule, read }, request) =>
    read === undefined
      ? rule.metrics.map((metric): Cell => ({ request, metric, value: null, error: null }))
      : [],
  )
  await takeOwn(db, cells, requests)
  const parts = partsOf(cells, requests)
  const ofStates = [...cells.filter(isOfState), ...parts.map(({ cell }) => cell)]
  const open = ofStates.filter((cell) => !takeFromEvent(cell, requests))
  const latest = open.filter(({ metric }) => isCurrentMetric(metric))
  const started = performance.now()
  const now = latest.length > 0 ? await series.current(db, [...new Set(latest.map(idOf))]) : noValues
  const eachUs = ((performance.now() - started) * 1000) / latest.length
  for (const { request } of latest) spent(request, 'reading', eachUs)
  const past = open.filter((cell) => !takeCurrent(cell, requests, now))
  const left = windows === undefined ? past : await takeFromWindows(windows, past, requests, spent)
  await takeFromHistory({ db, series, spent }, left, requests)
  combineParts(parts)
  return cells
}

/** What follows when the values of all metrics are known: transformers, values that are missing, conditions that are scripts. */
export async function toInputs(
  scripts: Pick<ScriptEngine, 'run'>,
  cells: readonly Cell[],
  requests: readonly InputRequest[],
  spent: Spent = notMeasured,
): Promise<StepInput[]> {
  await transform(scripts, cells, requests, spent)
  const byRequest = Map.groupBy(cells, ({ request }) => request)
  const inputs = requests.map((_, index) => toStepInput(byRequest.get(index) ?? []))
  await askScripts(scripts, inputs, requests, spent)
  return inputs
}

/** Runs the conditions that are scripts, where there are values. */
async function askScripts(
  scripts: Pick<ScriptEngine, 'run'>,
  inputs: StepInput[],
  requests: readonly InputRequest[],
  spent: Spent,
): Promise<void> {
  const asked = requests.flatMap(({ rule, until }, index): { index: number; question: ScriptQuestion }[] => {
    const input = inputs[index]
    if (input?.kind !== 'values' || rule.conditions === undefined || !isScript(rule.conditions)) return []
    const { id: ruleId, accountId } = rule
    const { script } = rule.conditions
    return [{ index, question: { ruleId, accountId, script, inputs: input.inputs, at: until } }]
  })
  if (asked.length === 0) return
  const answers = await runScripts(
    scripts,
    asked.map(({ question }) => question),
  )
  for (const [place, { index, question }] of asked.entries()) {
    const answer = answers[place]
    if (answer === undefined) continue
    spent(index, 'scripts', answer.durationUs)
    inputs[index] =
      'met' in answer
        ? { kind: 'values', inputs: question.inputs, scriptMet: answer.met }
        : { kind: 'error', inputs: question.inputs, code: 'SCRIPT_ERROR', message: answer.message }
  }
}

const nowhere: Place = { timeZone: 'UTC', keyValues: {}, latitude: null, longitude: null }

/** The values that are not of a state. */
async function takeOwn(
  db: Executor,
  cells: readonly Cell[],
  requests: readonly InputRequest[],
): Promise<void> {
  const own = cells.filter(({ metric }) => isOwnMetric(metric))
  const twinIds = own.flatMap(({ request }) => requests[request]?.rule.twinId ?? [])
  const places = await readPlaces(db, [...new Set(twinIds)])
  for (const cell of own) {
    const { rule, until } = requests[cell.request] as InputRequest
    if (!isOwnMetric(cell.metric)) continue
    cell.value = ownValue(cell.metric, places.get(rule.twinId ?? 0) ?? nowhere, until)
  }
}

function idOf({ metric }: StateCell): number {
  return metric.stateId
}

function takeFromEvent(cell: StateCell, requests: readonly InputRequest[]): boolean {
  const { values } = requests[cell.request] as InputRequest
  if (!isCurrentMetric(cell.metric) || !values.has(cell.metric.stateId)) return false
  cell.value = values.get(cell.metric.stateId) ?? null
  return true
}

/** Uses the current value unless it is newer than `until`; then the history has to be read. */
function takeCurrent(
  cell: StateCell,
  requests: readonly InputRequest[],
  current: ReadonlyMap<number, TimedValue>,
): boolean {
  if (!isCurrentMetric(cell.metric)) return false
  const known = current.get(cell.metric.stateId)
  if (known === undefined) return true // never had a value
  if (known.time > (requests[cell.request] as InputRequest).until) return false
  cell.value = known.value
  return true
}

/** @returns the cells that the windows in memory cannot answer */
async function takeFromWindows(
  windows: Pick<WindowCache, 'answer'>,
  cells: readonly StateCell[],
  requests: readonly InputRequest[],
  spent: Spent,
): Promise<readonly StateCell[]> {
  const asked = cells.filter(({ request }) => requests[request]?.isInTurn)
  if (asked.length === 0) return cells
  const answers = await windows.answer(
    asked.map(({ request, metric }): WindowQuestion => {
      const { until, values } = requests[request] as InputRequest
      return { ...toLookback(metric, until), isFollowed: values.has(metric.stateId) }
    }),
  )
  const answered = new Set<StateCell>()
  for (const [index, cell] of asked.entries()) {
    const answer = answers[index] ?? null
    if (answer === null) continue
    cell.value = answer.value
    spent(cell.request, 'reading', answer.tookUs ?? 0)
    answered.add(cell)
  }
  return cells.filter((cell) => !answered.has(cell))
}

async function takeFromHistory(
  { db, series, spent }: Pick<Sources, 'db' | 'series'> & { spent: Spent },
  cells: readonly StateCell[],
  requests: readonly InputRequest[],
): Promise<void> {
  // Many rules read the same state for the same event: each query runs once.
  const questions = new Map<string, { lookback: Lookback; cells: StateCell[] }>()
  for (const cell of cells) {
    const lookback = toLookback(cell.metric, (requests[cell.request] as InputRequest).until)
    const key = JSON.stringify(Object.values(lookback))
    const question = questions.get(key) ?? { lookback, cells: [] }
    question.cells.push(cell)
    questions.set(key, question)
  }
  const [long, short] = partition([...questions.values()], ({ lookback }) => isLong(lookback))
  const asked = [...short, ...long]
  const lookbacksOf = (list: typeof asked) => list.map(({ lookback }) => lookback)
  const answers = [
    ...(await lookBack(db, lookbacksOf(short))),
    ...(await lookFarBack(series.summaries, lookbacksOf(long))),
  ]
  for (const [index, question] of asked.entries()) {
    const answer = answers[index] as LookbackAnswer
    for (const cell of question.cells) {
      cell.value = answer.value
      spent(cell.request, 'reading', (answer.tookUs ?? 0) / question.cells.length)
      const fault = faultOf(answer)
      if (fault !== null) cell.error = faultyValue(cell.metric, fault)
    }
  }
}

export function faultyValue({ alias }: Pick<Metric, 'alias'>, fault: string): InputError {
  return { code: 'VALIDATION_ERROR', message: `${alias}: ${fault}` }
}

export const tooManyValues = `more than ${windowValuesMax} values in the window`

function faultOf({ tooMany, tooSlow }: LookbackAnswer): string | null {
  if (tooMany) return tooManyValues
  return tooSlow ? 'the window takes too long to read' : null
}

function partition<T>(list: readonly T[], isFirst: (each: T) => boolean): [T[], T[]] {
  const first: T[] = []
  const second: T[] = []
  for (const each of list) (isFirst(each) ? first : second).push(each)
  return [first, second]
}

function toLookback(metric: StateMetric, until: Date): Lookback {
  const { stateId, operation, lastMinutes, lastValues } = metric
  return {
    stateId,
    operation,
    since: lastMinutes === undefined ? null : new Date(until.getTime() - lastMinutes * minuteMs),
    until,
    lastValues: lastValues ?? null,
  }
}

/** Runs the transformers, all values of one metric of one rule in one call. */
async function transform(
  scripts: Pick<ScriptEngine, 'run'>,
  cells: readonly Cell[],
  requests: readonly InputRequest[],
  spent: Spent,
): Promise<void> {
  const scripted = cells.filter(
    ({ metric, value, error }) => metric.transformer?.trim() && value !== null && error === null,
  )
  const groups = Map.groupBy(scripted, ({ metric }) => metric)
  for (const [metric, group] of groups) {
    const { rule } = requests[(group[0] as Cell).request] as InputRequest
    const results = await scripts.run(
      {
        id: `${rule.id}.${metric.alias}`,
        source: metric.transformer as string,
        kind: 'transformer',
        ...(rule.accountId === null ? {} : { group: `account:${rule.accountId}` }),
      },
      group.map(({ request, value }) => ({
        value,
        meta: { time: (requests[request] as InputRequest).until.toISOString(), alias: metric.alias },
      })),
    )
    for (const [index, cell] of group.entries()) {
      const result = results[index]
      spent(cell.request, 'scripts', result?.durationUs ?? 0)
      if (result?.ok) cell.value = (result.value ?? null) as JsonValue
      else {
        const message = `${metric.alias}: ${result?.error.message ?? 'the script gave no answer'}`
        cell.error = { code: 'SCRIPT_ERROR', message }
      }
    }
  }
}

/** The input of one evaluation, from the values of all its metrics after their transformers. */
export function toStepInput(cells: readonly Cell[]): StepInput {
  const inputs = Object.fromEntries(cells.map(({ metric, value }) => [metric.alias, value]))
  const failed = cells.find(({ error }) => error !== null)
  if (failed?.error) return { kind: 'error', inputs, ...failed.error }
  const missing = cells.find(({ metric, value }) => metric.abortIfNull && value === null)
  if (missing) return { kind: 'aborted', inputs, alias: missing.metric.alias }
  return { kind: 'values', inputs }
}
