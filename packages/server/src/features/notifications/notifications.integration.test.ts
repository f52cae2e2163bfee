import { sql } from 'kysely'
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
import { createBrowser, startPushService } from '../../../test/pushService.ts'
import type { TestReceiver } from '../../../test/receiver.ts'
import { startReceiver } from '../../../test/receiver.ts'
import { startSmtp, type TestSmtp } from '../../../test/smtp.ts'
import { createTwin } from '../../../test/twins.ts'
import { healthChanged } from '../../topics/healthChanged.ts'
import { messageRate } from './send.ts'

// Half past two in the afternoon in Berlin, a Monday.
const clock = new FakeClock('2026-06-15T12:30:00.000Z')
let app: TestApp
let smtp: TestSmtp
let service: TestReceiver
let account: Awaited<ReturnType<typeof createAccount>>
let connector: Awaited<ReturnType<typeof createConnector>>
let viewer: number
let serial = 0

beforeAll(async () => {
  smtp = await startSmtp()
  service = await startPushService()
  app = await startApp({ clock, config: { smtpUrl: smtp.url, allowedNetworks: ['127.0.0.1'] } })
  viewer = await roleNamed(app, 'Viewer')
  return async () => {
    await app[Symbol.asyncDispose]()
    await smtp[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  }
})
beforeEach(async () => {
  clock.set(new Date('2026-06-15T12:30:00.000Z'))
  account = await createAccount(app)
  connector = await createConnector(app, account.id, account.scopeId)
})

/** A user who may see what is in the account. */
async function person(roleId = viewer) {
  const user = await createUser(app, account, [{ roleId }], { username: `ada${++serial}` })
  const address = `${user.username}@example.org`
  return {
    ...user,
    mails: () => smtp.received.filter(({ to }) => to?.some((each) => each.address === address)),
  }
}

const device = () => createDevice(app, connector, `pump-${++serial}`, null)

/** What the health of a device says: 0 over, 1 warning, 2 error. */
async function says(deviceIds: readonly number[], to: number, description = 'Change the battery') {
  const at = clock.now().toISOString()
  await app.ctx.db.transaction().execute((tx) =>
    app.ctx.events.appendAll(
      tx,
      deviceIds.map((deviceId) =>
        healthChanged.event(account.id, {
          deviceId,
          entry: 'low',
          category: 'battery',
          description,
          from: 0,
          to,
          health: to,
          at,
        }),
      ),
    ),
  )
  await app.drain()
}

const byMail = { title: 'All', channel: 'mail' } as const

describe('an e-mail', () => {
  it('tells of an alarm at once, in the language of the user, with a link to it', async () => {
    const ada = await person()
    const eve = await createUser(app, await createAccount(app), [{ roleId: viewer }])
    await ada.api.alarmNotifications.create({ ...byMail, resolved: true })
    await eve.api.alarmNotifications.create(byMail)
    const id = await device()
    await says([id], 2)
    const [alarm] = (await app.api.alarmLogs.list({ originId: id })).items
    const [mail, ...more] = ada.mails()
    expect(more).toEqual([])
    expect(mail?.subject).toBe(`Fehler: Change the battery – ${alarm?.originTitle}`)
    expect(mail?.text).toContain(`seit 15.06.26, 14:30`)
    expect(mail?.text).toContain(`/#/alarm-logs?alarm=${alarm?.id}`)
    expect(smtp.received.some(({ to }) => to?.some((each) => each.address?.startsWith(eve.username)))).toBe(
      false,
    )
    clock.advance(60_000)
    await says([id], 0)
    expect(ada.mails()[1]?.subject).toBe(`Beendet: Fehler: Change the battery – ${alarm?.originTitle}`)
    expect((await ada.api.alarmNotifications.list({})).items[0]?.lastSentAt).toBe(clock.now().toISOString())
  })

  it('is sent only for devices that are in a smart group then', async () => {
    const ada = await person()
    const { id: groupId } = await app.api.smartGroup.create({
      title: 'Cellar',
      accountId: account.id,
      filter: { tags: ['cellar'] },
    })
    const [inside, outside] = [await device(), await device()]
    await sql`update twins set tags = '{cellar}' where id = ${inside}`.execute(app.ctx.db)
    const made = await ada.api.alarmNotifications.create({ ...byMail, groupId })
    expect(made).toMatchObject({ groupId, groupTitle: 'Cellar' })
    await says([inside, outside], 2)
    expect(ada.mails()).toHaveLength(1)
    await sql`update twins set tags = '{cellar}' where id = ${outside}`.execute(app.ctx.db)
    await says([outside], 0)
    clock.advance(3_600_000)
    await says([outside], 2)
    expect(ada.mails()).toHaveLength(2)

    const eve = await createUser(app, await createAccount(app), [{ roleId: viewer }])
    expect(await errorOf(eve.api.alarmNotifications.create({ ...byMail, groupId }))).toMatchObject({
      code: 'SMART_GROUP_NOT_FOUND',
    })
    expect(await errorOf(app.api.smartGroup.delete({ id: groupId }))).toMatchObject({
      code: 'SMART_GROUP_IN_USE',
      data: {
        items: [{ kind: 'alarmNotification', title: `All (${ada.username})`, notes: ['notifies'] }],
      },
    })
    await ada.api.alarmNotifications.delete({ id: made.id })
    await app.api.smartGroup.delete({ id: groupId })
  })

  it('is not sent for what flaps, and again if it gets worse', async () => {
    const ada = await person()
    await ada.api.alarmNotifications.create(byMail)
    const id = await device()
    for (let times = 0; times < 3; times++) {
      await says([id], 1)
      clock.advance(10_000)
      await says([id], 0)
    }
    await says([id], 2)
    expect(ada.mails().map(({ subject }) => subject?.split(':').slice(0, 2))).toEqual([
      ['Warnung', ` Change the battery – ${await titleOf(id)}`],
      ['Schlimmer geworden', ' Fehler'],
    ])
  })

  it('sums up what comes too fast: nobody gets 500', async () => {
    const ada = await person()
    await ada.api.alarmNotifications.create(byMail)
    const ids = await Promise.all(Array.from({ length: 30 }, () => device()))
    for (const id of ids.slice(0, messageRate.burst)) await says([id], 1)
    expect(ada.mails()).toHaveLength(messageRate.burst)
    await says(ids.slice(messageRate.burst), 1)
    expect(ada.mails()).toHaveLength(messageRate.burst)
    clock.advance(180_000)
    await app.drain()
    expect(ada.mails()).toHaveLength(messageRate.burst + 1)
    expect(ada.mails().at(-1)?.subject).toBe('20 Meldungen zu Alarmen')
  })

  it('names 20 alarms and counts the others', async () => {
    const ada = await person()
    await ada.api.alarmNotifications.create(byMail)
    const ids = await Promise.all(Array.from({ length: 25 }, () => device()))
    await says(ids, 1)
    expect(ada.mails().at(-1)?.subject).toBe('25 Meldungen zu Alarmen')
    expect(ada.mails().at(-1)?.text).toContain('und 5 weitere Meldungen')
  })

  it('waits for the end of the quiet time, or for the digest of the day', async () => {
    const ada = await person()
    const quiet = { from: '14:00', to: '16:00' }
    await ada.api.alarmNotifications.create({ ...byMail, quiet })
    const ben = await person()
    await ben.api.alarmNotifications.create({ ...byMail, digestAt: '18:00' })
    const [one, two] = [await device(), await device()]
    await says([one], 1)
    await says([two], 2)
    const counts = () => [ada.mails().length, ben.mails().length]
    expect(counts()).toEqual([0, 0])
    clock.set('2026-06-15T13:59:59.000Z')
    await app.drain()
    expect(counts()).toEqual([0, 0])
    clock.set('2026-06-15T14:00:00.000Z')
    await app.drain()
    expect(counts()).toEqual([1, 0])
    clock.set('2026-06-15T16:00:00.000Z')
    await app.drain()
    expect(counts()).toEqual([1, 1])
    expect(ben.mails()[0]?.subject).toBe('2 Meldungen zu Alarmen')
  })

  it('is only about what was asked for: errors, a category, a source, a subtree', async () => {
    const ada = await person()
    const hall = await createTwin(app, account, { title: 'Hall' })
    const { api } = ada
    await api.alarmNotifications.create({ ...byMail, errorsOnly: true })
    await api.alarmNotifications.create({ ...byMail, categories: ['connectivity'] })
    await api.alarmNotifications.create({ ...byMail, sources: ['rule'] })
    await api.alarmNotifications.create({ ...byMail, twinId: hall.id })
    const id = await device()
    await says([id], 1)
    expect(ada.mails()).toEqual([])
    const inside = await device()
    await app.ctx.db.updateTable('twins').set({ parent_id: hall.id }).where('id', '=', inside).execute()
    await says([inside], 1)
    expect(ada.mails()).toHaveLength(1)
  })

  it('goes to whoever is given an alarm, whatever else they want to hear of', async () => {
    const ada = await person()
    await ada.api.alarmNotifications.create({ ...byMail, errorsOnly: true })
    const id = await device()
    await says([id], 1)
    const [alarm] = (await app.api.alarmLogs.list({ originId: id })).items
    await app.api.alarmLogs.assign({ ids: [alarm?.id as number], userId: ada.id })
    await app.drain()
    expect(ada.mails().map(({ subject }) => subject)).toEqual([
      `Für Sie: Warnung: Change the battery – ${alarm?.originTitle}`,
    ])
    await ada.api.alarmLogs.assign({ ids: [alarm?.id as number], userId: null })
    await ada.api.alarmLogs.assign({ ids: [alarm?.id as number], userId: ada.id })
    await app.drain()
    expect(ada.mails()).toHaveLength(1)
  })

  it('is not sent while an alarm is set aside, and when it counts again', async () => {
    const ada = await person()
    const id = await device()
    await says([id], 1)
    const [alarm] = (await app.api.alarmLogs.list({ originId: id })).items
    const until = new Date(clock.now().getTime() + 3_600_000).toISOString()
    await app.api.alarmLogs.snooze({ ids: [alarm?.id as number], until })
    await ada.api.alarmNotifications.create(byMail)
    await says([id], 2)
    expect(ada.mails()).toEqual([])
    clock.advance(3_600_000)
    await app.drain()
    expect(ada.mails().map(({ subject }) => subject?.split(':')[0])).toEqual(['Wieder offen'])
  })

  it('is not sent to who may no longer see the alarm, or has left', async () => {
    const role = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'] }])
    const [ada, ben] = [await person(role), await person()]
    const quiet = { from: '14:00', to: '16:00' }
    await ada.api.alarmNotifications.create({ ...byMail, quiet })
    await ben.api.alarmNotifications.create({ ...byMail, quiet })
    await says([await device()], 2)
    await app.ctx.db.deleteFrom('user_access').where('user_id', '=', ada.id).execute()
    await app.ctx.db.updateTable('users').set({ active: false }).where('id', '=', ben.id).execute()
    app.app.people.forgetRights()
    clock.set('2026-06-15T14:00:00.000Z')
    await app.drain()
    expect([ada.mails(), ben.mails()]).toEqual([[], []])
  })
})

const titleOf = async (id: number) => (await app.api.virtualdevice.get({ id })).title

describe('other channels', () => {
  it('show a message in every browser of the user', async () => {
    const ada = await person()
    const browser = createBrowser(service, 'Firefox')
    await ada.api.push.subscribe(browser.subscription)
    const { id: notification } = await ada.api.alarmNotifications.create({ title: 'All', channel: 'push' })
    const id = await device()
    await says([id], 2)
    const [alarm] = (await app.api.alarmLogs.list({ originId: id })).items
    expect(browser.received().map(({ message }) => message)).toEqual([
      {
        title: `Fehler: Change the battery – ${alarm?.originTitle}`,
        body: `${account.name}, seit 15.06.26, 14:30`,
        url: `/#/alarm-logs?alarm=${alarm?.id}`,
        tag: `alarms-${notification}`,
      },
    ])
  })

  it('post JSON to a webhook of the account: NOTIFICATION_CONNECTOR_INVALID for any other', async () => {
    const receiver = await startReceiver()
    const administrator = await createRole(app, [{ subject: 'all', actions: ['manage'] }])
    const ada = await person(administrator)
    const make = (accountId: number) =>
      app.api.bridge.create({
        accountId,
        name: `Hook ${++serial}`,
        kind: 'webhook-out',
        settings: { url: `${receiver.url}/alarms` },
      })
    const hook = await make(account.id)
    const foreign = await make(app.rootAccountId)
    for (const connectorId of [foreign.id, connector.id, null])
      expect(
        await errorOf(ada.api.alarmNotifications.create({ title: 'Hook', channel: 'webhook', connectorId })),
      ).toMatchObject({ code: 'NOTIFICATION_CONNECTOR_INVALID' })
    expect(
      await errorOf(ada.api.alarmNotifications.create({ ...byMail, connectorId: hook.id })),
    ).toMatchObject({ code: 'NOTIFICATION_CONNECTOR_INVALID' })
    await ada.api.alarmNotifications.create({ title: 'Hook', channel: 'webhook', connectorId: hook.id })
    await says([await device()], 2)
    expect(receiver.received.map(({ body }) => JSON.parse(String(body)))).toMatchObject([
      {
        title: expect.stringContaining('Fehler: Change the battery'),
        url: expect.stringContaining('alarm='),
      },
    ])
    await receiver[Symbol.asyncDispose]()
  })
})

describe('notifications of a user', () => {
  it('are theirs alone, at most 20: NOTIFICATIONS_LIMIT', async () => {
    const [ada, ben] = [await person(), await person()]
    const made = await ada.api.alarmNotifications.create(byMail)
    expect(made).toMatchObject({ timeZone: 'Europe/Berlin', active: true, version: 1, twinTitle: null })
    expect((await ben.api.alarmNotifications.list({})).items).toEqual([])
    for (const call of [
      () => ben.api.alarmNotifications.update({ ...byMail, id: made.id, version: 1 }),
      () => ben.api.alarmNotifications.delete({ id: made.id }),
      () => ben.api.alarmNotifications.test({ id: made.id }),
    ])
      expect(await errorOf(call())).toMatchObject({ code: 'NOT_FOUND' })
    const changed = await ada.api.alarmNotifications.update({
      ...byMail,
      id: made.id,
      version: 1,
      active: false,
    })
    expect(changed).toMatchObject({ active: false, version: 2 })
    expect(
      await errorOf(ada.api.alarmNotifications.update({ ...byMail, id: made.id, version: 1 })),
    ).toMatchObject({ code: 'VERSION_CONFLICT' })
    await says([await device()], 2)
    expect(ada.mails()).toEqual([])
    for (let count = 1; count < 20; count++) await ada.api.alarmNotifications.create(byMail)
    expect(await errorOf(ada.api.alarmNotifications.create(byMail))).toMatchObject({
      code: 'NOTIFICATIONS_LIMIT',
    })
    await ada.api.alarmNotifications.delete({ id: made.id })
    expect((await ada.api.alarmNotifications.list({ limit: 5 })).total).toBe(19)
    expect(await errorOf(ada.api.alarmNotifications.create({ ...byMail, twinId: 999_999 }))).toMatchObject({
      code: 'DTWIN_NOT_FOUND',
    })
  })

  it('can be tried, and count like any other message: NOTIFICATION_TOO_MANY', async () => {
    const ada = await person()
    const { id } = await ada.api.alarmNotifications.create(byMail)
    for (let count = 0; count < messageRate.burst; count++) await ada.api.alarmNotifications.test({ id })
    await app.drain()
    expect(ada.mails().map(({ subject }) => subject)).toEqual(Array(messageRate.burst).fill('Test: All'))
    expect(await errorOf(ada.api.alarmNotifications.test({ id }))).toMatchObject({
      code: 'NOTIFICATION_TOO_MANY',
    })
  })
})
