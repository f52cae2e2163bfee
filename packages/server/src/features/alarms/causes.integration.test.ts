import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createAccount,
  createRole,
  createUser,
  errorOf,
  FakeClock,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { createConnector, createDevice } from '../../../test/pipeline.ts'
import { jsonb } from '../../platform/db/index.ts'
import { healthChanged } from '../../topics/healthChanged.ts'
import { thresholdChanged } from '../../topics/thresholdChanged.ts'

const clock = new FakeClock('2026-06-15T12:00:00.000Z')
let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
let connector: Awaited<ReturnType<typeof createConnector>>
let serial = 0

beforeAll(async () => {
  app = await startApp({ clock, config: { allowedNetworks: ['127.0.0.1'] } })
})
beforeEach(async () => {
  clock.advance(24 * 3_600_000)
  account = await createAccount(app)
  connector = await createConnector(app, account.id, account.scopeId)
})

const device = () => createDevice(app, connector, `pump-${++serial}`, null)

/** What the health of a device says of an entry: 0 over, 1 warning, 2 error, 4 cannot be evaluated. */
async function says(deviceId: number, to: number, entry = 'battery.low', description = 'Change the battery') {
  const at = clock.now().toISOString()
  const payload = { deviceId, entry, category: 'battery', description, from: 0, to, health: to, at }
  await app.ctx.db
    .transaction()
    .execute((tx) => app.ctx.events.appendAll(tx, [healthChanged.event(account.id, payload)]))
  await app.drain()
}

const alarmsOf = async (originId: number) => (await app.api.alarmLogs.list({ originId })).items

describe('the health of a device', () => {
  it('opens an alarm for each entry that counts, and ends it', async () => {
    const id = await device()
    await says(id, 1)
    await says(id, 2, 'silent', '')
    await says(id, 4, '$decode', '')
    expect(await alarmsOf(id)).toMatchObject([
      { source: 'health', severity: 'error', category: 'battery', message: 'silent', resolvedAt: null },
      {
        source: 'health',
        severity: 'warning',
        message: 'Change the battery',
        details: { entry: 'battery.low' },
        originCategory: 'virtualDevice',
        accountId: account.id,
        ruleId: null,
        occurrences: 1,
      },
    ])
    clock.advance(60_000)
    await says(id, 0)
    const [, low] = await alarmsOf(id)
    expect(low?.resolvedAt).toBe(clock.now().toISOString())
  })

  it('that flaps is one alarm, which says how often; later it is another one', async () => {
    const id = await device()
    for (let times = 0; times < 3; times++) {
      await says(id, 1)
      clock.advance(60_000)
      await says(id, 0)
    }
    expect(await alarmsOf(id)).toMatchObject([{ occurrences: 3 }])
    clock.advance(601_000)
    await says(id, 1)
    expect((await alarmsOf(id)).map(({ occurrences }) => occurrences)).toEqual([1, 3])
  })

  it('that gets worse needs someone again', async () => {
    const id = await device()
    await says(id, 1)
    const [alarm] = await alarmsOf(id)
    await app.api.alarmLogs.acknowledge({ ids: [alarm?.id as number] })
    await says(id, 2)
    expect(await alarmsOf(id)).toMatchObject([{ id: alarm?.id, severity: 'error', acknowledged: null }])
  })

  it('of a deleted device opens nothing', async () => {
    await says(999_999, 1)
    expect((await app.api.system.parkedEvents({})).items).toEqual([])
  })

  it('reported twice counts once', async () => {
    const id = await device()
    await says(id, 1)
    await says(id, 1)
    expect(await alarmsOf(id)).toMatchObject([{ occurrences: 1 }])
  })
})

describe('a packet threshold', () => {
  it('opens an alarm for each smart group whose expectation a device misses, and ends it', async () => {
    const id = await device()
    const at = clock.now().toISOString()
    const base = { accountId: account.id, twinId: id, groupTitle: 'Meters', received: 3, windowHours: 24, at }
    const threshold = (groupId: number, low: boolean, expected = 23.6) =>
      app.ctx.db.transaction().execute(async (tx) => {
        const payload = { ...base, groupId, low, expected }
        await app.ctx.events.appendAll(tx, [thresholdChanged.event(account.id, payload)])
      })
    await threshold(1, true)
    await threshold(2, true)
    await app.drain()
    const details = { received: 3, expected: 24, hours: 24, groupTitle: 'Meters' }
    expect(await alarmsOf(id)).toMatchObject([
      { source: 'packet-threshold', category: 'packet-threshold', severity: 'warning', details },
      { source: 'packet-threshold', details: { groupId: 1 } },
    ])
    await threshold(1, false)
    await app.drain()
    expect((await alarmsOf(id)).map(({ resolvedAt }) => resolvedAt === null)).toEqual([true, false])
    await threshold(3, true, 0.04)
    await app.drain()
    expect((await alarmsOf(id))[0]?.details.expected).toBe(0.1)
  })
})

describe('a connector', () => {
  it('that fails opens an alarm for those who manage it, until it works again', async () => {
    const administrator = await createRole(app, [{ subject: 'all', actions: ['manage'] }])
    const reader = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'] }])
    const boss = await createUser(app, account, [{ roleId: administrator }])
    const other = await createUser(app, account, [{ roleId: reader }])
    // Nobody listens there any more: creating it through the API would have found out.
    const settings = {
      host: '127.0.0.1',
      port: 9,
      tls: false,
      clientId: 'leitstand-test',
      username: '',
      topics: ['city/#'],
      qos: 1,
      identifierFrom: 'topic',
      identifierSegment: 2,
      preset: 'standard',
    }
    const name = 'City broker'
    const { id } = await app.ctx.db
      .insertInto('connectors')
      .values({
        account_id: account.id,
        scope_id: account.scopeId,
        name,
        kind: 'mqtt-in',
        settings: jsonb(settings),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await expect
      .poll(async () => {
        await app.drain()
        return (await boss.api.alarmLogs.list({ sources: ['connector'] })).items
      })
      .toMatchObject([
        {
          source: 'connector',
          category: 'connectivity',
          severity: 'error',
          originId: id,
          originTitle: name,
          originCategory: 'connector',
          resolvedAt: null,
        },
      ])
    expect((await other.api.alarmLogs.list({ sources: ['connector'] })).items).toEqual([])
    expect((await boss.api.alarmLogs.list({ search: 'city brok' })).total).toBe(1)
    const [alarm] = (await boss.api.alarmLogs.list({ sources: ['connector'] })).items
    await boss.api.alarmLogs.acknowledge({ ids: [alarm?.id as number] })
    expect(await errorOf(other.api.alarmLogs.acknowledge({ ids: [alarm?.id as number] }))).toMatchObject({
      status: 404,
    })
    const { items } = await boss.api.alarmLogs.assignees({ id: alarm?.id as number })
    expect(items.map((user) => user.id)).toContain(boss.id)
    await app.ctx.db
      .updateTable('connectors')
      .set(({ eb }) => ({ enabled: false, version: eb('version', '+', 1) }))
      .where('id', '=', id)
      .execute()
    await expect.poll(async () => (await boss.api.bridge.get({ id })).state).toBe('disabled')
    await app.drain()
    const [over] = (await boss.api.alarmLogs.list({ sources: ['connector'] })).items
    expect(over?.resolvedAt).not.toBeNull()
  })
})

describe('delays of an account', () => {
  it('apply to those below it, until they have their own', async () => {
    const below = await createAccount(app, { parent: account })
    expect(await app.api.alarmLogs.times({ accountId: below.id })).toEqual({
      openAfterS: 0,
      resolveAfterS: 0,
      reopenWithinS: 600,
      fromAccount: null,
    })
    const times = { openAfterS: 60, resolveAfterS: 120, reopenWithinS: 0 }
    await app.api.alarmLogs.setTimes({ accountId: account.id, times })
    const fromAccount = { id: account.id, name: account.name }
    expect(await app.api.alarmLogs.times({ accountId: below.id })).toEqual({ ...times, fromAccount })
    await app.api.alarmLogs.setTimes({ accountId: below.id, times: { ...times, openAfterS: 1 } })
    expect((await app.api.alarmLogs.times({ accountId: below.id })).fromAccount?.id).toBe(below.id)
    await app.api.alarmLogs.setTimes({ accountId: below.id, times: null })
    expect((await app.api.alarmLogs.times({ accountId: below.id })).openAfterS).toBe(60)
    const { items } = await app.api.activityLog.list({ subject: 'AlarmSettings' })
    expect(items[0]).toMatchObject({ action: 'update', objectId: below.id })
  })

  it('hold an alarm back until it has lasted, and open until it is over for so long', async () => {
    const times = { openAfterS: 60, resolveAfterS: 120, reopenWithinS: 0 }
    await app.api.alarmLogs.setTimes({ accountId: account.id, times })
    const id = await device()
    const began = clock.now().toISOString()
    await says(id, 1)
    clock.advance(59_000)
    await app.drain()
    expect(await alarmsOf(id)).toEqual([])
    clock.advance(1_000)
    await app.drain()
    expect(await alarmsOf(id)).toMatchObject([{ raisedAt: began, resolvedAt: null }])
    await says(id, 0)
    const ended = clock.now().toISOString()
    clock.advance(119_000)
    await app.drain()
    expect(await alarmsOf(id)).toMatchObject([{ resolvedAt: null }])
    clock.advance(1_000)
    await app.drain()
    expect(await alarmsOf(id)).toMatchObject([{ resolvedAt: ended }])
    await says(id, 1)
    clock.advance(30_000)
    await says(id, 0)
    clock.advance(60_000)
    await app.drain()
    expect(await alarmsOf(id)).toHaveLength(1)
  })

  it('are for those who manage devices there', async () => {
    const role = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read', 'manage'] }])
    const { api } = await createUser(app, account, [{ roleId: role }])
    const elsewhere = await createAccount(app)
    const refused = api.alarmLogs.setTimes({ accountId: elsewhere.id, times: null })
    expect(await errorOf(refused)).toMatchObject({ status: 404 })
    expect(await errorOf(api.alarmLogs.times({ accountId: elsewhere.id }))).toMatchObject({ status: 404 })
  })
})

describe('filters and order', () => {
  it('by category, source, status, task and time', async () => {
    const [one, two] = [await device(), await device()]
    await says(one, 1)
    clock.advance(60_000)
    await says(two, 2)
    const list = async (filter: object) =>
      (await app.api.alarmLogs.list({ accountIds: [account.id], ...filter })).items.map(
        ({ originId }) => originId,
      )
    expect(await list({ categories: ['battery'] })).toEqual([two, one])
    expect(await list({ categories: ['device', 'platform'] })).toEqual([])
    expect(await list({ sources: ['rule'] })).toEqual([])
    expect(await list({ sources: ['health'], severity: 'error' })).toEqual([two])
    const { operationalStatus: status } = await app.api.virtualdevice.get({ id: one })
    expect(await list({ operationalStatus: [status === 5 ? 4 : 5] })).toEqual([])
    expect(await list({ operationalStatus: [status] })).toEqual([two, one])
    expect(await list({ orderBy: 'raisedAt' })).toEqual([one, two])
    expect(await list({ orderBy: '-duration' })).toEqual([one, two])
    expect(await list({ orderBy: 'duration' })).toEqual([two, one])
    expect(await list({ orderBy: 'severity' })).toEqual([one, two])
    expect(await list({ orderBy: '-severity' })).toEqual([two, one])
    expect(await list({ assigned: 'me' })).toEqual([])
    expect(await list({ assigned: 'nobody', snoozed: false })).toEqual([two, one])
  })
})

describe('the task of a person', () => {
  it('is given, taken and shown; only who sees the alarm can have it: ALARM_ASSIGNEE_INVALID', async () => {
    const role = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'] }])
    const ada = await createUser(app, account, [{ roleId: role }], { username: `ada${++serial}` })
    const eve = await createUser(app, await createAccount(app), [{ roleId: role }])
    const id = await device()
    await says(id, 1)
    const [alarm] = await alarmsOf(id)
    const ids = [alarm?.id as number]
    const candidates = await ada.api.alarmLogs.assignees({ id: ids[0] as number })
    expect(candidates).toMatchObject({ total: 1, items: [{ id: ada.id, name: ada.username }] })
    const searched = await app.api.alarmLogs.assignees({ id: ids[0] as number, search: 'ADA' })
    expect(searched.items.map((user) => user.id)).toEqual([ada.id])
    expect((await app.api.alarmLogs.assignees({ id: ids[0] as number, search: '%' })).items).toEqual([])
    expect(await errorOf(app.api.alarmLogs.assign({ ids, userId: eve.id }))).toMatchObject({
      code: 'ALARM_ASSIGNEE_INVALID',
    })
    expect(await app.api.alarmLogs.assign({ ids, userId: ada.id })).toEqual({ assigned: 1 })
    expect(await app.api.alarmLogs.assign({ ids, userId: ada.id })).toEqual({ assigned: 0 })
    expect(await alarmsOf(id)).toMatchObject([{ assigned: { userId: ada.id, name: ada.username } }])
    expect((await ada.api.alarmLogs.list({ assigned: 'me' })).items.map((each) => each.id)).toEqual(ids)
    expect((await app.api.alarmLogs.list({ assigned: 'me', originId: id })).items).toEqual([])
    expect((await app.api.alarmLogs.list({ assigned: 'anyone', originId: id })).total).toBe(1)
    await ada.api.alarmLogs.assign({ ids, userId: null })
    expect(await alarmsOf(id)).toMatchObject([{ assigned: null }])
    const { items } = await app.api.activityLog.list({ subject: 'Alarm', action: 'assign' })
    expect(items.slice(0, 2).map(({ changes }) => changes)).toEqual([{ to: null }, { to: ada.username }])
  })
})

describe('set aside', () => {
  it('until a time, for everyone, at most 90 days: ALARM_SNOOZE_INVALID', async () => {
    const id = await device()
    await says(id, 1)
    const [alarm] = await alarmsOf(id)
    const ids = [alarm?.id as number]
    const inMinutes = (minutes: number) => new Date(clock.now().getTime() + minutes * 60_000).toISOString()
    for (const until of [inMinutes(0), inMinutes(90 * 1440 + 1)])
      expect(await errorOf(app.api.alarmLogs.snooze({ ids, until }))).toMatchObject({
        code: 'ALARM_SNOOZE_INVALID',
      })
    const until = inMinutes(60)
    expect(await app.api.alarmLogs.snooze({ ids, until })).toEqual({ snoozed: 1 })
    expect(await alarmsOf(id)).toMatchObject([{ snoozed: { until } }])
    const shown = async (snoozed: boolean) => (await app.api.alarmLogs.list({ originId: id, snoozed })).total
    expect([await shown(true), await shown(false)]).toEqual([1, 0])
    clock.advance(3_600_000)
    expect(await alarmsOf(id)).toMatchObject([{ snoozed: null }])
    expect([await shown(true), await shown(false)]).toEqual([0, 1])
    await app.api.alarmLogs.snooze({ ids, until: inMinutes(60) })
    await app.api.alarmLogs.snooze({ ids, until: null })
    expect(await alarmsOf(id)).toMatchObject([{ snoozed: null }])
    await says(id, 0)
    expect(await app.api.alarmLogs.snooze({ ids, until: inMinutes(60) })).toEqual({ snoozed: 0 })
  })
})
