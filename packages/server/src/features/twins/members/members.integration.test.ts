import type { StateQuery } from '@leitstand/contract/states'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createRole,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { createConnector, createDevice, createDriver, createState } from '../../../../test/pipeline.ts'

const clock = new FakeClock()
let app: TestApp
let account: { id: number; scopeId: number }
let api: Api
let building: number
beforeAll(async () => {
  app = await startApp({ clock })
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(async () => {
  clock.set('2026-06-15T12:00:00.000Z')
  account = await createAccount(app)
  const user = await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])
  api = user.api
  building = await twin('Building')
})

const twin = async (title: string, change: object = {}) =>
  (await api.digitaltwin.create({ title, accountId: account.id, ...change })).id
const room = (title: string, change: object = {}) =>
  twin(title, { parentId: building, type: 'room', ...change })
const level = async (dtwinId: number, value?: number) => {
  const { id } = await api.state.create({ dtwinId, key: 'level', title: 'Level', source: 'none' })
  if (value !== undefined) await api.state.setValue({ id, value })
  return id
}
const aggregate = (
  query: Omit<StateQuery, 'key'> = {},
  { key = 'sum', ...change }: { key?: string; [setting: string]: unknown } = {},
) =>
  api.state.create({
    dtwinId: building,
    key,
    title: 'Sum',
    source: 'aggregate',
    sourceSettings: { query: { key: 'level', ...query }, method: 'sum', ...change },
  })
const follow = async (id: number) => {
  await app.ctx.configChanges.settle()
  await app.app.twins.refreshMembers()
  await app.app.series.settle()
  return (await api.state.get({ id })).value
}
const edit = async (id: number, change: object) => {
  const found = await api.digitaltwin.get({ id })
  await api.digitaltwin.update({ ...found, ...change, id })
}

describe('the members of an aggregate by query', () => {
  test('come and go with what it finds', async () => {
    const [one, two] = [await room('One', { tags: ['warm'] }), await room('Two', { tags: ['warm'] })]
    await level(one, 1)
    const second = await level(two, 2)
    await level(await room('Cold'), 100)
    await level(await twin('Elsewhere', { tags: ['warm'] }), 1000)
    const { id, value } = await aggregate({ twinId: building, tags: ['warm'], types: ['room'] })
    expect(value).toBe(3)
    clock.advance(1000)
    await api.state.setValue({ id: second, value: 20 })
    expect(await follow(id)).toBe(21)
    const three = await room('Three', { tags: ['warm'] })
    await level(three, 300)
    expect(await follow(id)).toBe(321)
    await edit(three, { tags: [] })
    expect(await follow(id)).toBe(21)
    await edit(three, { tags: ['warm'] })
    expect(await follow(id)).toBe(321)
    await api.state.delete({ id: second })
    expect(await follow(id)).toBe(301)
    await edit(three, { parentId: await twin('Other building') })
    expect(await follow(id)).toBe(1)
    await api.digitaltwin.delete({ id: one })
    expect(await follow(id)).toBe(null)
  })

  test('are those of devices with a driver', async () => {
    const connector = await createConnector(app, account.id, account.scopeId)
    const driverId = await createDriver(app, 'return {}')
    const first = await createDevice(app, connector, 'first', driverId)
    const second = await createDevice(app, connector, 'second')
    for (const [index, device] of [first, second].entries()) {
      const id = await createState(app, device, { key: 'level' })
      await app.app.series.write([{ stateId: id, value: index + 1, time: clock.now() }])
    }
    await level(await room('Room'), 10)
    const { id, value } = await api.state.create({
      dtwinId: building,
      key: 'driven',
      title: 'Driven',
      source: 'virtual-device-aggregate',
      sourceSettings: { query: { key: 'level', driverIds: [driverId] }, method: 'sum' },
    })
    expect(value).toBe(1)
    await sql`update virtual_devices set driver_id = ${driverId} where twin_id = ${second}`.execute(
      app.ctx.db,
    )
    expect(await follow(id)).toBe(3)
    const byTemplate = {
      dtwinId: building,
      query: { key: 'level', templateIds: [1] },
      method: 'sum' as const,
    }
    expect(await api.state.aggregateMembers(byTemplate)).toMatchObject({ total: 0 })
  })

  test('are previewed by page, with the value', async () => {
    for (const [index, title] of ['A', 'B', 'C'].entries()) await level(await room(title), index + 1)
    await level(await room('D'))
    const found = await api.state.aggregateMembers({
      dtwinId: building,
      query: { key: 'level', twinId: building },
      method: 'avg',
      offset: 1,
      limit: 2,
    })
    expect(found).toMatchObject({ value: 2, total: 4, valued: 3, stale: 0, looping: 0 })
    expect(found.items.map(({ twinTitle, value }) => [twinTitle, value])).toEqual([
      ['B', 2],
      ['C', 3],
    ])
  })

  test.each([
    ['avg', 2],
    ['min', 1],
    ['max', 3],
    ['sum', 6],
    ['median', 2],
    ['count', 3],
    ['latest', 3],
  ] as const)('%s: the preview has the value of the state', async (method, expected) => {
    for (const [index, title] of ['A', 'B', 'C'].entries()) {
      clock.advance(1000)
      await level(await room(title), index + 1)
    }
    const { id } = await aggregate({}, { method })
    expect(await follow(id)).toBe(expected)
    const preview = await api.state.aggregateMembers({ dtwinId: building, query: { key: 'level' }, method })
    expect(preview.value).toBe(expected)
  })

  test('are never those of another account', async () => {
    const other = await createAccount(app)
    const foreign = await app.api.digitaltwin.create({ title: 'Foreign', accountId: other.id })
    const { id: stateId } = await app.api.state.create({
      dtwinId: foreign.id,
      key: 'level',
      title: 'Level',
      source: 'none',
    })
    await app.api.state.setValue({ id: stateId, value: 500 })
    await level(await room('Own'), 1)
    expect((await aggregate()).value).toBe(1)
    expect(await errorOf(aggregate({ twinId: foreign.id }, { key: 'foreign' }))).toMatchObject({
      code: 'DTWIN_NOT_FOUND',
    })
    // Nor by one who sees both accounts.
    const seen = await app.api.state.aggregateMembers({
      dtwinId: building,
      query: { key: 'level' },
      method: 'sum',
    })
    expect(seen).toMatchObject({ value: 1, total: 1 })
    expect(
      await errorOf(
        app.api.state.aggregateMembers({
          dtwinId: building,
          query: { key: 'level', twinId: foreign.id },
          method: 'sum',
        }),
      ),
    ).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
  })

  test('are only those that its editor may see, also later', async () => {
    const secret = await room('Secret')
    await level(secret, 50)
    await level(await room('Open'), 1)
    const { scopeId } = await api.digitaltwin.createScope({ id: secret })
    const blind = await createRole(app, [
      { subject: 'DigitalTwin', actions: ['read', 'write', 'manage'], inverted: true },
      { subject: 'DigitalTwinStates', actions: ['read'], inverted: true },
    ])
    const editor = await createUser(app, account, [
      { roleId: await roleNamed(app, 'Operator') },
      { roleId: blind, scopeId },
    ])
    const { id, value } = await editor.api.state.create({
      dtwinId: building,
      key: 'blind',
      title: 'Blind',
      source: 'aggregate',
      sourceSettings: { query: { key: 'level' }, method: 'sum' },
    })
    expect(value).toBe(1)
    await level(await twin('Below the secret', { parentId: secret }), 7)
    await level(await room('Another'), 2)
    expect(await follow(id)).toBe(3)
    // Saved by one who sees it, it counts.
    const state = await api.state.get({ id })
    await api.state.update({ ...state, title: 'Seen' })
    expect(await follow(id)).toBe(60)
  })
})

describe('a member without a new value', () => {
  const stale = (counts: 'dropped' | 'unknown') => ({ stale: { afterSeconds: 600, counts } })
  const later = async (id: number, ms: number) => {
    clock.advance(ms)
    while ((await app.app.series.wakeDue()) > 0);
    return follow(id)
  }

  test('counts however old it is, unless something else is set', async () => {
    await level(await room('A'), 1)
    const { id } = await aggregate()
    expect(await later(id, 86_400_000)).toBe(1)
  })

  test('is dropped after a time, and counts again with a new one', async () => {
    const first = await level(await room('A'), 1)
    clock.advance(300_000)
    const second = await level(await room('B'), 2)
    const { id } = await aggregate({}, stale('dropped'))
    expect(await follow(id)).toBe(3)
    expect(await later(id, 320_000)).toBe(2)
    await api.state.setValue({ id: first, value: 10 })
    expect(await follow(id)).toBe(12)
    expect(await later(id, 320_000)).toBe(10)
    expect(await later(id, 620_000)).toBe(null)
    await api.state.setValue({ id: second, value: 4 })
    expect(await follow(id)).toBe(4)
  })

  test('makes the result unknown until all have one', async () => {
    const first = await level(await room('A'), 1)
    const second = await level(await room('B'))
    const { id, value } = await aggregate({}, stale('unknown'))
    expect(value).toBe(null)
    await api.state.setValue({ id: second, value: 2 })
    expect(await follow(id)).toBe(3)
    expect(await later(id, 620_000)).toBe(null)
    await api.state.setValue({ id: first, value: 5 })
    expect(await follow(id)).toBe(null)
    await api.state.setValue({ id: second, value: 6 })
    expect(await follow(id)).toBe(11)
  })
})

describe('a loop', () => {
  const change = (
    { id, version, title }: { id: number; version: number; title: string },
    sourceSettings: { stateIds: number[] } | { query: StateQuery; method: 'sum' },
  ) => api.state.update({ id, version, title, source: 'aggregate', sourceSettings })

  test('is refused when a member is computed from the aggregate', async () => {
    await level(await room('A'), 1)
    const { id } = await aggregate()
    await api.state.create({
      dtwinId: building,
      key: 'twice',
      title: 'Twice',
      source: 'aggregate',
      sourceSettings: { stateIds: [id], method: 'latest' },
    })
    const state = await api.state.get({ id })
    const query = { key: 'twice', twinId: building }
    const settings = { query, method: 'sum' as const }
    expect(await errorOf(change(state, settings))).toMatchObject({ code: 'AGGREGATE_LOOP' })
    const preview = { dtwinId: building, stateId: id, query, method: 'sum' as const }
    expect(await api.state.aggregateMembers(preview)).toMatchObject({ total: 0, looping: 1 })
  })

  test('is not closed by a state that comes later', async () => {
    await level(await room('A'), 1)
    const { id } = await aggregate()
    await api.state.create({
      dtwinId: await room('B'),
      key: 'level',
      title: 'Computed',
      source: 'aggregate',
      sourceSettings: { stateIds: [id], method: 'latest' },
    })
    expect(await follow(id)).toBe(1)
  })

  test('is refused over a rule that sets a member', async () => {
    const member = await level(await room('A'), 1)
    const { id } = await aggregate()
    const feedsBack = {
      dtwinId: building,
      title: 'Feeds back',
      metrics: [{ alias: 'x', stateId: id }],
      conditions: { op: 'gt' as const, left: { metric: 'x' }, right: { value: 1 } },
      actions: [{ kind: 'set-state' as const, stateId: member, value: { metric: 'x' } }],
    }
    expect(await errorOf(api.ddr.create(feedsBack))).not.toBe(undefined)
    // The other way round: the rule is there, and the query would find what it sets.
    const free = await api.state.create({ dtwinId: building, key: 'free', title: 'Free', source: 'none' })
    const sum = await api.state.get({ id })
    const listed = await change(sum, { stateIds: [free.id] })
    await api.ddr.create(feedsBack)
    const settings = { query: { key: 'level' }, method: 'sum' as const }
    expect(await errorOf(change(listed, settings))).toMatchObject({ code: 'AGGREGATE_LOOP' })
  })
})

test('an aggregate by query is dropped with its state, and other settings have no members', async () => {
  await level(await room('A'), 1)
  const { id } = await aggregate()
  const rows = async () =>
    (await sql`select from state_members where state_id = ${id}`.execute(app.ctx.db)).rows.length
  expect(await rows()).toBe(1)
  await api.state.update({ id, version: 1, title: 'Sum', source: 'none' })
  expect(await rows()).toBe(0)
})
