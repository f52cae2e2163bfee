import { sql } from 'kysely'
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

describe('people take care of alarms', () => {
  let raised = 0
  /** A new alarm at the pump. */
  async function alarm(): Promise<number> {
    const { id } = await app.ctx.db
      .insertInto('alarms')
      .values({
        account_id: account.id,
        twin_id: pump.id,
        severity: 'warning',
        message: `Noise ${++raised}`,
        raised_at: at(30),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  }
  const of = async (id: number) => (await app.api.alarmLogs.list({ ids: [id] })).items[0]

  it('and acknowledge each once, with their name', async () => {
    const [one, other] = [await alarm(), await alarm()]
    expect(await of(one)).toMatchObject({ acknowledged: null, comments: 0 })
    expect(await app.api.alarmLogs.acknowledge({ ids: [one, one] })).toEqual({ acknowledged: 1 })
    const roleId = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'] }])
    const night = await createUser(app, account, [{ roleId }])
    expect(await night.api.alarmLogs.acknowledge({ ids: [one, other] })).toEqual({ acknowledged: 1 })
    expect((await of(one))?.acknowledged?.by).not.toBe((await of(other))?.acknowledged?.by)
    const { items } = await app.api.alarmLogs.list({ acknowledged: true, accountIds: [account.id] })
    expect(items.map(({ id }) => id)).toEqual([other, one])
    const untended = await app.api.alarmLogs.list({ acknowledged: false, accountIds: [account.id] })
    expect(untended.items.every(({ acknowledged }) => acknowledged === null)).toBe(true)
    const { items: entries } = await app.api.activityLog.list({ subject: 'Alarm', action: 'acknowledge' })
    expect(entries.map(({ objectId }) => objectId)).toEqual([other, one])
  })

  it('and comment on one or several, in the order in which they wrote', async () => {
    const [one, other] = [await alarm(), await alarm()]
    const first = await app.api.alarmLogs.comment({ id: one, text: '  On my way ' })
    expect(first).toMatchObject({ text: 'On my way' })
    expect(
      await app.api.alarmLogs.commentBatch({ ids: [one, other], text: 'Belt changed', acknowledge: true }),
    ).toEqual({ commented: 2, acknowledged: 2 })
    const { items, total } = await app.api.alarmLogs.comments({ id: one })
    expect([total, items.map(({ text }) => text)]).toEqual([2, ['On my way', 'Belt changed']])
    expect(await of(one)).toMatchObject({ comments: 2, acknowledged: { by: items[1]?.by } })
    const { items: entries } = await app.api.activityLog.list({ subject: 'Alarm', action: 'comment' })
    expect(entries.map(({ objectId }) => objectId)).toEqual([other, one, one])
  })

  it('but only of those they see, and of all or none', async () => {
    const mine = await alarm()
    const stranger = await createUser(app, await createAccount(app), [
      { roleId: await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'] }]) },
    ])
    const { alarmLogs } = stranger.api
    for (const call of [
      () => alarmLogs.acknowledge({ ids: [mine] }),
      () => alarmLogs.comment({ id: mine, text: 'x' }),
      () => alarmLogs.comments({ id: mine }),
      () => alarmLogs.commentBatch({ ids: [mine], text: 'x' }),
    ])
      expect(await errorOf(call())).toMatchObject({ code: 'NOT_FOUND' })
    const gone = app.api.alarmLogs.acknowledge({ ids: [mine, 999_999_999] })
    expect(await errorOf(gone)).toMatchObject({ code: 'NOT_FOUND' })
    expect(await of(mine)).toMatchObject({ acknowledged: null, comments: 0 })
  })

  it('as long as there is room: ALARM_COMMENTS_LIMIT', async () => {
    const id = await alarm()
    await app.ctx.db
      .insertInto('alarm_comments')
      .values(Array.from({ length: 200 }, () => ({ alarm_id: id, user_name: 'Robot', text: 'beep' })))
      .execute()
    const refused = app.api.alarmLogs.comment({ id, text: 'x' })
    expect(await errorOf(refused)).toMatchObject({ code: 'ALARM_COMMENTS_LIMIT' })
  })

  it('and the comments of a deleted user keep the name', async () => {
    const id = await alarm()
    const roleId = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'] }])
    const user = await createUser(app, account, [{ roleId }])
    await user.api.alarmLogs.commentBatch({ ids: [id], text: 'Done', acknowledge: true })
    const before = await of(id)
    await sql`delete from users where id = ${user.id}`.execute(app.ctx.db)
    expect(await of(id)).toEqual(before)
    expect((await app.api.alarmLogs.comments({ id })).items[0]?.by).toBe(before?.acknowledged?.by)
  })
})
