import { beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createRole, createUser, errorOf, startApp, type TestApp } from '../../../test/kit.ts'
import { createTwin } from '../../../test/twins.ts'
import type { AlarmsFeature } from './index.ts'

let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
let alarms: AlarmsFeature
let hall: { id: number; title: string }
let pump: { id: number; title: string }
let rules: number[]

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 12, minute))

beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app, { name: 'City' })
  alarms = app.app.alarms
  hall = await createTwin(app, account, { title: 'Town hall' })
  pump = await createTwin(app, account, { title: 'Pump 100%', category: 'virtualDevice' })
  rules = []
  for (const title of ['Too warm', 'Silent', 'Wet']) {
    const { id } = await app.ctx.db
      .insertInto('rules')
      .values({
        twin_id: hall.id,
        account_id: account.id,
        title,
        metrics: '[]',
        conditions: '{}',
        actions: '[]',
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    rules.push(id)
  }
  const raise = (index: number, twinId: number, severity: 'warning' | 'error', minute: number) => ({
    ruleId: rules[index] as number,
    twinId,
    severity,
    category: 'unknown' as const,
    message: `Message ${index}`,
    raisedAt: at(minute),
  })
  await alarms.raise(app.ctx.db, [raise(0, hall.id, 'error', 0), raise(1, pump.id, 'warning', 1)])
  await alarms.resolve(app.ctx.db, [{ ruleId: rules[0] as number, at: at(5) }])
  await alarms.raise(app.ctx.db, [raise(2, hall.id, 'error', 2)])
})

describe('the alarm log', () => {
  it.each([
    [{}, [2, 1, 0], 2],
    [{ status: 'resolved' }, [0], 0],
    [{ status: 'unresolved', severity: 'error' }, [2], 1],
    [{ search: 'pump 100%' }, [1], 1],
    [{ search: 'too w' }, [0], 0],
    [{ search: '"Too w"' }, [], 0],
    [{ search: 'message 2' }, [2], 1],
    [{ offset: 1, limit: 1 }, [1], 2],
  ] as const)('filtered by %o', async (filter, expected, unresolved) => {
    const page = await app.api.alarmLogs.list(filter)
    expect(page.items.map(({ message }) => Number(message.slice(-1)))).toEqual(expected)
    expect(page.unresolved).toBe(unresolved)
  })

  it('shows alarms of twins, not of devices, to those who see twins only', async () => {
    const role = await createRole(app, [{ subject: 'DigitalTwin', actions: ['read'] }])
    const { api } = await createUser(app, account, [{ roleId: role }])
    const { items } = await api.alarmLogs.list({})
    expect(items.map(({ originId }) => originId)).toEqual([hall.id, hall.id])
    const elsewhere = await createUser(app, await createAccount(app), [{ roleId: role }])
    expect((await elsewhere.api.alarmLogs.list({})).total).toBe(0)
  })

  it('belongs to those who see the twin', async () => {
    const elsewhere = await createAccount(app)
    const role = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'] }])
    const own = await createUser(app, account, [{ roleId: role }])
    const stranger = await createUser(app, elsewhere, [{ roleId: role }])
    expect((await own.api.alarmLogs.list({})).total).toBe(3)
    expect((await own.api.alarmLogs.list({ accountIds: [elsewhere.id] })).total).toBe(0)
    expect(await stranger.api.alarmLogs.list({ accountIds: [account.id] })).toMatchObject({
      total: 0,
      items: [],
    })
  })
})

describe('open alarms of a twin', () => {
  it('are its own and those of everything below it, for those who see it', async () => {
    const city = await createTwin(app, account, { title: 'Old town' })
    const house = await createTwin(app, account, { title: 'House', parentId: city.id })
    const room = await createTwin(app, account, { title: 'Room', parentId: house.id })
    const { id: ruleId } = await app.ctx.db
      .insertInto('rules')
      .values({
        twin_id: room.id,
        account_id: account.id,
        title: 'Smoke',
        metrics: '[]',
        conditions: '{}',
        actions: '[]',
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const raised = {
      ruleId,
      twinId: room.id,
      severity: 'error',
      category: 'unknown',
      message: 'Smoke',
    } as const
    await alarms.raise(app.ctx.db, [{ ...raised, raisedAt: at(3) }])
    const inside = async (inTwinId: number, api = app.api) =>
      (await api.alarmLogs.list({ inTwinId, status: 'unresolved' })).items.map(({ message }) => message)
    expect(await inside(city.id)).toEqual(['Smoke'])
    expect(await inside(room.id)).toEqual(['Smoke'])
    expect(await inside(hall.id)).toEqual(['Message 2'])
    expect(await inside(999_999)).toEqual([])

    const elsewhere = await createAccount(app)
    const role = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'] }])
    const stranger = await createUser(app, elsewhere, [{ roleId: role }])
    expect(await inside(city.id, stranger.api)).toEqual([])
    const refused = await errorOf(app.api.alarmLogs.list({ inTwinId: city.id }))
    expect(refused).toMatchObject({ data: { issues: [{ path: ['inTwinId'] }] } })
    await alarms.resolve(app.ctx.db, [{ ruleId, at: at(4) }])
    expect(await inside(city.id)).toEqual([])
  })
})

describe('raising and resolving', () => {
  it('changes nothing the second time', async () => {
    const again = {
      twinId: pump.id,
      severity: 'error',
      category: 'unknown',
      message: 'x',
      raisedAt: at(9),
    } as const
    expect(await alarms.raise(app.ctx.db, [{ ...again, ruleId: rules[1] as number }])).toEqual([])
    expect(await alarms.resolve(app.ctx.db, [{ ruleId: rules[0] as number, at: at(9) }])).toEqual([])
  })

  it('never resolves an alarm before it was raised', async () => {
    const [resolved] = await alarms.resolve(app.ctx.db, [{ ruleId: rules[2] as number, at: at(-60) }])
    expect(resolved).toMatchObject({ resolved: true, scopeId: account.scopeId, twinId: hall.id, at: at(2) })
  })

  it('of a twin that is gone is left out', async () => {
    const alarm = {
      twinId: 999_999,
      severity: 'error',
      category: 'unknown',
      message: 'x',
      raisedAt: at(9),
    } as const
    expect(await alarms.raise(app.ctx.db, [{ ...alarm, ruleId: rules[0] as number }])).toEqual([])
  })
})
