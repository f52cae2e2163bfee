import { Metric } from '@leitstand/contract/rules'
import fc from 'fast-check'
import { type KyselyPlugin, sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, startApp, type TestApp } from '../../../../test/kit.ts'
import { minute, ruleKit } from '../../../../test/rules.ts'
import { createState, createTwin, writeValues } from '../../../../test/twins.ts'
import { lookBack } from '../metrics/store.ts'
import { WindowCache } from './cache.ts'

let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
let kit: ReturnType<typeof ruleKit>
/** queries of a window cache of its own */
let queries = 0
const counting: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  async transformResult({ result }) {
    queries++
    return result
  },
}

beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app, { name: 'City' })
  kit = ruleKit(app, account)
})
beforeEach(() => {
  queries = 0
})

const operations = ['avg', 'min', 'max', 'sum', 'median', 'count', 'difference'] as const
const widths = [
  { lastMinutes: 15 },
  { lastMinutes: 180 },
  { lastValues: 5 },
  { lastValues: 20, lastMinutes: 30 },
]

/** A rule that looks back in every way and never fires. */
async function watchfulRule(valueType: 'number' | 'boolean' | 'text' = 'number') {
  const twin = await createTwin(app, account)
  const stateId = await createState(app, twin.id, 'level', { valueType })
  const metrics = operations.flatMap((operation) =>
    widths.map((width, n) =>
      Metric.parse({ alias: `${operation}${n}`, stateId, operation, ...width, abortIfNull: false }),
    ),
  )
  const rule = await app.api.ddr.create({
    dtwinId: twin.id,
    title: 'Watchful',
    metrics,
    conditions: { op: 'eq', left: { metric: 'avg0' }, right: { value: 'never' } },
    actions: [{ kind: 'alarm', severity: 'warning', message: '{{avg0}}' }],
  })
  return { twin, stateId, rule, metrics }
}

type Watched = Awaited<ReturnType<typeof watchfulRule>>

/** Expects that the last evaluation saw what the history says. */
async function expectHistory({ rule, stateId, metrics }: Watched): Promise<void> {
  const { items } = await app.api.ddr.executionHistory({ id: rule.id })
  // Windows end when the values were stored.
  const until = new Date(items[0]?.at ?? '')
  const answers = await lookBack(
    app.ctx.db,
    metrics.map(({ operation, lastMinutes, lastValues }) => ({
      stateId,
      operation: operation as (typeof operations)[number],
      since: lastMinutes === undefined ? null : new Date(until.getTime() - lastMinutes * 60_000),
      until,
      lastValues: lastValues ?? null,
    })),
  )
  const expected = Object.fromEntries(metrics.map(({ alias }, n) => [alias, answers[n]?.value]))
  for (const [alias, value] of Object.entries(items[0]?.inputs ?? {})) {
    if (typeof value === 'number') expect(value, alias).toBeCloseTo(expected[alias] as number, 9)
    else expect(value, alias).toEqual(expected[alias])
  }
  expect(items).toHaveLength(1)
}

describe('windows in memory say what the history says', () => {
  it('whatever comes, in order, late or twice', async () => {
    const watched = await watchfulRule()
    const { stateId } = watched
    const coming = fc.sample(
      fc.record({
        after: fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 1, max: 200 }) }, fc.constant(300)),
        late: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 3_000 })),
        value: fc.integer({ min: -50, max: 50 }),
        again: fc.integer({ min: 0, max: 9 }),
      }),
      36,
    )
    let at = Date.now() - 170 * 60_000
    for (const { after, late, value, again } of coming) {
      at += after * 1_000
      if (late > 0) await writeValues(app, [{ stateId, value, time: new Date(at - late * 1_000) }])
      await kit.set(stateId, value / 2, new Date(at))
      if (again === 0) await kit.set(stateId, value, new Date(at))
      await expectHistory(watched)
    }
    expect(app.app.rules.windows.size.windows).toBeGreaterThan(0)
  })

  it('with several values in one transaction', async () => {
    const watched = await watchfulRule()
    const { stateId } = watched
    await kit.set(stateId, 1, minute(0))
    await writeValues(
      app,
      [5, 2, 3, 9, 7].map((n) => ({ stateId, value: n, time: minute(n) })),
    )
    await app.drain()
    await expectHistory(watched)
  })

  it('of switches, and of texts, which can only be counted', async () => {
    const [switched, worded] = [await watchfulRule('boolean'), await watchfulRule('text')]
    for (const n of [0, 1, 2, 3]) {
      await kit.set(switched.stateId, n % 2 === 0, minute(n))
      await kit.set(worded.stateId, `word ${n}`, minute(n))
    }
    await expectHistory(switched)
    await expectHistory(worded)
  })

  it('after values were corrected and deleted', async () => {
    const watched = await watchfulRule()
    const { stateId: id } = watched
    for (const n of [0, 1, 2, 3]) await kit.set(id, 10 * n, minute(n))
    await app.api.stateValue.correct({
      id,
      time: minute(1).toISOString(),
      value: 500,
      reason: 'Typing error',
    })
    await app.ctx.configChanges.settle()
    await kit.set(id, 40, minute(4))
    await expectHistory(watched)
    await app.api.stateValue.delete({
      id,
      startDate: minute(1).toISOString(),
      endDate: minute(3).toISOString(),
      reason: 'Calibration',
    })
    await app.ctx.configChanges.settle()
    await kit.set(id, 50, minute(5))
    await expectHistory(watched)
  })

  it('after a rule has slept, whose values nobody followed', async () => {
    const watched = await watchfulRule()
    const { stateId, rule } = watched
    await kit.set(stateId, 1, minute(0))
    const asleep = await app.api.ddr.update({ ...rule, active: false })
    await app.ctx.configChanges.settle()
    await kit.set(stateId, 100, minute(1))
    await app.api.ddr.update({ ...rule, version: asleep.version, active: true })
    await app.ctx.configChanges.settle()
    await kit.set(stateId, 3, minute(2))
    await expectHistory(watched)
  })
})

describe('a window', () => {
  const event = (stateId: number, timeMs: number, value: number | string) => ({
    sources: [{ kind: 'unknown' as const }],
    values: [[stateId, 1, 'level', timeMs, value, true, 0]] as never,
  })
  const ask = (stateId: number, operation: 'avg' | 'median', until: Date, minutes = 1_440) => ({
    stateId,
    operation,
    since: new Date(until.getTime() - minutes * 60_000),
    until,
    lastValues: null,
    isFollowed: true,
  })
  const newCache = (options = {}) => {
    const db = app.ctx.db.withPlugin(counting)
    return new WindowCache({ db, series: app.app.series }, options)
  }
  /** A day of minute values. */
  async function longState(): Promise<number> {
    const twin = await createTwin(app, account)
    const stateId = await createState(app, twin.id, 'level')
    await writeValues(
      app,
      Array.from({ length: 1_500 }, (_, n) => ({ stateId, value: n % 7, time: minute(n - 1_500) })),
    )
    return stateId
  }

  it('is read once, and afterwards only where it begins', async () => {
    const stateId = await longState()
    const windows = newCache()
    await windows.answer([ask(stateId, 'avg', minute(-1))])
    expect(queries).toBeGreaterThan(0)
    queries = 0
    for (let n = 0; n < 300; n++) {
      windows.add([event(stateId, minute(n).getTime(), 3)])
      const [answer] = await windows.answer([ask(stateId, 'avg', minute(n))])
      expect(answer?.value).toBeCloseTo(3, 1)
    }
    // An hour of values is read when the window leaves the hour before.
    expect(queries).toBeLessThanOrEqual(6)
  })

  it('makes room for others, the one that was used longest ago first', async () => {
    const states = [await longState(), await longState(), await longState()]
    const windows = newCache({ bytesMax: 12_000 })
    for (const stateId of states) await windows.answer([ask(stateId, 'avg', minute(-1))])
    expect(windows.size.bytes).toBeLessThanOrEqual(12_000)
    expect(windows.size.windows).toBe(2)
    queries = 0
    await windows.answer([ask(states[2] as number, 'avg', minute(-1))])
    expect(queries).toBe(0)
    await windows.answer([ask(states[0] as number, 'avg', minute(-1))])
    expect(queries).toBeGreaterThan(0)
  })

  it('is not kept of a state whose values are not followed, nor of texts', async () => {
    const stateId = await longState()
    const windows = newCache()
    expect(await windows.answer([{ ...ask(stateId, 'avg', minute(-1)), isFollowed: false }])).toEqual([null])
    expect(windows.size.windows).toBe(0)
    await windows.answer([ask(stateId, 'avg', minute(-1))])
    windows.add([event(stateId, minute(0).getTime(), 'broken')])
    expect(windows.size.windows).toBe(0)
  })

  it('of too many values for a median is left to the history', async () => {
    const twin = await createTwin(app, account)
    const stateId = await createState(app, twin.id, 'level')
    const from = minute(0)
    await sql`select ensure_month_partition('state_values', date_trunc('month', ${from}::timestamptz)::date)`.execute(
      app.ctx.db,
    )
    await sql`insert into state_values (state_id, time, num)
      select ${stateId}::int, ${from}::timestamptz + n * interval '100 ms', n from generate_series(1, 10001) as n`.execute(
      app.ctx.db,
    )
    const windows = newCache()
    const question = ask(stateId, 'median', minute(30))
    expect(await windows.answer([question])).toEqual([null])
    queries = 0
    expect(await windows.answer([question])).toEqual([null])
    expect(queries).toBe(0)
  })

  it('that could not be read is tried again', async () => {
    const stateId = await longState()
    let isBroken = true
    const windows = new WindowCache({
      db: app.ctx.db,
      series: {
        summaries: (...args) => {
          if (isBroken) throw new Error('the connection is lost')
          return app.app.series.summaries(...args)
        },
      },
    })
    const question = ask(stateId, 'avg', minute(-1))
    await expect(windows.answer([question])).rejects.toThrow('the connection is lost')
    isBroken = false
    expect((await windows.answer([question]))[0]?.value).toBeCloseTo(3, 1)
  })
})
