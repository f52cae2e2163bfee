import type { ValueType } from '@leitstand/contract/states'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { FakeClock, startApp, type TestApp } from '../../../../test/kit.ts'
import { createState, createTwin } from '../../../../test/pipeline.ts'
import { compareWithValues, wrongRollups } from '../../../../test/rollups.ts'
import { orderedValuesOf, valuesOf } from './read.ts'

const clock = new FakeClock('2026-11-20T12:00:00.000Z')
let app: TestApp
let twin: number

beforeAll(async () => {
  app = await startApp({ clock, config: { compactAfterDays: 7 } })
  twin = await createTwin(app, { accountId: app.rootAccountId, scopeId: app.rootScopeId })
})

let states = 0
const newState = (valueType: ValueType = 'number') =>
  createState(app, twin, { key: `state_${++states}`, valueType })

/** Rows left and rows of compacted days of a state. */
async function shapeOf(stateId: number): Promise<{ values: number; days: number }> {
  const { rows } = await sql<{ values: number; days: number }>`
    select (select count(*) from state_values where state_id = ${stateId})::int as values,
      (select count(*) from value_days where state_id = ${stateId})::int as days`.execute(app.ctx.db)
  return rows[0] as { values: number; days: number }
}

/** Everything stored of a state, bit by bit. */
async function bitsOf(stateId: number): Promise<unknown[]> {
  const { rows } = await sql`
    select time::text, encode(float8send(num), 'hex') as bits, txt, bool, json::text
    from ${valuesOf({ state: sql`${stateId}` })} as v order by v.time`.execute(app.ctx.db)
  return rows
}

const at = (iso: string) => new Date(iso)

describe('compacted days', () => {
  it('keep every value bit by bit', async () => {
    const state = await newState()
    const numbers = [
      '0',
      '-0',
      'NaN',
      'Infinity',
      '-Infinity',
      '1e308',
      '5e-324',
      '0.1',
      '21.37',
      '-32768',
      '32767',
    ]
    const more = [
      '2147483647',
      '-2147483648',
      '2147.483647',
      '0.30000000000000004',
      '123456789.123',
      '1e-7',
      '4294967296',
    ]
    await app.app.series.prepareMonths('state_values', [at('2026-10-01T00:00:00Z')])
    const insert = (day: number, micros: number, number: string | null, rest = sql`null, null, null`) =>
      sql`
      insert into state_values (state_id, time, num, txt, bool, json) values (${state},
        ${at('2026-10-01T00:00:00Z')}::timestamptz + ${day} * interval '1 day' + ${micros} * interval '1 us',
        ${number}::float8, ${rest})`.execute(app.ctx.db)
    // Alone on a day, together on one, even and uneven, to the millisecond and finer.
    for (const [place, number] of [...numbers, ...more].entries()) {
      await insert(place, 7, number)
      await insert(25, place * 1_000_000, number)
      await insert(26, place * place * 1000, number)
      await insert(27, place * place + 1, number)
    }
    for (const [place, number] of ['0', '0.5', '327.67', '-12', '3276.7'].entries()) {
      await insert(20, place * 1000, number)
      await insert(21, 86_399_999_000 - place * 7_000, number)
    }
    await insert(22, 1, null)
    await insert(22, 2, null)
    await insert(23, 1, null, sql`'', null, null`)
    await insert(23, 2, null, sql`${'a {"b",NULL} \\ 🌡️\n'.repeat(50)}, null, null`)
    await insert(23, 3, null, sql`null, false, null`)
    await insert(23, 4, '1.5')
    await insert(23, 9, null, sql`null, null, 'null'::jsonb`)
    await insert(23, 10, null, sql`null, null, '{"a": [1, 1e400]}'::jsonb`)
    await insert(23, 11, null)
    const before = await bitsOf(state)
    await app.app.series.compact()
    expect(await bitsOf(state)).toEqual(before)
    expect((await shapeOf(state)).values).toBe(0)
    await app.ctx.db.deleteFrom('value_days').where('state_id', '=', state).execute()
  })

  it('are several rows where one has too many values or too long texts', async () => {
    const [numbers, texts] = [await newState(), await newState('text')]
    await sql`
      insert into state_values (state_id, time, num)
      select ${numbers}, ${at('2026-10-01T00:00:00Z')}::timestamptz + n * interval '3 s', n from generate_series(0, 25000) as n`.execute(
      app.ctx.db,
    )
    await sql`
      insert into state_values (state_id, time, txt)
      select ${texts}, ${at('2026-10-01T00:00:00Z')}::timestamptz + n * interval '3 s', repeat(md5(n::text), 1000)
      from generate_series(0, 100) as n`.execute(app.ctx.db)
    const before = await bitsOf(texts)
    await app.app.series.compact()
    expect(await shapeOf(numbers)).toEqual({ values: 0, days: 13 })
    expect(await shapeOf(texts)).toEqual({ values: 0, days: 4 })
    expect(await bitsOf(texts)).toEqual(before)
    const { rows } = await sql<{
      num: number
    }>`select num from ${orderedValuesOf({ state: sql`${numbers}` }, 'desc', 15_002)} as v`.execute(
      app.ctx.db,
    )
    expect([rows[0]?.num, rows[5_001]?.num, rows.at(-1)?.num]).toEqual([25_000, 19_999, 9_999])
  })

  it('give the space of a month back that has no values any more', async () => {
    await app.app.series.compact()
    const { rows } = await sql<{ bytes: number }>`
      select pg_total_relation_size('state_values_2026_10')::float8 as bytes`.execute(app.ctx.db)
    expect(rows[0]?.bytes).toBeLessThanOrEqual(65_536)
  })

  it('are not the last seven, and are found by readers', async () => {
    const state = await newState()
    const start = at('2026-11-10T00:00:00Z').getTime()
    const values = Array.from({ length: 2_000 }, (_, n) => ({
      stateId: state,
      value: n / 4,
      time: new Date(start + n * 420_000),
    }))
    await app.app.series.write(values)
    const read = async () => ({
      rows: await app.app.series.valuesAfter({
        stateIds: [state],
        start: at('2026-11-09T00:00:00Z'),
        end: clock.now(),
        limit: 5_000,
      }),
      recent: await app.app.series.recent(app.ctx.db, state, { lastValues: 1_800, until: clock.now() }),
      last: await app.app.series.lastBefore([state], start + 100_000_000),
      plain: await app.app.series.plainValues(
        [state],
        { start: at('2026-11-11T05:00:00Z'), end: at('2026-11-13T17:00:00Z') },
        {
          numbers: true,
          texts: false,
          descending: true,
          perState: 300,
          max: 300,
          timeoutMs: 5_000,
        },
      ),
    })
    const before = await read()
    await app.app.series.compact()
    expect(await shapeOf(state)).toEqual({ values: 2_000 - 618, days: 3 })
    expect(await read()).toEqual(before)
    await app.app.series.rollUp()
    const range = { start: at('2026-11-09T12:00:00Z'), end: at('2026-11-19T12:00:00Z') }
    await compareWithValues(app.ctx.db, [state], range, '5m', 'UTC')
    expect(await wrongRollups(app.ctx.db, [state])).toEqual([])
    // Roll-ups made from compacted days are the same.
    await sql`insert into rollup_rebuilds (month) values ('2026-11-01')`.execute(app.ctx.db)
    await app.app.series.rollUp()
    expect(await wrongRollups(app.ctx.db, [state])).toEqual([])
  })

  it('are read no further than needed', async () => {
    const state = await newState()
    await app.app.series.prepareMonths('state_values', [
      at('2025-01-01T00:00:00Z'),
      at('2025-02-01T00:00:00Z'),
      at('2025-03-01T00:00:00Z'),
    ])
    await sql`
      insert into state_values (state_id, time, num)
      select ${state}, ${at('2025-01-01T00:00:00Z')}::timestamptz + n * interval '1 hour', n from generate_series(0, 2000) as n`.execute(
      app.ctx.db,
    )
    await app.app.series.compact()
    for (const query of [
      orderedValuesOf({ state: sql`${state}` }, 'desc', 1),
      orderedValuesOf({ state: sql`${state}`, before: at('2025-02-15T00:30:00Z') }, 'desc', 2),
      orderedValuesOf({ state: sql`${state}`, after: at('2025-01-15T12:00:00Z') }, 'asc', 1),
      valuesOf({
        state: sql`${state}`,
        since: at('2025-02-15T03:00:00Z'),
        before: at('2025-02-15T04:00:00Z'),
      }),
    ]) {
      const { rows } = await sql<{
        'QUERY PLAN': string
      }>`explain (analyze, costs off, timing off, summary off) select * from ${query} as v`.execute(
        app.ctx.db,
      )
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      const unpacked = [...plan.matchAll(/Function Scan.*rows=([\d.]+) loops=(\d+)/g)].map(
        ([, n, loops]) => Number(n) * Number(loops),
      )
      expect(
        unpacked.reduce((sum, n) => sum + n, 0),
        plan,
      ).toBeLessThanOrEqual(48)
    }
  })
})
