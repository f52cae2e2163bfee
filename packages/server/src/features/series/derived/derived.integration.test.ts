import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, FakeClock, startApp, type TestApp } from '../../../../test/kit.ts'
import { createState, createTwin, currentOf, historyOf } from '../../../../test/pipeline.ts'

const clock = new FakeClock('2026-10-27T12:00:00.000Z')
let app: TestApp
beforeAll(async () => {
  app = await startApp({ clock })
})
afterAll(() => app[Symbol.asyncDispose]())

const minutes = (n: number) => new Date(Date.UTC(2026, 9, 27, 10, n))
const write = (stateId: number, minute: number, value: number | string | boolean) =>
  app.app.series.write([{ stateId, value, time: minutes(minute) }])
const own = () => createTwin(app, { accountId: app.rootAccountId, scopeId: app.rootScopeId })

async function notedRows(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from derivations`.execute(
    app.ctx.db,
  )
  return rows[0]?.count ?? 0
}

describe('states computed from others', () => {
  it.each([
    ['latest', 6],
    ['count', 3],
    ['sum', 12],
    ['avg', 4],
    ['min', 2],
    ['max', 6],
    ['median', 4],
  ] as const)('%s: follows its sources after the commit', async (method, expected) => {
    const twin = await own()
    const stateIds = [
      await createState(app, twin, { key: 'a' }),
      await createState(app, twin, { key: 'b' }),
      await createState(app, twin, { key: 'c' }),
    ]
    await createState(app, twin, { key: 'all', of: { stateIds, method } })
    for (const [index, stateId] of stateIds.entries()) await write(stateId, index, 9)
    expect(await currentOf(app, twin)).toMatchObject({
      all: method === 'count' ? 3 : method === 'sum' ? 27 : 9,
    })
    for (const [index, stateId] of stateIds.entries()) await write(stateId, 10 + index, 2 * (index + 1))
    // Late: counts in the history of its source alone.
    await write(stateIds[0] as number, 5, 1000)
    expect(await currentOf(app, twin)).toMatchObject({ all: expected })
    expect(await notedRows()).toBe(0)
  })

  it('follow each other over several steps, and take along what only takes over', async () => {
    const twin = await own()
    const stateIds = [await createState(app, twin, { key: 'a' }), await createState(app, twin, { key: 'b' })]
    const sum = await createState(app, twin, { key: 'sum', of: { stateIds, method: 'sum' } })
    const copy = await createState(app, twin, { key: 'copy', of: { stateIds: [sum], method: 'latest' } })
    await createState(app, twin, {
      key: 'double',
      transformer: 'return value * 2',
      of: { stateIds: [copy], method: 'latest' },
    })
    await write(stateIds[0] as number, 0, 1)
    await write(stateIds[1] as number, 1, 2)
    expect(await currentOf(app, twin)).toMatchObject({ sum: 3, copy: 3, double: 6 })
  })

  it('have each value once when the same is noted again', async () => {
    const twin = await own()
    const source = await createState(app, twin, { key: 'source' })
    const scaled = await createState(app, twin, {
      key: 'scaled',
      transformer: 'return value * 10',
      of: { stateIds: [source], method: 'latest' },
    })
    const stateIds = [source, await createState(app, twin, { key: 'other' })]
    const sum = await createState(app, twin, { key: 'sum', of: { stateIds, method: 'sum' } })
    for (const minute of [0, 1, 2]) await write(source, minute, minute)
    const before = [await historyOf(app, scaled), await historyOf(app, sum)]
    const news: number[] = []
    app.app.series.onStored((values) => news.push(...values.map(({ stateId }) => stateId)))
    await sql`
      insert into derivations (account_id, since, state_ids)
      values (${app.rootAccountId}, ${minutes(0)}, ${[scaled, sum]}::int[])`.execute(app.ctx.db)
    await app.app.series.findLeftovers()
    expect([await historyOf(app, scaled), await historyOf(app, sum)]).toEqual(before)
    expect(news).toEqual([])
    expect(await notedRows()).toBe(0)
  })

  it('catch up with what a crash left behind, late values too', async () => {
    const twin = await own()
    const source = await createState(app, twin, { key: 'source' })
    const scaled = await createState(app, twin, {
      key: 'scaled',
      transformer: 'return value * 10',
      of: { stateIds: [source], method: 'latest' },
    })
    const stateIds = [source, await createState(app, twin, { key: 'other' })]
    await createState(app, twin, { key: 'sum', of: { stateIds, method: 'sum' } })
    await write(source, 5, 1)
    expect(await currentOf(app, twin)).toMatchObject({ scaled: 10, sum: 1 })
    // As after a crash: stored and noted, and nothing of it in the memory of this process.
    await sql`
      with stored as (
        insert into state_values (state_id, time, num)
        values (${source}, ${minutes(4)}, 4), (${source}, ${minutes(8)}, 8)),
      moved as (update state_current set time = ${minutes(8)}, num = 8 where state_id = ${source})
      insert into derivations (account_id, since, state_ids)
      select ${app.rootAccountId}, ${minutes(4)}, array_agg(id) from states
      where twin_id = ${twin} and key in ('scaled', 'sum')`.execute(app.ctx.db)
    await app.app.series.findLeftovers()
    expect(await currentOf(app, twin)).toMatchObject({ scaled: 80, sum: 8 })
    expect((await historyOf(app, scaled)).map(([, value]) => value)).toEqual([40, 10, 80])
    expect(await notedRows()).toBe(0)
  })

  it('of an account whose transformer loops are computed late, those of others at once', async () => {
    const account = await createAccount(app)
    const slow = await createTwin(app, { accountId: account.id, scopeId: account.scopeId })
    const quick = await own()
    const [slowSource, quickSource] = [
      await createState(app, slow, { key: 'source' }),
      await createState(app, quick, { key: 'source' }),
    ]
    const looping = await createState(app, slow, {
      key: 'looping',
      transformer: 'for (;;);',
      of: { stateIds: [slowSource], method: 'latest' },
    })
    const scaled = await createState(app, quick, {
      key: 'scaled',
      transformer: 'return value * 10',
      of: { stateIds: [quickSource], method: 'latest' },
    })
    for (let minute = 0; minute < 20; minute++) await write(slowSource, minute, minute)
    const isThere = new Promise<void>((resolve) =>
      app.app.series.onStored((values) => {
        if (values.some(({ stateId }) => stateId === scaled)) resolve()
      }),
    )
    await write(quickSource, 1, 4)
    await isThere
    expect(await notedRows()).toBeGreaterThan(0)
    expect(await historyOf(app, looping)).toEqual([])
    expect(await currentOf(app, quick)).toMatchObject({ scaled: 40 })
  }, 300_000)
})
