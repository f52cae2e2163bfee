import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KilledDatabase } from '../../../../test/killedDatabase.ts'
import { FakeClock, startApp, type TestApp } from '../../../../test/kit.ts'
import { createState, createTwin } from '../../../../test/pipeline.ts'
import { Compactor } from '../../../platform/compaction/compactor.ts'
import { Metrics } from '../../../platform/metrics.ts'
import { valuesOf } from './read.ts'
import { compactableValues } from './store.ts'

const clock = new FakeClock('2026-11-20T12:00:00.000Z')
const firstMs = Date.parse('2026-09-29T00:00:00.000Z')
const hourMs = 3_600_000
let app: TestApp
let database: KilledDatabase
let compactor: Compactor
let stateIds: number[]

beforeAll(async () => {
  app = await startApp({ clock, config: { compactAfterDays: 7 } })
  // The one of the app must not do the work of the one that is interrupted.
  await app.app.series[Symbol.asyncDispose]()
  const twin = await createTwin(app, { accountId: app.rootAccountId, scopeId: app.rootScopeId })
  stateIds = [await createState(app, twin, { key: 'a' }), await createState(app, twin, { key: 'b' })]
  database = new KilledDatabase(app, 'compaction')
  compactor = new Compactor({ ...app.ctx, db: database.db, metrics: new Metrics() }, compactableValues)
})
afterAll(() => database.end())

/** One value an hour, a second later in each round, on some days of two months. */
const valuesOfRound = (round: number) =>
  stateIds.flatMap((stateId) =>
    [0, 1, 3, 4].map((day) => ({
      stateId,
      value: round / 8,
      time: new Date(firstMs + (day * 24 + (round % 24)) * hourMs + round * 1000),
    })),
  )

async function stored(): Promise<string[]> {
  const { rows } = await sql<{ id: number; ms: number; num: number }>`
    select w.id, (extract(epoch from v.time) * 1000)::float8 as ms, v.num
    from unnest(${stateIds}::int[]) as w (id) cross join lateral ${valuesOf({ state: sql`w.id` })} as v
    order by 1, 2`.execute(app.ctx.db)
  return rows.map(({ id, ms, num }) => `${id} ${ms} ${num}`)
}

const inOrder = (values: ReturnType<typeof valuesOfRound>) =>
  values
    .toSorted((a, b) => a.stateId - b.stateId || a.time.getTime() - b.time.getTime())
    .map(({ stateId, time, value }) => `${stateId} ${time.getTime()} ${value}`)

const rowsLeft = async () =>
  (
    await sql<{
      rows: number
    }>`select count(*)::int as rows from state_values where state_id = any(${stateIds}::int[])`.execute(
      app.ctx.db,
    )
  ).rows[0]?.rows

describe('compaction', () => {
  it('that is interrupted between any two statements loses and doubles nothing, and goes on', async () => {
    const written: ReturnType<typeof valuesOfRound> = []
    let kills = 0
    for (let at = 1; ; at++) {
      const values = valuesOfRound(at)
      await app.app.series.write(values)
      written.push(...values)
      database.killAt(at)
      const outcome = await compactor.settle().then(
        () => 'done',
        () => 'interrupted',
      )
      compactor.forgetMonths()
      expect(await stored()).toEqual(inOrder(written))
      if (outcome === 'done') break
      kills++
    }
    database.killAt(Number.POSITIVE_INFINITY)
    expect(kills).toBeGreaterThan(20)
    await compactor.settle()
    expect(await rowsLeft()).toBe(0)
    expect(await stored()).toEqual(inOrder(written))
  }, 300_000)

  it('beside late values and corrections of the same days loses and doubles nothing', async () => {
    const before = await stored()
    const late: ReturnType<typeof valuesOfRound> = []
    let isDone = false
    const compacting = (async () => {
      while (!isDone) await compactor.settle()
    })()
    for (let round = 1000; round < 1060; round++) {
      const values = valuesOfRound(round)
      if (round % 2 === 0) await app.app.series.write(values)
      else
        await app.app.series.corrections.correct(
          values.map(({ time }) => time),
          async (_tx, apply) => apply({ set: values, remove: [] }),
        )
      late.push(...values)
    }
    isDone = true
    await compacting
    await compactor.settle()
    expect(new Set(await stored())).toEqual(new Set([...before, ...inOrder(late)]))
    expect((await stored()).length).toBe(before.length + late.length)
    expect(await rowsLeft()).toBe(0)
  }, 300_000)
})
