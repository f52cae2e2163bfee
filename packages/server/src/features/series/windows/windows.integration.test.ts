import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, FakeClock, startApp, type TestApp } from '../../../../test/kit.ts'
import { createState, createTwin, currentOf, historyOf } from '../../../../test/pipeline.ts'

const clock = new FakeClock('2026-11-25T13:00:00.000Z')
let app: TestApp
let account: { id: number; scopeId: number }
let twin: number
let source: number
beforeAll(async () => {
  app = await startApp({ clock })
  account = await createAccount(app, { name: 'Windows' })
  await sql`update accounts set time_zone = 'Europe/Berlin' where id = ${account.id}`.execute(app.ctx.db)
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(async () => {
  clock.set('2026-11-25T13:00:00.000Z')
  twin = await createTwin(app, { accountId: account.id, scopeId: account.scopeId })
  source = await createState(app, twin, { key: 'source' })
})

type Settings = Omit<Parameters<TestApp['api']['state']['windowValue']>[0], 'stateIds'>

const create = async (key: string, settings: Settings, change: object = {}) =>
  app.api.state.create({
    dtwinId: twin,
    key,
    title: key,
    source: 'timeseries-aggregate',
    sourceSettings: { stateIds: [source], ...settings },
    ...change,
  })
const write = (time: string, value: number) =>
  app.app.series.write([{ stateId: source, value, time: new Date(time) }])
const at = async (time: string) => {
  clock.set(time)
  while ((await app.app.series.wakeDue()) > 0);
  return currentOf(app, twin)
}
const hour = { range: '1h' } as const

describe('a state that looks back on a time series', () => {
  it('has the value of a period back from now, follows its source, and loses values that leave', async () => {
    await write('2026-11-25T12:10:00Z', 5)
    const { id, value } = await create('sum', { operation: 'sum', period: hour })
    expect(value).toBe(5)
    await write('2026-11-25T12:50:00Z', 2)
    await write('2026-11-25T11:50:00Z', 100)
    expect(await currentOf(app, twin)).toMatchObject({ sum: 7 })
    expect(await at('2026-11-25T13:09:00Z')).toMatchObject({ sum: 7 })
    expect(await at('2026-11-25T13:11:00Z')).toMatchObject({ sum: 2 })
    expect(await at('2026-11-25T14:00:00Z')).not.toHaveProperty('sum')
    expect(await historyOf(app, id)).toEqual([
      ['2026-11-25T12:10:00.000Z', 5],
      ['2026-11-25T12:50:00.000Z', 7],
      ['2026-11-25T13:11:00.000Z', 2],
    ])
  })

  it('begins again with each period of the clock, in the time zone of its account', async () => {
    await create('today', { operation: 'sum', period: { range: '24h' }, aligned: true })
    await create('count', { operation: 'count', period: { range: '24h' }, aligned: true })
    // 23:30 of the day before in Berlin, and 00:30.
    await write('2026-11-24T22:30:00Z', 100)
    await write('2026-11-24T23:30:00Z', 3)
    await write('2026-11-25T12:59:00Z', 4)
    expect(await currentOf(app, twin)).toMatchObject({ today: 7, count: 2 })
    expect(await at('2026-11-25T22:59:59Z')).toMatchObject({ today: 7, count: 2 })
    const after = await at('2026-11-25T23:00:01Z')
    expect(after).toMatchObject({ count: 0 })
    expect(after).not.toHaveProperty('today')
  })

  it.each([
    ['avg', 3],
    ['min', 1],
    ['max', 6],
    ['sum', 9],
    ['median', 2],
    ['count', 3],
    ['latest', 2],
    ['periodDifference', -4],
    ['valueDifference', -4],
  ] as const)('%s', async (operation, expected) => {
    for (const [minute, value] of [
      ['11:30', 10],
      ['12:10', 1],
      ['12:20', 6],
      ['12:30', 2],
    ] as const)
      await write(`2026-11-25T${minute}:00Z`, value)
    const { value } = await create('value', { operation, period: hour })
    expect(value).toBe(expected)
    expect(await app.api.state.windowValue({ stateIds: [source], operation, period: hour })).toMatchObject({
      value: expected,
    })
  })

  it('counts a value that is ahead of the clock when its time comes', async () => {
    await create('sum', { operation: 'sum', period: hour })
    await write('2026-11-25T13:00:30Z', 4)
    expect(await currentOf(app, twin)).not.toHaveProperty('sum')
    expect(await at('2026-11-25T13:00:30Z')).toMatchObject({ sum: 4 })
  })

  it('runs its transformer, and repeats no value when it is computed again', async () => {
    const { id } = await create(
      'scaled',
      { operation: 'max', period: hour },
      { transformer: 'return value * 10' },
    )
    await write('2026-11-25T12:50:00Z', 2)
    const before = await historyOf(app, id)
    expect(before).toEqual([['2026-11-25T12:50:00.000Z', 20]])
    await sql`insert into derivations (account_id, since, state_ids)
      values (${account.id}, now(), ${[id]}::int[])`.execute(app.ctx.db)
    await app.app.series.findLeftovers()
    expect(await historyOf(app, id)).toEqual(before)
  })

  it('takes its value from what is computed from it, once it has none', async () => {
    const sum = await create('sum', { operation: 'sum', period: hour })
    await createState(app, twin, { key: 'copy', of: { stateIds: [sum.id], method: 'latest' } })
    await write('2026-11-25T12:50:00Z', 2)
    expect(await currentOf(app, twin)).toMatchObject({ sum: 2, copy: 2 })
    expect(Object.keys(await at('2026-11-25T14:00:00Z'))).toEqual(['source'])
  })

  it('follows a correction of its source', async () => {
    await create('sum', { operation: 'sum', period: hour })
    await write('2026-11-25T12:50:00Z', 2)
    await write('2026-11-25T12:55:00Z', 3)
    const moment = { stateId: source, time: new Date('2026-11-25T12:50:00Z') }
    await app.app.series.corrections.correct([moment.time], async (_tx, apply) => {
      await apply({ set: [{ ...moment, value: 20 }], remove: [] })
    })
    expect(await currentOf(app, twin)).toMatchObject({ sum: 23 })
    await app.app.series.corrections.correct([moment.time], async (_tx, apply) => {
      await apply({ set: [], remove: [moment] })
    })
    expect(await currentOf(app, twin)).toMatchObject({ sum: 3 })
  })

  it('gives the same for a long period from roll-ups as from values', async () => {
    for (let day = 1; day < 25; day++)
      await app.app.series.write(
        Array.from({ length: 24 }, (_, at) => ({
          stateId: source,
          value: day,
          time: new Date(Date.UTC(2026, 10, day, at, 30)),
        })),
      )
    await app.app.series.rollUp()
    const { value } = await create('month', { operation: 'sum', period: { range: '1M' }, aligned: true })
    expect(value).toBe(24 * ((24 * 25) / 2))
  })

  it('waits for roll-ups instead of reading months of values', async () => {
    for (let day = 1; day < 25; day++)
      await app.app.series.write(
        Array.from({ length: 24 }, (_, at) => ({
          stateId: source,
          value: 1,
          time: new Date(Date.UTC(2026, 9, day, at, 30)),
        })),
      )
    const month = { count: 2, unit: 'month' } as const
    const { id, value } = await create('waiting', { operation: 'sum', period: month })
    expect(value).toBe(null)
    expect(await app.api.state.windowValue({ stateIds: [source], operation: 'sum', period: month })).toEqual({
      value: null,
      period: null,
      count: 0,
    })
    await app.app.series.rollUp()
    expect(await at('2026-11-25T13:02:00Z')).toMatchObject({ waiting: 24 * 24 })
    expect(await historyOf(app, id)).toHaveLength(1)
  })

  it.each([
    ['a state', { stateIds: [], operation: 'sum', period: hour }, 'sourceSettings.stateIds'],
    ['an operation', { period: hour }, 'sourceSettings.operation'],
    ['a period', { operation: 'sum' }, 'sourceSettings.period'],
    [
      'a period of two years at most',
      { operation: 'sum', period: { count: 3, unit: 'year' } },
      'sourceSettings.period',
    ],
  ] as const)('needs %s', async (_, settings, field) => {
    const error = await create('refused', settings as Settings).catch((each: unknown) => each)
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', data: { field } })
  })
})
