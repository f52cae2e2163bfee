import type { DiskKind, DiskUsage } from '@leitstand/contract/diskUsage'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, FakeClock, startApp, type TestApp } from '../../../test/kit.ts'
import { createState, createTwin, writeValues } from '../../../test/twins.ts'

const clock = new FakeClock()
let app: TestApp
let city: Awaited<ReturnType<typeof createAccount>>
let town: Awaited<ReturnType<typeof createAccount>>
let busy: number
let calm: number

beforeAll(async () => {
  app = await startApp({ clock })
  city = await createAccount(app, { name: 'City' })
  town = await createAccount(app, { name: 'Town' })
  busy = (await createTwin(app, city, { title: 'Busy' })).id
  calm = (await createTwin(app, town, { title: 'Calm' })).id
  await fill(busy, 300)
  await fill(calm, 100)
})

beforeEach(async () => {
  clock.set('2026-06-15T12:00:00.000Z')
  await sql`delete from disk_measurements`.execute(app.ctx.db)
})

async function fill(twinId: number, values: number): Promise<void> {
  const stateId = await createState(app, twinId, 'level')
  const startMs = Date.parse('2026-06-01T00:00:00Z')
  await writeValues(
    app,
    Array.from({ length: values }, (_, at) => {
      return { stateId, value: at, time: new Date(startMs + at * 60_000).toISOString() }
    }),
  )
}

const measure = async () => (await app.api.diskUsage.measure()).usage
const of = ({ kinds }: DiskUsage, wanted: DiskKind) => kinds.find(({ kind }) => kind === wanted)

describe('what uses the disk', () => {
  it('is not known before it was measured', async () => {
    expect(await app.api.diskUsage.read()).toEqual({ usage: null })
  })

  it('adds up to the size of the database, and names who takes most', async () => {
    const usage = await measure()
    // Others write to the disk meanwhile.
    const { disk: _, ...measured } = usage
    expect((await app.api.diskUsage.read()).usage).toMatchObject(measured)
    const { rows } = await sql<{ bytes: number }>`
      select pg_database_size(current_database())::float8 as bytes`.execute(app.ctx.db)
    const sum = usage.kinds.reduce((all, { bytes }) => all + bytes, 0)
    expect(Math.abs(sum - usage.bytes)).toBeLessThan(1)
    expect(Math.abs((rows[0]?.bytes ?? 0) - usage.bytes)).toBeLessThan(usage.bytes / 10)
    expect(usage.kinds).toEqual(usage.kinds.toSorted((a, b) => b.bytes - a.bytes))
    const values = of(usage, 'values')?.bytes ?? 0
    const [first, second] = usage.twins
    expect([first, second]).toMatchObject([
      { id: busy, title: 'Busy', category: 'digitalTwin', accountName: 'City' },
      { id: calm, title: 'Calm', category: 'digitalTwin', accountName: 'Town' },
    ])
    const valuesOf = (twin = first) => twin?.byKind.values ?? 0
    // Three times as many, besides one current value each.
    expect(valuesOf() / valuesOf(second)).toBeGreaterThan(2)
    expect(valuesOf() + valuesOf(second)).toBeLessThanOrEqual(values)
    const names = usage.accounts.map(({ name }) => name)
    expect(names.indexOf('City')).toBeLessThan(names.indexOf('Town'))
    expect(usage.disk?.freeBytes).toBeGreaterThan(0)
    expect([usage.growthPerDay, usage.fullAt]).toEqual([null, null])
  })

  it('grows, by the oldest measurement of a month, and fills the disk some day', async () => {
    const before = await measure()
    clock.set('2026-06-16T11:59:00.000Z')
    expect(await measure()).toMatchObject({ growthPerDay: null, fullAt: null })
    clock.set('2026-06-17T12:00:00.000Z')
    await sql`update disk_measurements set bytes = 0, kinds = '{}' where measured_at = ${before.measuredAt}`.execute(
      app.ctx.db,
    )
    const usage = await measure()
    const growth = usage.growthPerDay ?? 0
    expect(growth).toBeCloseTo(usage.bytes / 2)
    expect(of(usage, 'values')?.growthPerDay).toBeCloseTo((of(usage, 'values')?.bytes ?? 0) / 2)
    const days = (Date.parse(usage.fullAt ?? '') - clock.now().getTime()) / 86_400_000
    // Others write to the disk of the test meanwhile.
    expect(days / ((usage.disk?.freeBytes ?? 0) / growth)).toBeCloseTo(1, 1)
  })

  it('is measured by the clock, and forgotten after a month', async () => {
    await measure()
    clock.set('2026-07-16T12:00:00.000Z')
    await app.ctx.db.transaction().execute((tx) => app.ctx.jobs.send(tx, 'diskUsage.measure', {}))
    await app.drain()
    const { rows } = await sql<{ at: Date }>`select measured_at as at from disk_measurements`.execute(
      app.ctx.db,
    )
    expect(rows).toEqual([{ at: clock.now() }])
  })

  it('is measured once when several ask at the same time', async () => {
    const [first, second] = await Promise.all([measure(), measure()])
    expect(first.measuredAt).toBe(second.measuredAt)
    clock.set('2026-06-15T12:00:59.000Z')
    expect((await measure()).measuredAt).toBe(first.measuredAt)
    clock.set('2026-06-15T12:01:00.000Z')
    expect((await measure()).measuredAt).toBe('2026-06-15T12:01:00.000Z')
  })

  it('is told of a large table by a part of its pages, too', async () => {
    const stateId = await createState(app, calm, 'many')
    await sql`
      insert into state_values (state_id, time, num)
      select ${stateId}, timestamptz '2026-06-14T00:00Z' - n * interval '1 s', n from generate_series(1, 400000) n`.execute(
      app.ctx.db,
    )
    const usage = await measure()
    expect(usage.twins[0]).toMatchObject({ id: calm })
    const values = of(usage, 'values')?.bytes ?? 0
    // Each of the 400 400 rows is as large as the others.
    expect((usage.twins[0]?.byKind.values ?? 0) / values).toBeGreaterThan(0.9)
  })
})
