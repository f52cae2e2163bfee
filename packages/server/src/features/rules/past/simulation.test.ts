import type { Condition, ExecutionTimes, Metric, RuleTrigger } from '@leitstand/contract/rules'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { describe, expect, it } from 'vitest'
import { newState, type StepInput, step } from '../step.ts'
import { History } from './history.ts'
import { Outcome, ThinChart } from './outcome.ts'
import { type Moment, notReplayed, type PastRule, type PastStep, Simulation } from './simulation.ts'

const minuteMs = 60_000
const timeZone = 'Europe/Berlin'
const place = { timeZone, keyValues: { limit: '30' }, latitude: 52, longitude: 13 }
const scripts = {
  run: () => Promise.reject(new Error('these rules have no scripts')),
}
const turn = () => Promise.resolve()

type Values = readonly (readonly [stateId: number, minute: number, value: number | null])[]

function momentsOf(values: Values, fromMs: number): Moment[] {
  const byMinute = Map.groupBy(values, ([, minute]) => minute)
  return [...byMinute.keys()]
    .sort((a, b) => a - b)
    .map((minute) => ({
      timeMs: fromMs + minute * minuteMs,
      values: new Map(byMinute.get(minute)?.map(([stateId, , value]) => [stateId, value])),
    }))
}

/** Runs a rule on values in pieces of so many moments; values before minute 0 only fill its windows. */
async function simulate(
  rule: PastRule,
  values: Values,
  { fromMs, minutes, piece = 3 }: { fromMs: number; minutes: number; piece?: number },
): Promise<PastStep[]> {
  const histories = new Map([1, 2].map((id) => [id, new History()]))
  const steps: PastStep[] = []
  const record = (each: PastStep) => steps.push(each)
  const simulation = new Simulation(rule, { histories, place, scripts, fromMs, record })
  const all = momentsOf(values, fromMs)
  const add = (moments: readonly Moment[]) => {
    for (const { timeMs, values: stored } of moments)
      for (const [id, value] of stored) histories.get(id)?.add(timeMs, value)
  }
  add(all.filter(({ timeMs }) => timeMs < fromMs))
  simulation.fill(fromMs)
  const later = all.filter(({ timeMs }) => timeMs >= fromMs)
  for (let first = 0; first === 0 || first < later.length; first += piece) {
    const some = later.slice(first, first + piece)
    add(some)
    const endMs = later[first + piece]?.timeMs ?? fromMs + minutes * minuteMs
    await simulation.run(some, endMs, turn)
    for (const [id, history] of histories) {
      const needed = simulation.neededSince(id, endMs - 1) ?? Number.POSITIVE_INFINITY
      history.forget(Math.max(history.first, Math.min(needed, history.end - 1)))
    }
  }
  return steps
}

/** The same, minute by minute, from the descriptions of triggers and metrics. */
function slowly(
  rule: PastRule,
  values: Values,
  { fromMs, minutes }: { fromMs: number; minutes: number },
): PastStep[] {
  const steps: PastStep[] = []
  let state = newState
  const seen = new Map<number, number | null>()
  const upTo = (id: number, minute: number) =>
    values.filter(([stateId, at]) => stateId === id && at <= minute).sort((a, b) => a[1] - b[1])
  const metricAt = (metric: Metric, minute: number): number | null => {
    if (!('stateId' in metric)) {
      const local = DateTime.fromMillis(fromMs + minute * minuteMs, { zone: timeZone })
      return local.hour
    }
    const { lastMinutes, lastValues, operation } = metric
    const recent = upTo(metric.stateId, minute)
      .filter(([, at]) => lastMinutes === undefined || at > minute - lastMinutes)
      .slice(lastValues === undefined ? 0 : -lastValues)
      .flatMap(([, , value]) => (value === null ? [] : [value]))
    if (operation === 'count') return recent.length
    if (operation === 'max') return recent.length === 0 ? null : Math.max(...recent)
    if (operation === 'avg')
      return recent.length === 0 ? null : recent.reduce((a, b) => a + b, 0) / recent.length
    return recent.at(-1) ?? null
  }
  const inputAt = (minute: number): StepInput => {
    const inputs = Object.fromEntries(rule.metrics.map((metric) => [metric.alias, metricAt(metric, minute)]))
    const missing = rule.metrics.find(({ alias, abortIfNull }) => abortIfNull && inputs[alias] === null)
    return missing === undefined
      ? { kind: 'values', inputs }
      : { kind: 'aborted', inputs, alias: missing.alias }
  }
  const take = (minute: number, cause: PastStep['cause']) => {
    const input = inputAt(minute)
    const timeMs = fromMs + minute * minuteMs
    const whole = { ...rule, twinTitle: '', timeZone, decimals: new Map(), actions: [] }
    const {
      state: after,
      result,
      branch,
      error,
    } = step(whole, state, input, {
      at: new Date(timeMs),
      recheck: cause.kind === 'conditions',
    })
    state = after
    steps.push({ timeMs, result, cause, inputs: input.inputs, branch, error })
  }
  const kinds = new Set(rule.triggers.map(({ kind }) => kind))
  const stateOf = (alias: string) => {
    const metric = rule.metrics.find((each) => each.alias === alias)
    return metric !== undefined && 'stateId' in metric ? metric.stateId : 0
  }
  const waking = new Set(
    rule.triggers.flatMap((each) =>
      each.kind === 'silence'
        ? [stateOf(each.metric)]
        : each.kind === 'values' || each.kind === 'changes'
          ? rule.metrics.flatMap((metric) => ('stateId' in metric ? [metric.stateId] : []))
          : [],
    ),
  )
  const onlyChanges = kinds.has('changes') && !kinds.has('values')
  for (let minute = 0; minute < minutes; minute++) {
    const now = values.filter(([id, at]) => at === minute && waking.has(id))
    const changed = now.filter(([id, , value]) => !seen.has(id) || seen.get(id) !== value)
    for (const [id, , value] of now) seen.set(id, value)
    if (now.length > 0 && (!onlyChanges || changed.length > 0)) take(minute, { kind: 'values' })
    const timeMs = fromMs + minute * minuteMs
    if (state.dueAt !== null && state.dueAt.getTime() <= timeMs) {
      state = { ...state, dueAt: null }
      take(minute, { kind: 'conditions' })
    }
    for (const trigger of rule.triggers) {
      if (minute > 0 && isDue(trigger, minute, fromMs)) take(minute, { kind: 'time' })
      if (trigger.kind !== 'silence') continue
      const newest = upTo(stateOf(trigger.metric), minute).at(-1)?.[1] ?? 0
      if (Math.max(0, newest) + trigger.minutes === minute)
        take(minute, { kind: 'silence', metric: trigger.metric })
    }
  }
  return steps
}

function isDue(trigger: RuleTrigger, minute: number, fromMs: number): boolean {
  const ofAll = fromMs / minuteMs + minute
  if (trigger.kind === 'interval') return ofAll % (trigger.hours * 60) === 0
  if (trigger.kind === 'cron') return ofAll % 60 === 0
  if (trigger.kind !== 'daily' || ofAll % 60 !== trigger.minute) return false
  const local = DateTime.fromMillis(ofAll * minuteMs, { zone: timeZone })
  if (!trigger.days.includes(local.weekday)) return false
  const isShown = local.hour === trigger.hour && local.minute === trigger.minute
  const before = local.minus({ hours: 1 })
  // In autumn an hour is shown twice; the first time counts.
  if (isShown) return !(before.hour === local.hour && before.day === local.day)
  // In spring an hour is left out; then it is an hour later.
  const isLeftOut = local.startOf('day').plus({ hours: trigger.hour }).hour !== trigger.hour
  const wall = { hour: trigger.hour, minute: trigger.minute }
  return (
    isLeftOut &&
    local.startOf('day').set(wall).toMillis() === local.toMillis() &&
    local.hour === trigger.hour + 1
  )
}

const metric = fc.oneof(
  fc.record({ operation: fc.constant('latest'), stateId: fc.constantFrom(1, 2) }),
  fc.record({
    operation: fc.constantFrom('avg', 'max', 'count', 'latest'),
    stateId: fc.constantFrom(1, 2),
    lastMinutes: fc.integer({ min: 1, max: 300 }),
  }),
  fc.record({
    operation: fc.constantFrom('avg', 'max', 'count'),
    stateId: fc.constantFrom(1, 2),
    lastValues: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ operation: fc.constant('clock'), clock: fc.constant('hour') }),
)
const metrics = fc
  .tuple(
    fc.record({ operation: fc.constant('latest'), stateId: fc.constantFrom(1, 2) }),
    fc.array(metric, { maxLength: 2 }),
    fc.boolean(),
  )
  .map(([first, others, abortIfNull]) =>
    [first, ...others].map(
      (each, index) => ({ ...each, alias: `m${index}`, abortIfNull }) as unknown as Metric,
    ),
  )
/** Often such that something ends when something else begins. */
const span = (max: number) =>
  fc.oneof(
    fc.integer({ min: 1, max }),
    fc.integer({ min: 1, max: Math.floor(max / 30) }).map((each) => each * 30),
  )
const trigger: fc.Arbitrary<RuleTrigger> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<RuleTrigger>({ kind: 'values' }) },
  { weight: 1, arbitrary: fc.constant<RuleTrigger>({ kind: 'changes' }) },
  {
    weight: 1,
    arbitrary: span(400).map((minutes): RuleTrigger => ({ kind: 'silence', metric: 'm0', minutes })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
      .map(([hour, minute]): RuleTrigger => ({ kind: 'daily', hour, minute, days: [1, 2, 3, 4, 5, 6, 7] })),
  },
  { weight: 1, arbitrary: fc.constant<RuleTrigger>({ kind: 'interval', hours: 5 }) },
  { weight: 1, arbitrary: fc.constant<RuleTrigger>({ kind: 'cron', expression: '0 * * * *' }) },
)
const compared: fc.Arbitrary<Condition> = fc.oneof(
  fc
    .tuple(fc.constantFrom('gt', 'lt', 'eq'), fc.integer({ min: 0, max: 9 }))
    .map(([op, value]) => ({ op, left: { metric: 'm0' }, right: { value } }) as Condition),
  fc.integer({ min: 4, max: 9 }).map((limit) => ({
    op: 'hysteresis' as const,
    input: { metric: 'm0' },
    direction: 'above' as const,
    limit,
    release: limit - 2,
  })),
)
const condition: fc.Arbitrary<Condition> = fc.oneof(
  compared,
  fc
    .tuple(compared, span(200))
    .map(([each, minutes]): Condition => ({ op: 'for', minutes, condition: each })),
  fc
    .tuple(compared, fc.integer({ min: 1, max: 3 }))
    .map(([each, count]): Condition => ({ op: 'times', count, of: 4, condition: each })),
  fc.tuple(compared, compared).map(
    ([one, other]): Condition => ({
      op: 'and',
      conditions: [one, { op: 'not', condition: { op: 'for', minutes: 45, condition: other } }],
    }),
  ),
)
const times: fc.Arbitrary<ExecutionTimes | null> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<ExecutionTimes>(
      { windows: [{ days: [1, 2, 3, 4, 5, 6, 7], from: '01:30', to: '02:30' }], dates: [], holidays: null },
      { windows: [{ days: [6, 7, 1], from: '20:00', to: '07:00' }], dates: [], holidays: null },
    ),
  },
)
const rule: fc.Arbitrary<PastRule> = fc.record({
  title: fc.constant('Rule'),
  triggers: fc.uniqueArray(trigger, { minLength: 1, maxLength: 3, selector: ({ kind }) => kind }),
  metrics,
  conditions: condition,
  executionTimes: times,
  throttleHours: fc.constantFrom(0, 0, 1, 5.5),
})
const minutes = 2_000
const values: fc.Arbitrary<Values> = fc.uniqueArray(
  fc.tuple(
    fc.constantFrom(1, 2),
    fc.oneof(
      fc.integer({ min: -500, max: minutes - 1 }),
      fc.integer({ min: -10, max: Math.floor(minutes / 30) - 1 }).map((each) => each * 30),
    ),
    fc.integer({ min: 0, max: 9 }),
  ),
  { maxLength: 60, selector: ([id, minute]) => `${id} ${minute}` },
)
/** In the night of the change in spring, in that of autumn, and on another day. */
const starts = ['2026-03-28T18:00:00Z', '2026-10-24T18:00:00Z', '2026-06-10T09:30:00Z'].map(Date.parse)

describe('a rule that is run on the past', () => {
  it('does what it would do minute by minute, also when the clocks change', async () => {
    await fc.assert(
      fc.asyncProperty(
        rule,
        values,
        fc.constantFrom(...starts),
        fc.integer({ min: 1, max: 7 }),
        async (wanted, stored, fromMs, piece) => {
          const period = { fromMs, minutes }
          const actual = await simulate(wanted, stored, { ...period, piece })
          expect(actual).toEqual(slowly(wanted, stored, period))
        },
      ),
      { numRuns: 200 },
    )
  })

  it('says what it cannot run again', () => {
    const alias = (name: string, rest: object) => ({ alias: name, abortIfNull: true, ...rest }) as Metric
    expect(
      notReplayed({
        triggers: [{ kind: 'values' }, { kind: 'manual' }, { kind: 'alarm', on: 'raised', below: false }],
        metrics: [
          alias('a', { operation: 'latest', stateId: 1 }),
          alias('b', { operation: 'property', property: 'x' }),
          alias('c', { operation: 'clock', clock: 'hour' }),
          alias('d', { operation: 'related', of: 'children', stateKey: 'x', over: 'latest', across: 'max' }),
          alias('e', { operation: 'related', of: 'parent', stateKey: 'x', over: 'latest' }),
          alias('f', { operation: 'related', of: 'own', stateKey: 'x', over: 'latest' }),
        ],
      }),
    ).toEqual({ triggers: ['manual', 'alarm'], metrics: ['b'], tree: ['d', 'e'] })
  })
})

describe('what is kept of a run', () => {
  const period = { fromMs: 0, toMs: 240_000 }
  const fired = (timeMs: number, text = ''): PastStep => ({
    timeMs,
    result: 'fired',
    cause: { kind: 'values' },
    inputs: { a: text },
    branch: { op: 'gt', met: true },
    error: null,
  })

  it('counts everything, and has the newest moments', () => {
    const outcome = new Outcome(period)
    for (let n = 0; n < 1_700; n++) outcome.record(fired(n * 100))
    outcome.record({ ...fired(239_999), result: 'throttled' })
    outcome.record({ ...fired(5), result: 'not_met' })
    outcome.record({ ...fired(6), result: 'error', error: 'first' })
    outcome.record({ ...fired(7), result: 'error', error: 'second' })
    const line = outcome.line()
    expect(line.results).toEqual({
      fired: 1_700,
      throttled: 1,
      not_met: 1,
      outside_times: 0,
      aborted: 0,
      error: 2,
    })
    expect(line.moments).toHaveLength(500)
    expect(line.moments[0]?.at).toBe(new Date(1_200 * 100).toISOString())
    expect(line.moments.at(-1)).toMatchObject({
      at: new Date(1_699 * 100).toISOString(),
      cause: { kind: 'values' },
    })
    expect(line.error).toBe('first')
    expect(line.fired).toHaveLength(240)
    expect(line.fired.slice(0, 3)).toEqual([10, 10, 10])
    expect(line.throttled.at(-1)).toBe(1)
  })

  it('leaves out the values of old moments where they would be too large', () => {
    const outcome = new Outcome(period)
    for (let n = 0; n < 20; n++) outcome.record(fired(n, 'x'.repeat(30_000)))
    const { moments } = outcome.line()
    expect(moments).toHaveLength(20)
    expect(moments.map(({ inputs }) => inputs !== null)).toEqual([
      ...Array(16).fill(false),
      ...Array(4).fill(true),
    ])
    expect(moments[0]?.branch).toBeNull()
  })

  it('has the smallest and largest number of each part of its chart', () => {
    const chart = new ThinChart({ fromMs: 0, toMs: 1_000_000 })
    for (const [ms, number] of [
      [0, 5],
      [100, 9],
      [200, 1],
      [300, 4],
      [5_000, 7],
      [999_999, 3],
    ] as const)
      chart.add(ms, number)
    expect(chart.points()).toEqual([
      [100, 9],
      [200, 1],
      [5_000, 7],
      [999_999, 3],
    ])
  })
})
