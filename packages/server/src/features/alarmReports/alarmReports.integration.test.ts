import { alarmReportLimits } from '@leitstand/contract/alarmReports'
import { sql } from 'kysely'
import type { Email } from 'postal-mime'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
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
} from '../../../test/kit.ts'
import { readPdf } from '../../../test/pdf.ts'
import { createConnector, createDevice } from '../../../test/pipeline.ts'
import { startReceiver, type TestReceiver } from '../../../test/receiver.ts'
import { startSmtp, type TestSmtp } from '../../../test/smtp.ts'
import { healthChanged } from '../../topics/healthChanged.ts'

// Five in the morning in Berlin, a Monday.
const morning = '2026-06-15T03:00:00.000Z'
const dayMs = 86_400_000
const clock = new FakeClock(morning)
let app: TestApp
let smtp: TestSmtp
let receiver: TestReceiver
let roleId: number
let account: Awaited<ReturnType<typeof createAccount>>
let connector: Awaited<ReturnType<typeof createConnector>>
let manager: Awaited<ReturnType<typeof createUser>>
let api: Api
let groupId: number
let serial = 0

beforeAll(async () => {
  smtp = await startSmtp()
  receiver = await startReceiver()
  app = await startApp({ clock, config: { smtpUrl: smtp.url, allowedNetworks: ['127.0.0.1'] } })
  roleId = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read', 'write', 'manage'] }])
  return async () => {
    await app[Symbol.asyncDispose]()
    await smtp[Symbol.asyncDispose]()
    await receiver[Symbol.asyncDispose]()
  }
})

beforeEach(async () => {
  clock.set(morning)
  smtp.received.length = 0
  receiver.received.length = 0
  account = await createAccount(app, { name: `City ${++serial}` })
  connector = await createConnector(app, account.id, account.scopeId)
  manager = await createUser(app, account, [{ roleId }], { username: `ada${serial}` })
  api = manager.api
  groupId = (await api.smartGroup.create({ title: 'Pumps', accountId: account.id })).id
  // What other tests have left is not sent.
  await sql`delete from alarm_reports`.execute(app.ctx.db)
})

const address = () => `${manager.username}@example.org`
const fields = (given: object = {}) => ({
  accountId: account.id,
  title: 'Daily',
  groupId,
  type: 'device' as const,
  conditions: ['always' as const],
  subject: 'Pumps today',
  tables: ['summary' as const, 'openAlarms' as const, 'deviceHealth' as const],
  recipients: [address()],
  ...given,
})
const create = (given: object = {}) => api.alarmReports.create(fields(given))
const statesOf = async (id: number) =>
  (await api.alarmReports.runs({ id })).items.map(({ day, state }) => `${day} ${state}`)

/** A device with an alarm: 1 warning, 2 error. */
async function ill(title: string, severity = 2, description = 'Change the battery'): Promise<number> {
  const id = await createDevice(app, connector, `${title} ${++serial}`.slice(0, 60), null)
  await sql`update twins set title = ${title} where id = ${id}`.execute(app.ctx.db)
  await sql`update device_live set health = ${severity}, last_seen = ${clock.now()} where twin_id = ${id}`.execute(
    app.ctx.db,
  )
  const at = clock.now().toISOString()
  const change = {
    entry: 'low',
    category: 'battery',
    description,
    from: 0,
    to: severity,
    health: severity,
    at,
  }
  const event = healthChanged.event(account.id, { deviceId: id, ...change })
  await app.ctx.db.transaction().execute((tx) => app.ctx.events.appendAll(tx, [event]))
  await app.drain()
  return id
}

const pdfIn = (mail: Email | undefined) =>
  readPdf(new Uint8Array(mail?.attachments[0]?.content as ArrayBuffer))

/** Until every report of today has been sent. */
async function seven(day = '2026-06-15'): Promise<void> {
  clock.set(`${day}T05:00:00.000Z`)
  await app.drain()
}

describe('a report', () => {
  it('is sent once a day between six and seven, as HTML, text and PDF of the same content', async () => {
    await ill('Pumpe Süd „3“ 12 m² bei 30 °C')
    const report = await create({ language: 'de-DE' })
    const nextAt = report.nextAt as string
    expect(nextAt >= '2026-06-15T04:00:00.000Z' && nextAt < '2026-06-15T05:00:00.000Z').toBe(true)
    clock.set(new Date(new Date(nextAt).getTime() - 1))
    await app.drain()
    expect(smtp.received).toEqual([])
    clock.set(nextAt)
    await app.drain()
    const [mail, ...more] = smtp.received
    expect(more).toEqual([])
    expect(mail?.subject).toBe('Pumps today')
    const pdf = await pdfIn(mail)
    for (const text of [mail?.text, mail?.html, pdf.text]) {
      expect(text).toContain('Pumpe Süd „3“ 12 m² bei 30 °C')
      expect(text).toContain('Change the battery')
      expect(text).toContain('Offene Alarme (1)')
      expect(text).toContain('15.06.26, 05:00')
      expect(text).toContain(account.name)
    }
    expect(mail?.attachments[0]).toMatchObject({ filename: 'Daily.pdf', mimeType: 'application/pdf' })
    await seven()
    expect(smtp.received).toHaveLength(1)
    const [run] = (await api.alarmReports.runs({ id: report.id })).items
    expect(run).toMatchObject({ day: '2026-06-15', state: 'sent', recipients: 1, refused: 0, reason: null })
    const { headers, body } = await api.alarmReports.file({ id: report.id, runId: run?.id as number })
    expect(headers['content-disposition']).toContain('Daily 2026-06-15.pdf')
    expect((await readPdf(await body.bytes())).text).toBe(pdf.text)
    const html = await api.alarmReports.file({ id: report.id, runId: run?.id as number, format: 'html' })
    expect(await html.body.text()).toContain('Pumpe Süd „3“ 12 m² bei 30 °C')
    expect(run?.bytes?.html).toBe(html.body.size)
    await seven('2026-06-16')
    expect(smtp.received).toHaveLength(2)
    expect(await api.alarmReports.get({ id: report.id })).toMatchObject({
      lastSentAt: clock.now().toISOString(),
      lastState: 'sent',
    })
  })

  it('is sent once although several processes send', async () => {
    for (let count = 0; count < 4; count++) await create({ title: `Daily ${count}` })
    clock.set('2026-06-15T05:00:00.000Z')
    await using second = await startApp({ clock, address: app.address, config: { smtpUrl: smtp.url } })
    await Promise.all([app.drain(), second.drain()])
    await app.drain()
    expect(smtp.received.map(({ attachments }) => attachments[0]?.filename).sort()).toEqual([
      'Daily 0.pdf',
      'Daily 1.pdf',
      'Daily 2.pdf',
      'Daily 3.pdf',
    ])
  })

  it('is sent late on the same day, and names the days that were missed', async () => {
    const { id } = await create({ weekdays: [1, 2, 3, 4, 5] })
    clock.set('2026-06-19T18:00:00.000Z')
    await app.drain()
    expect(smtp.received).toHaveLength(1)
    expect(await statesOf(id)).toEqual([
      '2026-06-19 sent',
      '2026-06-18 missed',
      '2026-06-17 missed',
      '2026-06-16 missed',
      '2026-06-15 missed',
    ])
    expect((await api.alarmReports.get({ id })).nextAt?.slice(0, 10)).toBe('2026-06-22')
  })

  it('is sent once on a day whose zone is changed', async () => {
    const made = await create()
    await seven()
    const { id, version } = made
    const { accountId: _, ...changed } = fields({ timeZone: 'America/New_York' })
    await api.alarmReports.update({ ...changed, id, version })
    clock.set('2026-06-15T11:00:00.000Z')
    await app.drain()
    expect(smtp.received).toHaveLength(1)
    expect(await statesOf(id)).toEqual(['2026-06-15 sent'])
  })

  it('is made again by another process when one has died, and given up after three times', async () => {
    const { id } = await create()
    clock.set('2026-06-15T05:00:00.000Z')
    await sql`update alarm_reports set next_at = null where id = ${id}`.execute(app.ctx.db)
    await sql`insert into alarm_report_runs (report_id, day, state, at, try_at, attempts)
      values (${id}, '2026-06-15', 'waiting', now(), ${new Date(clock.now().getTime() + 60_000)}, 1),
        (${id}, '2026-06-14', 'waiting', now(), ${clock.now()}, 3)`.execute(app.ctx.db)
    await app.drain()
    expect(await statesOf(id)).toEqual(['2026-06-15 waiting', '2026-06-14 failed'])
    clock.advance(60_000)
    await app.drain()
    expect(await statesOf(id)).toEqual(['2026-06-15 sent', '2026-06-14 failed'])
    expect((await api.alarmReports.runs({ id, offset: 1 })).items[0]?.reason).toBe('interrupted')
  })

  it('is not sent while it is switched off', async () => {
    const { id } = await create({ active: false })
    await seven()
    expect(smtp.received).toEqual([])
    expect(await api.alarmReports.get({ id })).toMatchObject({ nextAt: null, lastState: null })
  })
})

describe('conditions', () => {
  it.each(['newErrors', 'newErrorsOrWarnings', 'activeErrors', 'activeErrorsOrWarnings'] as const)(
    '%s: nothing is sent unless it is so',
    async (condition) => {
      const { id } = await create({ conditions: [condition] })
      await seven()
      expect(await statesOf(id)).toEqual(['2026-06-15 nothing'])
      expect(smtp.received).toEqual([])
      clock.advance(1)
      await ill('Pump', condition.endsWith('Warnings') ? 1 : 2)
      await seven('2026-06-16')
      expect(await statesOf(id)).toEqual(['2026-06-16 sent', '2026-06-15 nothing'])
      expect(smtp.received[0]?.html).toContain('Grund: ')
      // A day later it is no longer new.
      await seven('2026-06-17')
      expect((await statesOf(id))[0]).toBe(`2026-06-17 ${condition.startsWith('new') ? 'nothing' : 'sent'}`)
    },
  )

  it('warnings are no errors', async () => {
    const { id } = await create({ conditions: ['newErrors', 'activeErrors'] })
    await ill('Pump', 1)
    await seven()
    expect(await statesOf(id)).toEqual(['2026-06-15 nothing'])
  })

  it('of packets: what opened, and what opened or ended, since the last report', async () => {
    const device = await ill('Pump')
    const asked = { type: 'packetMonitoring' as const }
    const one = await create({ ...asked, conditions: ['newThresholdAlarms'] })
    const two = await create({ ...asked, title: 'Two', conditions: ['newAndResolvedThresholdAlarms'] })
    await seven()
    expect([await statesOf(one.id), await statesOf(two.id)]).toEqual([
      ['2026-06-15 nothing'],
      ['2026-06-15 nothing'],
    ])
    clock.advance(1)
    const at = clock.now()
    await sql`insert into alarms (account_id, twin_id, source, cause_key, category, severity, message, raised_at)
      values (${account.id}, ${device}, 'packet-threshold', ${`packets:${device}`}, 'packet-threshold', 'warning', 'Low', ${at})`.execute(
      app.ctx.db,
    )
    await seven('2026-06-16')
    expect([(await statesOf(one.id))[0], (await statesOf(two.id))[0]]).toEqual([
      '2026-06-16 sent',
      '2026-06-16 sent',
    ])
    clock.advance(1)
    await sql`update alarms set resolved_at = ${clock.now()} where source = 'packet-threshold' and twin_id = ${device}`.execute(
      app.ctx.db,
    )
    await seven('2026-06-17')
    expect([(await statesOf(one.id))[0], (await statesOf(two.id))[0]]).toEqual([
      '2026-06-17 nothing',
      '2026-06-17 sent',
    ])
  })
})

describe('what it says', () => {
  it('escapes what users and devices are called, and keeps the headers of the mail', async () => {
    const name = `<img src=x onerror="alert(1)">\r\nBcc: eve@example.org \u202e`
    await ill(name, 2, '<script>alert(2)</script>')
    await sql`update smart_groups set title = ${name} where id = ${groupId}`.execute(app.ctx.db)
    for (const subject of ['Hello\r\nBcc: eve@example.org', 'a\u2028b', ' ', 'x'.repeat(201)])
      expect(await errorOf(create({ subject }))).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
    await create({ subject: '<b>Über</b> & "alles"', title: '../../<x>\n"y"' })
    await seven()
    const [mail, ...more] = smtp.received
    expect(more).toEqual([])
    expect(mail?.subject).toBe('<b>Über</b> & "alles"')
    expect(mail?.to?.map(({ address }) => address)).toEqual([address()])
    expect(mail?.bcc).toBeUndefined()
    expect(mail?.html).not.toMatch(/<(img|script|b|x)\b/)
    expect(mail?.html).toContain('&#60;script&#62;alert(2)&#60;/script&#62;')
    expect(mail?.attachments[0]?.filename).toBe('x y.pdf')
    expect((await pdfIn(mail)).text).toContain('<script>alert(2)</script>')
  })

  it.each([
    ['en-US', '6/15/26, 5:00 AM', 'Open alarms'],
    ['en-GB', '15/06/2026, 05:00', 'Open alarms'],
  ] as const)('in %s', async (language, time, title) => {
    await ill('Pump')
    await create({ language })
    await seven()
    expect(smtp.received[0]?.text).toContain(time)
    expect(smtp.received[0]?.text).toContain(title)
  })

  it('shows 500 rows of a table and counts the others', async () => {
    await ill('Pump')
    const total = alarmReportLimits.rowsMax + 20
    await sql`insert into alarms (account_id, twin_id, source, cause_key, category, severity, message, raised_at)
      select account_id, twin_id, 'health', cause_key || n, category, 'warning', 'Copy ' || n, raised_at
      from alarms, generate_series(2, ${total}::int) n where account_id = ${account.id}`.execute(app.ctx.db)
    await create()
    await seven()
    const [mail] = smtp.received
    const pdf = await pdfIn(mail)
    expect(mail?.html?.match(/Copy \d+</g)).toHaveLength(alarmReportLimits.rowsMax - 1)
    for (const text of [mail?.text, mail?.html, pdf.text]) {
      expect(text).toContain(`Offene Alarme (${total})`)
      expect(text).toContain('und 20 weitere')
    }
    expect(pdf.pages).toBeGreaterThan(5)
    expect(pdf.text).toContain(`Seite 2 von ${pdf.pages}`)
  })

  it('tells of packets, and only of alarms about them', async () => {
    await ill('Pump')
    const silent = await createDevice(app, connector, 'silent', null)
    await sql`insert into alarms (account_id, twin_id, source, cause_key, category, severity, message, details, raised_at)
      values (${account.id}, ${silent}, 'packet-threshold', 'silent', 'packet-threshold', 'warning', 'Too few',
        '{"received": 3, "expected": 1200, "hours": 1}', ${clock.now()})`.execute(app.ctx.db)
    await create({
      type: 'packetMonitoring',
      tables: ['summary', 'openAlarms', 'packets'],
      language: 'de-DE',
    })
    await seven()
    const text = smtp.received[0]?.text ?? ''
    expect(text).toContain('Offene Alarme (1)')
    expect(text).toContain('Zu wenige Pakete: 3 statt 1.200 in einer Stunde')
    expect(text).toContain('Geräte mit zu wenigen Paketen (1)')
    expect(text).toContain('silent | nie | – | –')
    expect(text).not.toContain('Change the battery')
  })
})

describe('where it goes', () => {
  it('to strangers once they have agreed, each with a link that stops it', async () => {
    const { id } = await create({ recipients: [address(), 'Bob@Example.net'] })
    await app.drain()
    const question = smtp.received.find(({ to }) => to?.[0]?.address === 'bob@example.net')
    const token = /rule-mail\?token=([\w-]+)/.exec(question?.text ?? '')?.[1] ?? ''
    smtp.received.length = 0
    await seven()
    expect((await api.alarmReports.runs({ id })).items[0]).toMatchObject({ recipients: 1, refused: 1 })
    await api.ruleMail.answer({ token, accept: true })
    await seven('2026-06-16')
    const mail = smtp.received.find(({ to }) => to?.[0]?.address === 'Bob@example.net')
    expect(mail?.html).toContain('/#/rule-mail?token=')
    expect(mail?.text).toContain('/#/rule-mail?token=')
  })

  it('as JSON through a connector of the account: ALARM_REPORT_CONNECTOR_INVALID for any other', async () => {
    const make = (accountId: number) =>
      app.api.bridge.create({
        accountId,
        name: `Hook ${++serial}`,
        kind: 'webhook-out',
        settings: { url: `${receiver.url}/reports` },
      })
    const [hook, foreign] = [await make(account.id), await make(app.rootAccountId)]
    for (const given of [
      { connectorId: foreign.id },
      { connectorId: connector.id },
      { connectorId: hook.id, topic: 'reports' },
      { topic: 'reports' },
    ])
      expect(await errorOf(create(given))).toMatchObject({ code: 'ALARM_REPORT_CONNECTOR_INVALID' })
    expect(await errorOf(create({ recipients: [] }))).toMatchObject({ code: 'ALARM_REPORT_NO_TARGET' })
    await ill('Pump')
    const { id } = await create({ recipients: [], connectorId: hook.id })
    await seven()
    expect(smtp.received).toEqual([])
    expect(receiver.received.map(({ body }) => JSON.parse(String(body)))).toMatchObject([
      {
        report: { id, title: 'Daily', type: 'device' },
        group: 'Pumps',
        account: account.name,
        conditions: ['always'],
        alarms: { open: 1, unacknowledged: 1, new: 1 },
        devices: { total: 1, errors: 1 },
      },
    ])
    const also = await create({ title: 'Also by mail', connectorId: hook.id })
    const onlyMail = await create({ title: 'By mail' })
    await app.api.bridge.delete({ id: hook.id })
    await seven('2026-06-16')
    const runOf = async (reportId: number) => (await api.alarmReports.runs({ id: reportId })).items[0]
    expect(await runOf(id)).toMatchObject({ state: 'failed', reason: 'connectorGone' })
    expect(await runOf(also.id)).toMatchObject({ state: 'sent', reason: 'connectorGone', recipients: 1 })
    expect(await runOf(onlyMail.id)).toMatchObject({ state: 'sent', reason: null })
  })
})

describe('rights', () => {
  it('reports of other accounts are not there: ALARM_REPORT_NOT_FOUND', async () => {
    const made = await create()
    await seven()
    const [run] = (await api.alarmReports.runs({ id: made.id })).items
    const other = await createUser(app, await createAccount(app), [{ roleId }])
    const { accountId: _, ...changed } = fields()
    for (const call of [
      () => other.api.alarmReports.get({ id: made.id }),
      () => other.api.alarmReports.update({ ...changed, id: made.id, version: 1 }),
      () => other.api.alarmReports.delete({ id: made.id }),
      () => other.api.alarmReports.runs({ id: made.id }),
      () => other.api.alarmReports.file({ id: made.id, runId: run?.id as number }),
    ])
      expect(await errorOf(call())).toMatchObject({ code: 'ALARM_REPORT_NOT_FOUND' })
    expect((await other.api.alarmReports.list({})).total).toBe(0)
    expect(await errorOf(other.api.alarmReports.create(fields()))).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    expect(await errorOf(other.api.alarmReports.test(fields()))).toMatchObject({ code: 'TENANT_NOT_FOUND' })
  })

  it('only groups of the account and of those below it', async () => {
    const below = await createAccount(app, { parent: account })
    const mine = await api.smartGroup.create({ title: 'Below', accountId: below.id })
    const above = await app.api.smartGroup.create({
      title: `Above ${++serial}`,
      accountId: app.rootAccountId,
    })
    expect(await errorOf(app.api.alarmReports.create(fields({ groupId: above.id })))).toMatchObject({
      code: 'SMART_GROUP_NOT_FOUND',
    })
    expect(await errorOf(api.alarmReports.test(fields({ groupId: above.id })))).toMatchObject({
      code: 'SMART_GROUP_NOT_FOUND',
    })
    const { id } = await create({ groupId: mine.id })
    await sql`delete from smart_groups where id = ${mine.id}`.execute(app.ctx.db)
    await seven()
    expect((await api.alarmReports.runs({ id })).items[0]).toMatchObject({
      state: 'failed',
      reason: 'groupGone',
    })
    expect(await api.alarmReports.get({ id })).toMatchObject({ groupId: null, groupTitle: null })
  })

  it('keeps its group: SMART_GROUP_IN_USE', async () => {
    const { id } = await create()
    const error = await errorOf(api.smartGroup.delete({ id: groupId }))
    expect(error).toMatchObject({
      code: 'SMART_GROUP_IN_USE',
      data: { count: 1, items: [{ kind: 'alarmReport', id, title: 'Daily', notes: ['reports'] }] },
    })
    await api.alarmReports.delete({ id })
    await api.smartGroup.delete({ id: groupId })
  })
})

describe('reports of an account', () => {
  it('have titles of their own and are changed by one at a time', async () => {
    const made = await create()
    expect(made).toMatchObject({ groupTitle: 'Pumps', timeZone: 'Europe/Berlin', period: 'day', version: 1 })
    expect(await errorOf(create({ title: 'DAILY' }))).toMatchObject({ code: 'ALARM_REPORT_ALREADY_EXISTS' })
    const { accountId: _, ...changed } = fields({ title: 'Weekly', weekdays: [5, 1], period: 'week' })
    const after = await api.alarmReports.update({ ...changed, id: made.id, version: 1 })
    expect(after).toMatchObject({ title: 'Weekly', weekdays: [1, 5], version: 2 })
    expect(await errorOf(api.alarmReports.update({ ...changed, id: made.id, version: 1 }))).toMatchObject({
      code: 'VERSION_CONFLICT',
    })
    await create({ title: 'Alpha' })
    const titles = async (input: object) =>
      (await api.alarmReports.list(input)).items.map(({ title }) => title)
    expect(await titles({})).toEqual(['Alpha', 'Weekly'])
    expect(await titles({ search: 'week' })).toEqual(['Weekly'])
    expect(await titles({ order_by: '-title', limit: 1 })).toEqual(['Weekly'])
  })

  it('are 100 at most: ALARM_REPORT_LIMIT', async () => {
    const { id } = await create()
    await sql`insert into alarm_reports (account_id, scope_id, title, group_id, type, conditions, language, subject, tables,
        period, weekdays, time_zone, recipients, active, created_at, updated_at)
      select account_id, scope_id, title || n, group_id, type, conditions, language, subject, tables, period, weekdays,
        time_zone, recipients, false, created_at, updated_at
      from alarm_reports, generate_series(2, ${alarmReportLimits.ofAccountMax}) n where id = ${id}`.execute(
      app.ctx.db,
    )
    expect(await errorOf(create({ title: 'Last' }))).toMatchObject({ code: 'ALARM_REPORT_LIMIT' })
  })

  it.each([
    [{ timeZone: 'Mars/Base' }],
    [{ weekdays: [] }],
    [{ weekdays: [1, 1] }],
    [{ conditions: ['always', 'always'] }],
    [{ tables: ['passwords'] }],
    [{ recipients: ['no address'] }],
    [{ recipients: Array.from({ length: 51 }, (_, index) => `a${index}@example.org`) }],
    [{ groupId: 2 ** 40 }],
    [{ connectorId: 1, topic: 'a/#' }],
  ])('refuse %j', async (given) => {
    expect(await errorOf(create(given))).toMatchObject({ status: 400 })
  })
})

describe('a test', () => {
  it('goes to the caller only, and shows what was sent', async () => {
    await ill('Pump')
    const tried = await api.alarmReports.test(
      fields({ recipients: ['bob@example.net'], conditions: ['newThresholdAlarms'] }),
    )
    await app.drain()
    expect(tried).toMatchObject({ sentTo: address(), subject: '[Test] Pumps today', met: false })
    expect(smtp.received.map(({ to, subject }) => [to?.[0]?.address, subject])).toEqual([
      [address(), '[Test] Pumps today'],
    ])
    expect(smtp.received[0]?.html?.trim()).toBe(tried.html.trim())
    expect((await readPdf(Buffer.from(tried.pdf as string, 'base64'))).text).toContain('Change the battery')
  })

  it('only shows it without a mail', async () => {
    const shown = await api.alarmReports.test(fields({ send: false }))
    expect(shown).toMatchObject({ sentTo: null, subject: 'Pumps today', met: true, pdf: null })
    await app.drain()
    expect(smtp.received).toEqual([])
  })

  it('can be made some times in a row: ALARM_REPORT_TEST_TOO_MANY', async () => {
    for (let count = 0; count < 30; count++) await api.alarmReports.test(fields({ send: false }))
    expect(await errorOf(api.alarmReports.test(fields({ send: false })))).toMatchObject({
      code: 'ALARM_REPORT_TEST_TOO_MANY',
    })
  })
})

it('keeps what was sent for 90 days, and the history as long as values', async () => {
  const { id } = await create()
  await seven()
  const old = new Date(clock.now().getTime() - (alarmReportLimits.filesKeptDays + 1) * dayMs)
  await sql`update alarm_report_runs set at = ${old} where report_id = ${id}`.execute(app.ctx.db)
  clock.set('2026-06-25T03:00:00.000Z')
  await sql`update alarm_reports set next_at = null`.execute(app.ctx.db)
  await app.drain()
  const [run] = (await api.alarmReports.runs({ id })).items
  expect(run).toMatchObject({ state: 'sent', bytes: null })
  expect(await errorOf(api.alarmReports.file({ id, runId: run?.id as number }))).toMatchObject({
    code: 'NOT_FOUND',
  })
  await sql`update accounts set retention_months = 1 where id = ${account.id}`.execute(app.ctx.db)
  await app.app.retention.apply()
  expect((await api.alarmReports.runs({ id })).total).toBe(0)
})

describe('the template of its mail', () => {
  const words = {
    alarmReport: {
      subject: 'City: {{title}}',
      body: 'Dear all,\n\n{{text}}\n\n{{tables}}\n\n[Look]({{link}})',
    },
    alarmNotification: { subject: '{{title}}', body: '{{text}} {{profile}}' },
  }
  const administrator = async () => {
    const admin = await roleNamed(app, 'Account administrator')
    return (await createUser(app, account, [{ roleId: admin }])).api
  }
  const preview = (by: Api, id: keyof typeof words) =>
    by.mailTemplate.render({ id, accountId: account.id, language: 'en', ...words[id] })

  it('words the mail; what the report says stays the same', async () => {
    await ill('Pumpe <Süd>')
    const by = await administrator()
    await by.mailTemplate.save({
      id: 'alarmReport',
      accountId: account.id,
      language: 'en',
      version: 0,
      ...words.alarmReport,
    })
    await create({ language: 'en-GB' })
    await seven()
    const [mail] = smtp.received
    expect(mail?.subject).toBe('City: Pumps today')
    expect(mail?.text).toMatch(/^Dear all,\n\nPumps – City/)
    expect(mail?.text).toContain('Pumpe <Süd>')
    expect(mail?.html).toMatch(/<td class="text rule"[^>]*>Pumpe &#60;Süd&#62;/)
    expect((await pdfIn(mail)).text).toContain('Pumps today')
  })

  it('is previewed with the newest report and alarm of the account, else with examples', async () => {
    const before = await administrator()
    const example = await preview(before, 'alarmReport')
    expect(example).toMatchObject({ data: 'example', faults: [] })
    expect(example.mail?.html).toContain('Level above 3 m')
    expect((await preview(before, 'alarmNotification')).data).toBe('example')
    await ill('Gauge 7')
    await create()
    // What was found is kept for a minute for whom it was found.
    const after = await administrator()
    const real = await preview(after, 'alarmReport')
    expect(real).toMatchObject({ data: 'real', mail: { subject: 'City: Pumps today' } })
    expect(real.mail?.text).toContain('Gauge 7')
    const alarm = await preview(after, 'alarmNotification')
    expect(alarm.data).toBe('real')
    expect(`${alarm.mail?.subject} ${alarm.mail?.text}`).toContain('Gauge 7')
    expect(await errorOf(preview(api, 'alarmReport'))).toMatchObject({ code: 'NO_PERMISSION' })
  })
})
