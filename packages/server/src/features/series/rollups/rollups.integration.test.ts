import type { JsonValue } from '@leitstand/contract/common'
import { type AggregationDuration, aggregationDurations } from '@leitstand/contract/series'
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { FakeClock, startApp, type TestApp } from '../../../../test/kit.ts'
import { createState, createTwin } from '../../../../test/pipeline.ts'
import { compareWithValues, type SeriesValue, writeValues, wrongRollups } from '../../../../test/rollups.ts'
import { readIntervals } from '../aggregates.store.ts'

const clock = new FakeClock('2026-12-31T00:00:00.000Z')
let app: TestApp
let nextState = 1_000_000

beforeAll(async () => {
  app = await startApp({ clock })
})

const minuteMs = 60_000
const dayMs = 1440 * minuteMs
/** Around these moments clocks change somewhere, or a month begins. */
const moments = [
  '2026-03-29T00:00:00Z',
  '2026-10-25T00:00:00Z',
  '2026-04-04T12:00:00Z',
  '2026-10-03T12:00:00Z',
  '2026-10-31T20:00:00Z',
  '2026-06-15T00:00:00Z',
  // Cairo: at midnight
  '2026-04-23T22:00:00Z',
  '2026-10-29T21:00:00Z',
].map((iso) => Date.parse(iso))
const timeZones = [
  'UTC',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Africa/Cairo',
]

/** Halves, quarters and eighths can be added in any order. */
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -80_000, max: 80_000 }).map((number) => number / 8) },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constantFrom<JsonValue[]>('open', 'closed') },
  { weight: 1, arbitrary: fc.constant<JsonValue>({ a: [1] }) },
)
/** Times that lie alone and times in crowds, some of them twice. */
const offset = fc.oneof(
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 4 * dayMs }) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.integer({ min: 0, max: 95 }), fc.integer({ min: 0, max: 3599 }))
      .map(([hour, second]) => hour * 60 * minuteMs + second * 1000),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.integer({ min: 30, max: 33 }), fc.integer({ min: 0, max: 35 }))
      .map(([hour, step]) => hour * 60 * minuteMs + step * 100_000),
  },
)
const state = fc.integer({ min: 0, max: 1 })
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      values: fc.array(fc.tuple(state, offset, value), { minLength: 1, maxLength: 60 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('delete' as const),
      state,
      from: offset,
      minutes: fc.integer({ min: 1, max: 300 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('roll' as const), at: offset }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rebuild' as const) }) },
)
const query = fc.record({
  from: offset,
  length: fc.oneof(
    fc.integer({ min: 1, max: 4 * dayMs }),
    fc.constantFrom(60 * minuteMs, dayMs, 2 * dayMs, 3 * dayMs),
  ),
  align: fc.constantFrom(1, 5 * minuteMs, 30 * minuteMs, 60 * minuteMs),
  duration: fc.constantFrom(...aggregationDurations),
  timeZone: fc.constantFrom(...timeZones),
})

describe('reading through roll-ups', () => {
  it('answers what the values themselves answer, whatever was rolled up when', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...moments),
        fc.array(step, { minLength: 1, maxLength: 8 }),
        fc.array(query, { minLength: 1, maxLength: 3 }),
        async (moment, steps, queries) => {
          const base = moment - dayMs
          const stateIds = [nextState++, nextState++]
          for (const each of steps) await take(each, base, stateIds)
          for (const each of queries) await compare(each, base, stateIds)
        },
      ),
      { numRuns: 60, verbose: 1 },
    )
  }, 300_000)

  it('makes of random changes what the values say, once everything is due', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...moments),
        fc.array(step, { minLength: 1, maxLength: 10 }),
        async (moment, steps) => {
          const stateIds = [nextState++, nextState++]
          for (const each of steps) await take(each, moment - dayMs, stateIds)
          clock.set('2027-02-01T00:00:00Z')
          await app.app.series.rollUp()
          expect(await wrongRollups(app.ctx.db, stateIds)).toEqual([])
        },
      ),
      { numRuns: 40, verbose: 1 },
    )
  }, 300_000)

  it('has no sum where numbers are too large to be added, and goes on', async () => {
    const stateId = nextState++
    const at = (minute: number) => new Date(Date.UTC(2026, 5, 1, 0, minute))
    await writeValues(
      app,
      [1e308, 1.5e308, -1e308].map((number, index) => ({ stateId, value: number, time: at(index) })),
    )
    await writeValues(app, [{ stateId, value: 4, time: at(70) }])
    const range = { start: at(0), end: at(24 * 60) }
    const ask = async (duration: AggregationDuration) =>
      readIntervals(app.ctx.db, [stateId], range, {
        method: 'sum',
        duration,
        timeZone: 'UTC',
        extremes: true,
        latest: false,
      })
    const before = [await ask('1h'), await ask('1d')]
    clock.set('2027-02-01T00:00:00Z')
    await app.app.series.rollUp()
    expect([await ask('1h'), await ask('1d')]).toEqual(before)
    expect(before[0]?.map(({ value: sum, max }) => [sum, max])).toEqual([
      [null, 1.5e308],
      [4, 4],
    ])
  })

  it('rolls up what is stored: by hand, late, computed and replaced', async () => {
    clock.set('2026-07-03T12:00:00Z')
    const twin = await createTwin(app, { accountId: app.rootAccountId, scopeId: app.rootScopeId })
    const sources = [await createState(app, twin, { key: 'a' }), await createState(app, twin, { key: 'b' })]
    const sum = await createState(app, twin, { key: 'sum', of: { stateIds: sources, method: 'sum' } })
    const rollUp = async () => {
      await app.app.series.settle()
      await app.app.series.rollUp()
    }
    const at = (minute: number) => new Date(Date.UTC(2026, 6, 1, 0, minute))
    for (const [minute, value] of [
      [600, 1],
      [1500, 3],
      [30, 7],
    ] as const) {
      await app.app.series.write(sources.map((stateId) => ({ stateId, value, time: at(minute) })))
      // Values that arrive while others are being computed are computed together.
      await app.app.series.settle()
    }
    await rollUp()
    // The sum has a value of this moment already: it is replaced.
    await app.app.series.write([{ stateId: sources[0] as number, value: 5, time: at(1600) }])
    await rollUp()
    await app.app.series.write([{ stateId: sources[1] as number, value: 5, time: at(1600) }])
    await rollUp()
    expect(await wrongRollups(app.ctx.db, [...sources, sum])).toEqual([])
    const { rows } = await sql`
      select sum(total)::int as total, max(max) as max from state_rollups_1d where state_id = any(${[...sources, sum]}::int[])
      group by state_id order by state_id`.execute(app.ctx.db)
    expect(rows).toEqual([
      { total: 4, max: 7 },
      { total: 4, max: 7 },
      { total: 3, max: 10 },
    ])
    const metrics = await (await fetch(`${app.url}/metrics`)).text()
    expect(metrics).toMatch(/leitstand_rollup_behind_seconds [\d.]+\n/)
    expect(metrics).toMatch(/leitstand_rollups_total\{kind="1d"\} \d+\n/)
  })

  it('answers the same when more is not up to date than can be looked at', async () => {
    const stateId = nextState++
    const day = Date.UTC(2026, 6, 20)
    const values = Array.from({ length: 100 }, (_, n) => ({
      stateId,
      value: n / 8,
      time: new Date(day + n * 3_600_000),
    }))
    await writeValues(app, values)
    clock.set('2027-02-01T00:00:00Z')
    await app.app.series.rollUp()
    clock.set('2026-07-19T00:00:00Z')
    await sql`
      insert into rollup_pending (level, start, state_id)
      select 0, t, ${stateId} from generate_series(
        ${new Date(day)}::timestamptz, ${new Date(day)}::timestamptz + interval '80 days', interval '5 minutes') as t`.execute(
      app.ctx.db,
    )
    const range = { start: new Date(day), end: new Date(day + 100 * dayMs) }
    await compareWithValues(app.ctx.db, [stateId], range, '1d', 'Europe/Berlin')
    await sql`delete from rollup_pending where state_id = ${stateId}`.execute(app.ctx.db)
  })

  it('rolls up what was there before, asked month by month', async () => {
    const stateId = nextState++
    const values = Array.from({ length: 3000 }, (_, index) => ({
      stateId,
      value: index / 8,
      time: new Date(Date.UTC(2026, 1, 27) + index * 2 * minuteMs),
    }))
    await writeValues(app, values, { noted: false })
    for (const month of ['2026-02-01', '2026-03-01'])
      await sql`insert into rollup_rebuilds (month) values (${month}::date)`.execute(app.ctx.db)
    await app.app.series.rollUp()
    expect(await wrongRollups(app.ctx.db, [stateId])).toEqual([])
    const { rows } = await sql<{ total: number }>`
      select sum(total)::int as total from state_rollups_1d where state_id = ${stateId}`.execute(app.ctx.db)
    expect(rows).toEqual([{ total: 3000 }])
  })
})

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type Query = typeof query extends fc.Arbitrary<infer T> ? T : never

async function take(each: Step, base: number, stateIds: readonly number[]): Promise<void> {
  switch (each.kind) {
    case 'write': {
      const values = each.values.map(([index, ms, given]): SeriesValue => {
        return { stateId: stateIds[index] as number, value: given, time: new Date(base + ms) }
      })
      return writeValues(app, values)
    }
    case 'delete': {
      const stateId = stateIds[each.state] as number
      const from = new Date(base + each.from)
      const to = new Date(base + each.from + each.minutes * minuteMs)
      return app.ctx.db.transaction().execute(async (tx) => {
        const { rows } = await sql<{ time: Date }>`
          delete from state_values where state_id = ${stateId} and time >= ${from} and time < ${to}
          returning time`.execute(tx)
        await app.app.series.noteChanges(
          tx,
          rows.map(({ time }) => ({ stateId, time })),
        )
      })
    }
    case 'roll':
      clock.set(new Date(base + each.at))
      return app.app.series.rollUp()
    case 'rebuild':
      await sql`insert into rollup_rebuilds (month)
        values (date_trunc('month', ${new Date(base)}::timestamptz)::date) on conflict do nothing`.execute(
        app.ctx.db,
      )
  }
}

async function compare(each: Query, base: number, stateIds: readonly number[]): Promise<void> {
  const startMs = Math.floor((base + each.from) / each.align) * each.align
  const range = { start: new Date(startMs), end: new Date(startMs + each.length) }
  await compareWithValues(app.ctx.db, stateIds, range, each.duration, each.timeZone)
}
