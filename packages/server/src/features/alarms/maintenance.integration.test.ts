import { type RawBuilder, sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createAccount,
  createRole,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { createConnector, createDevice } from '../../../test/pipeline.ts'
import { ruleKit } from '../../../test/rules.ts'
import { startSmtp, type TestSmtp } from '../../../test/smtp.ts'
import { createTwin } from '../../../test/twins.ts'
import { healthChanged } from '../../topics/healthChanged.ts'

const start = '2026-06-15T12:00:00.000Z'
const clock = new FakeClock(start)
let app: TestApp
let smtp: TestSmtp
let account: Awaited<ReturnType<typeof createAccount>>
let connector: Awaited<ReturnType<typeof createConnector>>
let serial = 0

beforeAll(async () => {
  smtp = await startSmtp()
  app = await startApp({ clock, config: { smtpUrl: smtp.url } })
  return async () => {
    await app[Symbol.asyncDispose]()
    await smtp[Symbol.asyncDispose]()
  }
})
beforeEach(async () => {
  clock.set(new Date(start))
  account = await createAccount(app)
  connector = await createConnector(app, account.id, account.scopeId)
})

const inMinutes = (minutes: number) => new Date(Date.parse(start) + minutes * 60_000).toISOString()
const device = () => createDevice(app, connector, `pump-${++serial}`, null)

async function says(deviceId: number, to: number) {
  const payload = { deviceId, entry: 'low', category: 'battery', description: 'Low', from: 0, to, health: to }
  const at = clock.now().toISOString()
  await app.ctx.db
    .transaction()
    .execute((tx) => app.ctx.events.appendAll(tx, [healthChanged.event(account.id, { ...payload, at })]))
  await app.drain()
}

const plan = (twinId: number | null, from: number, to: number) =>
  app.api.alarmMaintenance.create({
    accountId: account.id,
    twinId,
    title: 'New pumps',
    startsAt: inMinutes(from),
    endsAt: inMinutes(to),
  })
const alarmOf = async (originId: number) => (await app.api.alarmLogs.list({ originId })).items[0]

describe('maintenance', () => {
  it('of a twin holds back alarms of everything below it until it is over', async () => {
    const ada = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    await ada.api.alarmNotifications.create({ title: 'All', channel: 'mail' })
    const mails = () =>
      smtp.received.filter(({ to }) => to?.some(({ address }) => address?.startsWith(`${ada.username}@`)))
    const hall = await createTwin(app, account, { title: 'Hall' })
    const [inside, later, outside] = [await device(), await device(), await device()]
    await app.ctx.db
      .updateTable('twins')
      .set({ parent_id: hall.id })
      .where('id', 'in', [inside, later])
      .execute()
    const { id } = await plan(hall.id, -10, 60)
    await says(inside, 2)
    await says(later, 2)
    await says(outside, 1)
    expect(await alarmOf(inside)).toMatchObject({ maintained: true, resolvedAt: null })
    expect(await alarmOf(outside)).toMatchObject({ maintained: false })
    expect(mails()).toHaveLength(1)
    const listed = async (maintained: boolean) =>
      (await app.api.alarmLogs.list({ accountIds: [account.id], maintained })).items.map(
        ({ originId }) => originId,
      )
    expect([await listed(true), await listed(false)]).toEqual([[later, inside], [outside]])
    expect((await app.api.alarmMaintenance.list({})).items.find((each) => each.id === id)).toMatchObject({
      openAlarms: 2,
      twinTitle: 'Hall',
      accountId: account.id,
    })
    await says(later, 0)
    clock.set(new Date(inMinutes(60)))
    await app.drain()
    expect(await alarmOf(inside)).toMatchObject({ maintained: false })
    expect(await alarmOf(later)).toMatchObject({ maintained: false })
    expect(mails().map(({ subject }) => subject?.split(':')[0])).toEqual(['Warnung', 'Wieder offen'])
    const past = (await app.api.alarmMaintenance.list({ past: true })).items
    expect(past[0]).toMatchObject({ id, openAlarms: 0 })
  })

  it('of an account counts for those below it, also for alarms of rules', async () => {
    const below = await createAccount(app, { parent: account })
    await plan(null, -10, 60)
    const kit = ruleKit(app, below)
    const made = await kit.warmRule(() => [{ kind: 'alarm', severity: 'error', message: 'Too warm' }])
    await kit.set(made.temperature, 40, new Date(inMinutes(-1)))
    expect(await alarmOf(made.twin.id)).toMatchObject({ source: 'rule', maintained: true })
  })

  it('of a smart group counts for the devices that are in it when an alarm opens', async () => {
    const below = await createAccount(app, { parent: account })
    const group = (title: string, filter: object) =>
      app.api.smartGroup.create({ title, accountId: account.id, filter })
    const { id: groupId } = await group('Cellar', { tags: ['cellar'], account_ids: [account.id, below.id] })
    const times = { title: 'Works', startsAt: inMinutes(-10), endsAt: inMinutes(60) }
    const planned = { accountId: account.id, twinId: null, groupId, ...times }
    const made = await app.api.alarmMaintenance.create(planned)
    expect(made).toMatchObject({ groupId, groupTitle: 'Cellar', twinId: null })
    const [inside, outside] = [await device(), await device()]
    const there = await createDevice(app, await createConnector(app, below.id, below.scopeId), 'there', null)
    await sql`update twins set tags = '{cellar}' where id = any(${[inside, there]}::int[])`.execute(
      app.ctx.db,
    )
    for (const id of [inside, outside, there]) await says(id, 2)
    const isMaintained = async (id: number) => (await alarmOf(id))?.maintained
    expect([await isMaintained(inside), await isMaintained(outside), await isMaintained(there)]).toEqual([
      true,
      false,
      true,
    ])

    const hall = await createTwin(app, account, { title: 'Hall' })
    const both = { ...planned, twinId: hall.id }
    expect(await errorOf(app.api.alarmMaintenance.create(both))).toMatchObject({ status: 400 })
    const role = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'] }])
    const manager = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read', 'manage'] }])
    const twins = await createRole(app, [{ subject: 'DigitalTwin', actions: ['read', 'write'] }])
    const reader = await createUser(app, account, [{ roleId: role }, { roleId: twins }])
    expect(await errorOf(reader.api.alarmMaintenance.create(planned))).toMatchObject({
      code: 'NO_PERMISSION',
    })
    const stranger = await createUser(app, below, [{ roleId: manager }])
    expect(await errorOf(stranger.api.alarmMaintenance.create(planned))).toMatchObject({
      code: 'SMART_GROUP_NOT_FOUND',
    })

    const ends = (at: RawBuilder<unknown>) =>
      sql`update alarm_maintenances set ends_at = ${at} where id = ${made.id}`.execute(app.ctx.db)
    await ends(sql`now() + interval '1 day'`)
    expect(await errorOf(app.api.smartGroup.delete({ id: groupId }))).toMatchObject({
      code: 'SMART_GROUP_IN_USE',
      data: { items: [{ kind: 'alarmMaintenance', id: made.id, title: 'Works', notes: ['maintains'] }] },
    })
    await ends(sql`now()`)
    await app.api.smartGroup.delete({ id: groupId })
  })

  it('that has not begun holds nothing back, and is deleted when it is ended', async () => {
    const { id } = await plan(null, 10, 60)
    const one = await device()
    await says(one, 2)
    expect(await alarmOf(one)).toMatchObject({ maintained: false })
    await app.api.alarmMaintenance.end({ id })
    const ids = async (past: boolean) =>
      (await app.api.alarmMaintenance.list({ past, limit: 100 })).items.map((each) => each.id)
    expect([await ids(false), await ids(true)].flat()).not.toContain(id)
  })

  it('that is ended early lets its alarms count', async () => {
    const { id } = await plan(null, -10, 60)
    const one = await device()
    await says(one, 2)
    expect(await alarmOf(one)).toMatchObject({ maintained: true })
    await app.api.alarmMaintenance.end({ id })
    await app.drain()
    expect(await alarmOf(one)).toMatchObject({ maintained: false })
    const { items } = await app.api.activityLog.list({ subject: 'AlarmMaintenance' })
    expect(items.slice(0, 2).map(({ action }) => action)).toEqual(['end', 'create'])
  })

  it.each([
    [60, 60],
    [60, 30],
    [-60, 0],
    [0, 367 * 1440],
  ])('does not last from %i to %i minutes: MAINTENANCE_TIMES_INVALID', async (from, to) => {
    expect(await errorOf(plan(null, from, to))).toMatchObject({ code: 'MAINTENANCE_TIMES_INVALID' })
  })

  it('is for those who manage twins or devices there, at most 200: MAINTENANCE_LIMIT', async () => {
    const role = await createRole(app, [{ subject: 'DigitalTwin', actions: ['read', 'manage'] }])
    const { api } = await createUser(app, account, [{ roleId: role }])
    const elsewhere = await createAccount(app)
    const hall = await createTwin(app, elsewhere, { title: 'Hall' })
    const times = { title: 'Works', startsAt: inMinutes(0), endsAt: inMinutes(1) }
    const foreign = { accountId: elsewhere.id, ...times }
    expect(await errorOf(api.alarmMaintenance.create({ ...foreign, twinId: null }))).toMatchObject({
      code: 'TENANT_NOT_FOUND',
    })
    expect(await errorOf(api.alarmMaintenance.create({ ...foreign, twinId: hall.id }))).toMatchObject({
      code: 'DTWIN_NOT_FOUND',
    })
    const own = await api.alarmMaintenance.create({ accountId: account.id, twinId: null, ...times })
    await app.ctx.db
      .insertInto('alarm_maintenances')
      .values(
        Array.from({ length: 199 }, () => ({
          account_id: account.id,
          title: 'Works',
          starts_at: new Date(inMinutes(1)),
          ends_at: new Date(inMinutes(2)),
          created_name: 'test',
        })),
      )
      .execute()
    const more = api.alarmMaintenance.create({ accountId: account.id, twinId: null, ...times })
    expect(await errorOf(more)).toMatchObject({ code: 'MAINTENANCE_LIMIT' })
    const stranger = await createUser(app, elsewhere, [{ roleId: role }])
    expect(await errorOf(stranger.api.alarmMaintenance.end({ id: own.id }))).toMatchObject({
      code: 'NOT_FOUND',
    })
    expect((await stranger.api.alarmMaintenance.list({})).items).toEqual([])
  })
})
