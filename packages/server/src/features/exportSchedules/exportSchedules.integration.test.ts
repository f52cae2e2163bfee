import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { exportScheduleLimits } from '@leitstand/contract/exportSchedules'
import { sql } from 'kysely'
import mqtt from 'mqtt'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startSshd } from '../../../test/fileServers.ts'
import {
  type Api,
  createAccount,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { Mosquitto } from '../../../test/mosquitto.ts'
import { readPdf } from '../../../test/pdf.ts'
import { createConnector, createDevice } from '../../../test/pipeline.ts'
import { startReceiver, type TestReceiver } from '../../../test/receiver.ts'
import { startSmtp, type TestSmtp } from '../../../test/smtp.ts'
import { cellsOf, unzipped } from '../../../test/spreadsheets.ts'
import { createState, createTwin, writeValues } from '../../../test/twins.ts'

// Two in the afternoon in Berlin, a Monday.
const begin = '2026-06-15T12:00:00.000Z'
const clock = new FakeClock(begin)
let app: TestApp
let smtp: TestSmtp
let receiver: TestReceiver
let sshd: Awaited<ReturnType<typeof startSshd>>
let account: Awaited<ReturnType<typeof createAccount>>
let owner: Awaited<ReturnType<typeof createUser>>
let reader: Awaited<ReturnType<typeof createUser>>
let api: Api
let deviceId: number
let roleId: number
let serial = 0

beforeAll(async () => {
  smtp = await startSmtp()
  receiver = await startReceiver()
  sshd = await startSshd()
  app = await startApp({ clock, config: { smtpUrl: smtp.url, allowedNetworks: ['127.0.0.1'] } })
  roleId = await roleNamed(app, 'Operator')
  return async () => {
    await app[Symbol.asyncDispose]()
    await smtp[Symbol.asyncDispose]()
    await receiver[Symbol.asyncDispose]()
    await sshd[Symbol.asyncDispose]()
  }
})

beforeEach(async () => {
  clock.set(begin)
  // What other tests have left is not run.
  await sql`delete from export_schedules`.execute(app.ctx.db)
  account = await createAccount(app, { name: `City ${++serial}` })
  owner = await createUser(app, account, [{ roleId }], { username: `ada${serial}` })
  reader = await createUser(app, account, [{ roleId }], { username: `eve${serial}` })
  api = owner.api
  const connector = await createConnector(app, account.id, account.scopeId)
  deviceId = await createDevice(app, connector, `M${serial}`)
  await sql`update twins set title = 'Meter' where id = ${deviceId}`.execute(app.ctx.db)
  const level = await createState(app, deviceId, 'level', { title: 'Level', unit: 'kWh' })
  await writeValues(app, [
    { stateId: level, value: 10, time: '2026-05-20T06:00:00.000Z' },
    { stateId: level, value: 12, time: '2026-05-31T20:00:00.000Z' },
    { stateId: level, value: 14, time: '2026-06-14T06:00:00.000Z' },
    { stateId: level, value: 15, time: '2026-06-15T06:00:00.000Z' },
  ])
  await app.drain()
  smtp.received.length = 0
  receiver.received.length = 0
  receiver.answer = undefined
})

type Asked = Parameters<Api['exportSchedules']['create']>[0]

const address = (user = owner) => `${user.username}@example.org`
const values = {
  kind: 'values' as const,
  selection: { of: 'virtualDevices' as const, filter: {} },
  format: 'csv' as const,
}
const mailTo = (...recipients: string[]) => ({ kind: 'mail' as const, recipients })
const fields = (given: Partial<Asked> = {}): Asked => ({
  title: 'Meter readings',
  accountId: account.id,
  content: values,
  range: { which: 'last', unit: 'day' },
  frequency: { every: 'day', time: '06:00' },
  targets: [mailTo(address())],
  ...given,
})
const create = (given: Partial<Asked> = {}, as = api) => as.exportSchedules.create(fields(given))
const runsOf = async (id: number, as = api) => (await as.exportSchedules.runs({ id })).items
const at = async (time: string) => {
  clock.set(time)
  await app.drain()
}
const unzip = (bytes: unknown) => unzipped(new Uint8Array(bytes as ArrayBuffer))
const sftp = (given: object = {}) => ({
  kind: 'file' as const,
  target: {
    kind: 'sftp' as const,
    host: '127.0.0.1',
    port: sshd.port,
    username: sshd.username,
    signIn: 'privateKey' as const,
    fingerprint: sshd.fingerprint,
    ...given,
  },
  secret: sshd.privateKey,
})
/** The secret link in a mail. */
const linkIn = (text: string | undefined) => /http\S+\/api\/export-files\/[\w-]+/.exec(text ?? '')?.[0] ?? ''
const pathOf = (link: string) => `${app.url}${new URL(link).pathname}`
/** The code of the error that a link answers with. */
const codeAt = async (link: string) => ((await (await fetch(pathOf(link))).json()) as { code: string }).code

describe('a schedule', () => {
  it('runs at its time, with the values of its period, and mails the file packed', async () => {
    const { id, nextAt, last } = await create()
    expect({ nextAt, last }).toEqual({ nextAt: '2026-06-16T04:00:00.000Z', last: null })
    await at('2026-06-16T03:59:59.999Z')
    expect(smtp.received).toEqual([])
    await at('2026-06-16T04:00:00.000Z')
    const [mail, ...more] = smtp.received
    expect(more).toEqual([])
    expect(mail?.subject).toBe('Meter readings: 15 Jun 2026 00:00 to 16 Jun 2026 00:00')
    expect(mail?.text).toContain('Rows: 1')
    const [attached] = mail?.attachments ?? []
    expect(attached?.filename).toBe('Meter readings 2026-06-16 0600+0200.zip')
    const { name, content } = unzip(attached?.content)
    expect(name).toBe('Meter readings 2026-06-16 0600+0200.csv')
    expect(Buffer.from(content).toString()).toContain('2026-06-15 08:00:00,Meter')
    const [run] = await runsOf(id)
    expect(run).toMatchObject({
      dueAt: '2026-06-16T04:00:00.000Z',
      manual: false,
      state: 'done',
      reason: null,
      period: { start: '2026-06-14T22:00:00.000Z', end: '2026-06-15T22:00:00.000Z' },
      rows: 1,
      size: content.length,
      hasFile: true,
      deliveries: [{ kind: 'mail', name: address(), state: 'sent', attempts: 1, refused: 0 }],
    })
    expect(await api.job.get({ id: run?.jobId as number })).toMatchObject({
      state: 'done',
      accountId: account.id,
      user: owner.username,
    })
    expect(await api.exportSchedules.get({ id })).toMatchObject({
      nextAt: '2026-06-17T04:00:00.000Z',
      last: { dueAt: '2026-06-16T04:00:00.000Z', state: 'done' },
    })
  })

  it('exports the reading at the cut-off date, as a spreadsheet', async () => {
    await create({
      content: { ...values, values: { kind: 'reading', duration: '1mo' }, format: 'xlsx' },
      range: { which: 'last', unit: 'month' },
      frequency: { every: 'month', day: 1, time: '00:15' },
    })
    await at('2026-06-30T22:15:00.000Z')
    const { content } = unzip(smtp.received[0]?.attachments[0]?.content)
    const [, ...readings] = await cellsOf(content)
    expect(readings.map((cells) => cells.slice(1, 7))).toEqual([
      ['Meter', `M${serial}`, 'Level', 'level', 15, 'kWh'],
    ])
  })

  it('runs once although several processes run schedules', async () => {
    for (let count = 0; count < 4; count++) await create({ title: `Readings ${count}` })
    clock.set('2026-06-16T04:00:00.000Z')
    await using second = await startApp({ clock, address: app.address, config: { smtpUrl: smtp.url } })
    await Promise.all([app.drain(), second.drain()])
    await app.drain()
    expect(smtp.received.map(({ attachments }) => attachments[0]?.filename?.slice(0, 10)).sort()).toEqual([
      'Readings 0',
      'Readings 1',
      'Readings 2',
      'Readings 3',
    ])
  })

  it('makes up for the last time that was missed, with the period of that time, and names the others', async () => {
    const { id } = await create()
    await at('2026-06-18T18:00:00.000Z')
    const runs = await runsOf(id)
    expect(runs.map(({ dueAt, state }) => `${dueAt.slice(0, 10)} ${state}`)).toEqual([
      '2026-06-18 done',
      '2026-06-17 missed',
      '2026-06-16 missed',
    ])
    expect(runs[0]?.period?.end).toBe('2026-06-17T22:00:00.000Z')
    expect((await api.exportSchedules.get({ id })).nextAt).toBe('2026-06-19T04:00:00.000Z')
  })

  it('finds what belongs to its selection anew, and is no failure without', async () => {
    const tagged = { of: 'virtualDevices' as const, filter: { tags: ['later'] } }
    const { id } = await create({ content: { ...values, selection: tagged } })
    await at('2026-06-16T04:00:00.000Z')
    expect((await runsOf(id))[0]).toMatchObject({ state: 'empty', jobId: null, deliveries: [] })
    await sql`update twins set tags = '{later}' where id = ${deviceId}`.execute(app.ctx.db)
    await at('2026-06-17T04:00:00.000Z')
    expect((await runsOf(id))[0]).toMatchObject({ state: 'done' })
    expect(smtp.received).toHaveLength(1)
  })

  it('is run by hand, one at a time: EXPORT_SCHEDULE_RUNNING', async () => {
    const { id } = await create({ active: false, range: { which: 'current', unit: 'day' } })
    expect(await api.exportSchedules.run({ id })).toMatchObject({ manual: true, state: 'waiting' })
    expect(await errorOf(api.exportSchedules.run({ id }))).toMatchObject({ code: 'EXPORT_SCHEDULE_RUNNING' })
    await app.drain()
    expect((await runsOf(id))[0]).toMatchObject({
      state: 'done',
      rows: 1,
      period: { start: '2026-06-14T22:00:00.000Z', end: begin },
    })
    expect(await api.exportSchedules.get({ id })).toMatchObject({ active: false, nextAt: null })
    await api.exportSchedules.run({ id })
  })

  it('is begun again by another process when one has died, and given up after three times', async () => {
    const { id } = await create({ active: false })
    const later = new Date(clock.now().getTime() + 60_000)
    await sql`insert into export_schedule_runs (schedule_id, due_at, state, at, try_at, attempts)
      values (${id}, '2026-06-15T04:00:00Z', 'waiting', ${clock.now()}, ${later}, 1),
        (${id}, '2026-06-14T04:00:00Z', 'waiting', ${clock.now()}, ${clock.now()}, 3)`.execute(app.ctx.db)
    await app.drain()
    expect((await runsOf(id)).map(({ state, reason }) => [state, reason])).toEqual([
      ['waiting', null],
      ['failed', 'interrupted'],
    ])
    await at(later.toISOString())
    expect((await runsOf(id)).map(({ state }) => state)).toEqual(['done', 'failed'])
  })

  it('waits while its account has too many background jobs, and gives up after two hours', async () => {
    const { id } = await create({ active: false })
    for (let count = 0; count < 20; count++)
      await sql`insert into background_jobs (type, account_id, scope_id, user_name, title, resource_type, resource_id, params,
          total, created_at, state)
        values ('packets-decode', ${account.id}, ${account.scopeId}, 'x', 'x', 'account', ${account.id}, '{}', 1, now(),
          'postprocessing')`.execute(app.ctx.db)
    await sql`update background_jobs set type = 'unknown' where account_id = ${account.id}`.execute(
      app.ctx.db,
    )
    await api.exportSchedules.run({ id })
    await app.drain()
    expect((await runsOf(id))[0]).toMatchObject({ state: 'waiting' })
    await at('2026-06-15T14:01:00.000Z')
    expect((await runsOf(id))[0]).toMatchObject({ state: 'failed', reason: 'busy' })
    await sql`delete from background_jobs where account_id = ${account.id}`.execute(app.ctx.db)
  })
})

describe('its owner', () => {
  it('has lost access: the run fails, the schedule is switched off, and managers see it', async () => {
    const { id } = await create()
    await sql`update users set active = false where id = ${owner.id}`.execute(app.ctx.db)
    app.app.people.forgetRights()
    await at('2026-06-16T04:00:00.000Z')
    const seen = await app.api.exportSchedules.get({ id })
    expect(seen).toMatchObject({ active: false, nextAt: null, editable: true, last: { reason: 'ownerGone' } })
  })

  it('may read nothing in the account any more', async () => {
    const { id } = await create()
    await sql`delete from user_access where user_id = ${owner.id}`.execute(app.ctx.db)
    app.app.people.forgetRights()
    await at('2026-06-16T04:00:00.000Z')
    expect((await runsOf(id, reader.api))[0]).toMatchObject({ state: 'failed', reason: 'ownerRights' })
    expect(smtp.received.map(({ subject }) => subject)).toEqual(['Scheduled export failed: Meter readings'])
    expect(smtp.received[0]?.text).toContain('was disabled')
  })
})

describe('secret links', () => {
  it('let anybody download the file for 14 days, and say nothing else: EXPORT_LINK_ENDED', async () => {
    await create({ targets: [{ ...mailTo(address()), attach: 'link' }] })
    await at('2026-06-16T04:00:00.000Z')
    const link = linkIn(smtp.received[0]?.text)
    expect(smtp.received[0]?.attachments).toEqual([])
    const answer = await fetch(pathOf(link), { headers: { 'sec-fetch-dest': 'document' } })
    expect(await answer.text()).toContain('Meter')
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': expect.stringMatching(/^attachment; filename="Meter readings 2026-06-16 /),
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
      'cache-control': 'private, no-store',
    })
    const stored = await sql<{
      text: string
    }>`select l::text as text from export_schedule_links l`.execute(app.ctx.db)
    expect(stored.rows).toHaveLength(1)
    expect(stored.rows[0]?.text).not.toContain(link.slice(-43))
    clock.advance(exportScheduleLimits.linkDays * 86_400_000)
    expect(await codeAt(link)).toBe('EXPORT_LINK_ENDED')
  })

  it('lead to nothing once the file is deleted', async () => {
    const { id } = await create({ targets: [{ ...mailTo(address()), attach: 'link' }] })
    await at('2026-06-16T04:00:00.000Z')
    const link = linkIn(smtp.received[0]?.text)
    const [run] = await runsOf(id)
    expect(run).toMatchObject({ hasFile: true, state: 'done' })
    await api.exporting.deleteFile({ id: run?.jobId as number })
    expect(await codeAt(link)).toBe('EXPORT_LINK_ENDED')
    expect((await runsOf(id))[0]).toMatchObject({ id: run?.id, hasFile: false, state: 'done' })
  })
})

describe('targets', () => {
  it('recipients outside the account have to agree first', async () => {
    const { id } = await create({ targets: [mailTo(address(), 'bob@example.net')] })
    await app.drain()
    expect(smtp.received.map(({ to }) => to?.[0]?.address)).toEqual(['bob@example.net'])
    await at('2026-06-16T04:00:00.000Z')
    expect((await runsOf(id))[0]?.deliveries).toMatchObject([{ state: 'sent', refused: 1 }])
    const only = await create({ title: 'For strangers', targets: [mailTo('bob@example.net')] })
    await at('2026-06-17T04:00:00.000Z')
    expect((await runsOf(only.id))[0]).toMatchObject({
      state: 'failed',
      reason: 'notDelivered',
      deliveries: [{ state: 'failed', reason: 'noRecipient', attempts: 1 }],
    })
  })

  it('a connector of the account gets a message: EXPORT_SCHEDULE_CONNECTOR_INVALID for any other', async () => {
    const make = (accountId: number) =>
      app.api.bridge.create({
        accountId,
        name: `Hook ${++serial}`,
        kind: 'webhook-out',
        settings: { url: `${receiver.url}/exports` },
      })
    const hook = await make(account.id)
    const foreign = await make(app.rootAccountId)
    const through = (connectorId: number, given: object = {}) => ({
      targets: [{ kind: 'connector' as const, connectorId, ...given }],
    })
    for (const given of [through(foreign.id), through(hook.id, { topic: 'exports' }), through(2 ** 31 - 1)])
      expect(await errorOf(create(given))).toMatchObject({ code: 'EXPORT_SCHEDULE_CONNECTOR_INVALID' })
    const forward = { plant: 'North', exportSchedule: 'mine' }
    const { id, targets } = await create(through(hook.id, { forward }))
    expect(targets).toMatchObject([{ kind: 'connector', connectorName: hook.name }])
    expect(await app.api.objects.usersOfConnector({ id: hook.id })).toMatchObject({
      items: [{ kind: 'exportSchedule', id, notes: ['sends'] }],
    })
    await at('2026-06-16T04:00:00.000Z')
    const [message] = receiver.received.map(({ body }) => JSON.parse(String(body)))
    expect(message).toMatchObject({
      plant: 'North',
      exportSchedule: { id, title: 'Meter readings' },
      time: '2026-06-16T04:00:00.000Z',
      period: { start: '2026-06-14T22:00:00.000Z', end: '2026-06-15T22:00:00.000Z' },
      file: {
        name: 'Meter readings 2026-06-16 0600+0200.csv',
        rows: 1,
        content: expect.stringContaining('Meter'),
      },
    })
    expect(await (await fetch(pathOf(message.file.link))).text()).toBe(message.file.content)
    await sql`delete from connectors where id = ${hook.id}`.execute(app.ctx.db)
    await at('2026-06-17T04:00:00.000Z')
    expect((await runsOf(id))[0]?.deliveries).toMatchObject([{ state: 'failed', reason: 'connectorGone' }])
    expect((await api.exportSchedules.get({ id })).targets).toMatchObject([{ connectorName: null }])
  })

  it('a webhook that is away gets the same message later', async () => {
    const hook = await app.api.bridge.create({
      accountId: account.id,
      name: `Hook ${++serial}`,
      kind: 'webhook-out',
      settings: { url: `${receiver.url}/exports` },
    })
    const { id } = await create({ targets: [{ kind: 'connector', connectorId: hook.id }] })
    receiver.answer = (response) => response.writeHead(503).end()
    await at('2026-06-16T04:00:00.000Z')
    expect((await runsOf(id))[0]).toMatchObject({
      state: 'delivering',
      deliveries: [{ state: 'waiting', attempts: 1, reason: 'rejected', detail: 'HTTP 503' }],
    })
    receiver.answer = undefined
    await at('2026-06-16T04:05:00.000Z')
    expect((await runsOf(id))[0]).toMatchObject({
      state: 'done',
      deliveries: [{ state: 'sent', attempts: 2 }],
    })
    const keys = receiver.received.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
  })

  it('a broker gets the message on its topic, and later if it is away', async () => {
    await using mosquitto = await Mosquitto.start()
    const connector = await app.api.bridge.create({
      accountId: account.id,
      kind: 'mqtt-in',
      name: `Broker ${++serial}`,
      settings: {
        host: '127.0.0.1',
        port: mosquitto.port,
        username: 'bridge',
        password: 'secret',
        topics: ['shared/in'],
      },
    })
    const becomes = (state: string) =>
      expect.poll(async () => (await app.api.bridge.get({ id: connector.id })).state).toBe(state)
    const arrived: { topic: string; message: { file: { link: string } }; qos: number; retain: boolean }[] = []
    await using listening = new AsyncDisposableStack()
    const listener = listening.adopt(
      // The broker keeps for it what arrives while it is not connected.
      await mqtt.connectAsync(`mqtt://127.0.0.1:${mosquitto.port}`, {
        username: 'bridge',
        password: 'secret',
        clientId: 'listener',
        clean: false,
      }),
      (client) => client.endAsync(true),
    )
    listener.on('message', (topic, payload, { qos, retain }) =>
      arrived.push({ topic, message: JSON.parse(payload.toString()), qos, retain }),
    )
    await listener.subscribeAsync('shared/exports', { qos: 1 })
    await becomes('connected')
    const { id } = await create({
      targets: [
        {
          kind: 'connector',
          connectorId: connector.id,
          topic: 'shared/exports',
          forward: { plant: 'North' },
        },
      ],
    })
    await at('2026-06-16T04:00:00.000Z')
    expect((await runsOf(id))[0]).toMatchObject({
      state: 'done',
      deliveries: [{ kind: 'connector', name: connector.name, state: 'sent', attempts: 1, reason: null }],
    })
    await expect.poll(() => arrived.length).toBe(1)
    expect(arrived[0]).toMatchObject({
      topic: 'shared/exports',
      qos: 1,
      retain: false,
      message: {
        plant: 'North',
        exportSchedule: { id, title: 'Meter readings' },
        file: { rows: 1, content: expect.stringContaining('Meter') },
      },
    })
    const download = await fetch(pathOf(arrived[0]?.message.file.link ?? ''))
    expect(await download.text()).toContain('Meter')

    await mosquitto.down()
    await becomes('error')
    await at('2026-06-17T04:00:00.000Z')
    expect((await runsOf(id))[0]).toMatchObject({
      state: 'delivering',
      deliveries: [{ state: 'waiting', attempts: 1, reason: 'notConnected' }],
    })
    await mosquitto.up()
    await becomes('connected')
    await at('2026-06-17T04:05:00.000Z')
    expect((await runsOf(id))[0]).toMatchObject({
      state: 'done',
      deliveries: [{ state: 'sent', attempts: 2 }],
    })
    await expect.poll(() => arrived.length).toBe(2)

    const { version } = await app.api.bridge.get({ id: connector.id })
    await app.api.bridge.update({ ...connector, version, enabled: false })
    for (const time of ['04:00', '04:05', '04:15']) await at(`2026-06-18T${time}:00.000Z`)
    expect((await runsOf(id))[0]).toMatchObject({
      state: 'failed',
      reason: 'notDelivered',
      deliveries: [{ state: 'failed', attempts: 3, reason: 'connectorDisabled' }],
    })
    expect(arrived).toHaveLength(2)
  })

  it('a server gets the file, with a secret that is never shown: EXPORT_SCHEDULE_SECRET_MISSING without one', async () => {
    const { secret: _, ...without } = sftp()
    expect(await errorOf(create({ targets: [without] }))).toMatchObject({
      code: 'EXPORT_SCHEDULE_SECRET_MISSING',
    })
    const made = await create({ targets: [sftp({ folder: 'reports' })] })
    expect(made.targets).toMatchObject([{ kind: 'file', hasSecret: true }])
    expect(JSON.stringify(made)).not.toContain('PRIVATE KEY')
    const stored = await sql`select targets::text from export_schedules where id = ${made.id}`.execute(
      app.ctx.db,
    )
    expect(JSON.stringify(stored.rows)).not.toContain('PRIVATE KEY')
    await at('2026-06-16T04:00:00.000Z')
    const folder = join(sshd.folder, 'reports')
    expect(readdirSync(folder)).toEqual(['Meter readings 2026-06-16 0600+0200.csv'])
    expect(readFileSync(join(folder, 'Meter readings 2026-06-16 0600+0200.csv'), 'utf8')).toContain('Meter')
    expect((await runsOf(made.id))[0]?.deliveries).toMatchObject([
      { kind: 'file', name: `127.0.0.1:${sshd.port}`, state: 'sent' },
    ])
  })

  it('is tried again some minutes later, and the others do not wait for it', async () => {
    const closed = { ...sftp({ port: 1 }) }
    const { id } = await create({ targets: [closed, mailTo(address())] })
    await at('2026-06-16T04:00:00.000Z')
    expect((await runsOf(id))[0]).toMatchObject({
      state: 'delivering',
      deliveries: [{ state: 'waiting', attempts: 1, reason: 'unreachable' }, { state: 'sent' }],
    })
    await at('2026-06-16T04:05:00.000Z')
    await at('2026-06-16T04:15:00.000Z')
    expect((await runsOf(id))[0]).toMatchObject({
      state: 'partly',
      deliveries: [{ state: 'failed', attempts: 3, reason: 'unreachable' }, { state: 'sent' }],
    })
    expect(smtp.received.map(({ subject }) => subject)).toEqual([
      expect.stringContaining('Meter readings: '),
      'Scheduled export failed: Meter readings',
    ])
    expect(smtp.received[1]?.text).toContain(`/#/scheduled-exports?history=${id}`)
  })

  it('are tried again at once by the next process when one is stopped in the middle', async () => {
    // The first connection is never answered, the others reach the server.
    const sockets: Socket[] = []
    const gate = createServer((socket) => {
      sockets.push(socket.on('error', () => socket.destroy()))
      if (sockets.length > 1) socket.pipe(connect(sshd.port, '127.0.0.1')).pipe(socket)
    })
    await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve))
    const { port } = gate.address() as AddressInfo
    const config = { allowedNetworks: ['127.0.0.1'] }
    const first = await startApp({ clock, config })
    const place = await createAccount(first)
    await createState(first, (await createTwin(first, place)).id, 'level')
    const asked = once(gate, 'connection')
    const { id } = await first.api.exportSchedules.create({
      ...fields({
        accountId: place.id,
        content: { ...values, selection: { of: 'digitalTwins', filter: {} } },
      }),
      targets: [sftp({ port })],
      active: false,
    })
    await first.api.exportSchedules.run({ id })
    await asked
    await first[Symbol.asyncDispose]()
    await using second = await startApp({ clock, config, address: first.address })
    await second.drain()
    expect((await second.api.exportSchedules.runs({ id })).items).toMatchObject([
      { state: 'done', deliveries: [{ state: 'sent', attempts: 1 }] },
    ])
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => gate.close(resolve))
  })

  it('say that there is no mail server', async () => {
    await using bare = await startApp({ clock })
    const place = await createAccount(bare)
    const { id: twinId } = await createTwin(bare, place)
    await createState(bare, twinId, 'level')
    const { id } = await bare.api.exportSchedules.create({
      ...fields({
        accountId: place.id,
        content: { ...values, selection: { of: 'digitalTwins', filter: {} } },
      }),
      targets: [mailTo('admin@localhost')],
      active: false,
    })
    await bare.api.exportSchedules.run({ id })
    await bare.drain()
    expect((await bare.api.exportSchedules.runs({ id })).items[0]).toMatchObject({
      deliveries: [{ state: 'waiting', reason: 'noMailServer', attempts: 1 }],
    })
  })

  it('a failure is mailed once until it has succeeded again', async () => {
    const { id } = await create({
      frequency: { every: 'hour', minute: 0 },
      targets: [sftp({ fingerprint: `SHA256:${'A'.repeat(43)}` })],
    })
    await at('2026-06-15T13:00:00.000Z')
    await at('2026-06-15T14:00:00.000Z')
    expect((await runsOf(id)).map(({ state, deliveries }) => [state, deliveries[0]?.reason])).toEqual([
      ['failed', 'fingerprint'],
      ['failed', 'fingerprint'],
    ])
    expect(smtp.received).toHaveLength(1)
    await sql`update export_schedules set targets = jsonb_set(targets, '{0,target,fingerprint}',
      to_jsonb(${sshd.fingerprint}::text)) where id = ${id}`.execute(app.ctx.db)
    await at('2026-06-15T15:00:00.000Z')
    expect((await runsOf(id))[0]).toMatchObject({ state: 'done' })
    await sql`update export_schedules set targets = jsonb_set(targets, '{0,target,port}', '1') where id = ${id}`.execute(
      app.ctx.db,
    )
    for (const time of ['16:00', '16:05', '16:15']) await at(`2026-06-15T${time}:00.000Z`)
    expect(smtp.received).toHaveLength(2)
  })

  it('are tried first, some in a row: EXPORT_SCHEDULE_TARGET_FAILED, EXPORT_SCHEDULE_TEST_TOO_MANY', async () => {
    const { checkTarget } = api.exportSchedules
    const { target, secret } = sftp()
    expect(await checkTarget({ what: 'fingerprint', host: '127.0.0.1', port: sshd.port })).toEqual({
      fingerprint: sshd.fingerprint,
      left: null,
    })
    expect(await checkTarget({ what: 'target', target, secret })).toEqual({ fingerprint: null, left: null })
    expect(
      await errorOf(checkTarget({ what: 'target', target: { ...target, username: 'nobody-here' }, secret })),
    ).toMatchObject({
      code: 'EXPORT_SCHEDULE_TARGET_FAILED',
      data: { reason: 'signIn' },
    })
    expect(
      await errorOf(checkTarget({ what: 'fingerprint', host: '169.254.169.254', port: 22 })),
    ).toMatchObject({
      data: { reason: 'forbidden' },
    })
    const codes: unknown[] = []
    for (let count = 0; count < 7; count++)
      codes.push((await errorOf(checkTarget({ what: 'fingerprint', host: '10.0.0.1', port: 22 }))).code)
    expect(codes.at(-1)).toBe('EXPORT_SCHEDULE_TEST_TOO_MANY')
  })
})

describe('a copy', () => {
  it('has the secrets of the original for the same server only, if its maker may change the original', async () => {
    const original = await create({ targets: [mailTo(address()), sftp()] })
    const { secret: _, ...without } = sftp()
    const copyOf = original.id
    const copy = await create({ title: 'Another', copyOf, targets: [mailTo(address()), without] })
    await api.exportSchedules.run({ id: copy.id })
    await app.drain()
    expect((await runsOf(copy.id))[0]).toMatchObject({ state: 'done' })
    const elsewhere = { ...without, target: { ...without.target, port: sshd.port - 1 } }
    for (const targets of [[mailTo(address()), elsewhere], [without]])
      expect(await errorOf(create({ copyOf, targets }))).toMatchObject({
        code: 'EXPORT_SCHEDULE_SECRET_MISSING',
      })
    expect(
      await errorOf(create({ copyOf, targets: [mailTo(address()), without] }, reader.api)),
    ).toMatchObject({
      code: 'NO_PERMISSION',
    })
    expect(
      await errorOf(
        reader.api.exportSchedules.checkTarget({
          what: 'target',
          target: without.target,
          copyOf,
          position: 1,
        }),
      ),
    ).toMatchObject({ code: 'NO_PERMISSION' })
    expect(
      await api.exportSchedules.checkTarget({ what: 'target', target: without.target, copyOf, position: 1 }),
    ).toEqual({
      fingerprint: null,
      left: null,
    })
  })
})

describe('rights', () => {
  it('readers of the account see it, and only its owner and managers change it', async () => {
    const { id, version } = await create()
    expect(await reader.api.exportSchedules.get({ id })).toMatchObject({
      editable: false,
      ownerName: owner.username,
    })
    const changes = (as: Api) => [
      () => as.exportSchedules.update({ id, version, title: 'Other', active: false }),
      () => as.exportSchedules.run({ id }),
      () => as.exportSchedules.delete({ id }),
    ]
    for (const change of changes(reader.api))
      expect(await errorOf(change())).toMatchObject({ code: 'NO_PERMISSION' })
    const stranger = await createUser(app, await createAccount(app), [{ roleId }])
    for (const change of [
      ...changes(stranger.api),
      () => stranger.api.exportSchedules.get({ id }),
      () => stranger.api.exportSchedules.runs({ id }),
    ])
      expect(await errorOf(change())).toMatchObject({ code: 'EXPORT_SCHEDULE_NOT_FOUND' })
    expect(await errorOf(create({}, stranger.api))).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    for (const change of changes(app.api)) await change()
  })

  it('exports what its owner may read, whoever runs it', async () => {
    const all = await create({ range: { which: 'last', unit: 'year' } }, app.api)
    const own = await create({ title: 'Own devices', range: { which: 'current', unit: 'year' } })
    await app.api.exportSchedules.run({ id: own.id })
    await app.drain()
    expect((await runsOf(own.id))[0]).toMatchObject({ state: 'done', rows: 4 })
    await api.exportSchedules.get({ id: all.id })
    expect(await errorOf(api.exportSchedules.run({ id: all.id }))).toMatchObject({ code: 'NO_PERMISSION' })
  })
})

describe('schedules of an account', () => {
  it('are renamed and switched, nothing else, by one at a time', async () => {
    const { id } = await create()
    const off = await api.exportSchedules.update({ id, version: 1, title: 'Renamed', active: false })
    expect(off).toMatchObject({ title: 'Renamed', active: false, nextAt: null, version: 2 })
    expect(
      await errorOf(api.exportSchedules.update({ id, version: 1, title: 'Again', active: true })),
    ).toMatchObject({
      code: 'VERSION_CONFLICT',
    })
    const on = await api.exportSchedules.update({ id, version: 2, title: 'Renamed', active: true })
    expect(on.nextAt).toBe('2026-06-16T04:00:00.000Z')
    await create({ title: 'Alpha', frequency: { every: 'hour', minute: 1 } })
    const titles = async (input: object) =>
      (await api.exportSchedules.list(input)).items.map(({ title }) => title)
    expect(await titles({})).toEqual(['Alpha', 'Renamed'])
    expect(await titles({ search: 'rena' })).toEqual(['Renamed'])
    expect(await titles({ order_by: '-nextAt', limit: 1 })).toEqual(['Renamed'])
    await api.exportSchedules.delete({ id })
    expect(await titles({})).toEqual(['Alpha'])
  })

  it('are 100 at most: EXPORT_SCHEDULE_LIMIT', async () => {
    const { id } = await create()
    await sql`insert into export_schedules (account_id, scope_id, title, content, range, frequency, time_zone, targets, active,
        owner, owner_name, created_at, updated_at)
      select account_id, scope_id, title || n, content, range, frequency, time_zone, targets, false, owner, owner_name,
        created_at, updated_at
      from export_schedules, generate_series(2, ${exportScheduleLimits.ofAccountMax}) n where id = ${id}`.execute(
      app.ctx.db,
    )
    expect(await errorOf(create())).toMatchObject({ code: 'EXPORT_SCHEDULE_LIMIT' })
  })

  it('show when they will run before they are made', async () => {
    const shown = await api.exportSchedules.preview({
      frequency: { every: 'month', day: 'last', time: '00:15' },
      range: { which: 'current', unit: 'month' },
      timeZone: 'Europe/Berlin',
    })
    expect(shown).toHaveLength(3)
    expect(shown[0]).toEqual({
      at: '2026-06-29T22:15:00.000Z',
      start: '2026-05-31T22:00:00.000Z',
      end: '2026-06-29T22:15:00.000Z',
    })
  })

  it.each<[string, object]>([
    ['a day that no month has', { frequency: { every: 'year', month: 2, day: 30, time: '00:00' } }],
    ['a time that no clock shows', { frequency: { every: 'day', time: '24:00' } }],
    ['an unknown zone', { timeZone: 'Mars/Base' }],
    ['no target', { targets: [] }],
    ['too many targets', { targets: Array.from({ length: 6 }, () => mailTo('a@example.org')) }],
    ['what is no address', { targets: [mailTo('no address')] }],
    ['what leaves the folder', { targets: [{ kind: 'file', target: { kind: 'sftp', folder: '../x' } }] }],
    ['what is no JSON object', { targets: [{ kind: 'connector', connectorId: 1, forward: '{}' }] }],
    ['a range with fixed ends', { range: { start: begin, end: '2026-07-01T00:00:00Z' } }],
    ['an id beyond all', { accountId: 2 ** 40 }],
  ])('refuse %s', async (_, given) => {
    expect(await errorOf(create(given as Partial<Asked>))).toMatchObject({ status: 400 })
  })

  it('refuse what could never be exported: EXPORT_TOO_MANY_INTERVALS', async () => {
    const content = {
      ...values,
      values: { kind: 'interval' as const, method: 'avg' as const, duration: '5m' as const },
    }
    const range = { which: 'last' as const, unit: 'year' as const }
    await create({ content, range })
    expect(
      (
        await errorOf(
          create({ content: { ...content, selection: { of: 'smartGroup', groupId: 1_000_000 } } }),
        )
      ).code,
    ).toBe('SMART_GROUP_NOT_FOUND')
  })

  it('are used by what they use, and go with their account', async () => {
    const group = await app.api.smartGroup.create({ title: 'Meters', accountId: account.id })
    const { id } = await create({
      content: { ...values, selection: { of: 'smartGroup', groupId: group.id } },
    })
    expect(await errorOf(app.api.smartGroup.delete({ id: group.id }))).toMatchObject({
      data: { items: [{ kind: 'exportSchedule', id, notes: ['exports'] }] },
    })
  })
})

it('keeps its history as long as values', async () => {
  const { id } = await create()
  await at('2026-06-16T04:00:00.000Z')
  await sql`update export_schedules set active = false, next_at = null`.execute(app.ctx.db)
  await sql`update accounts set retention_months = 1 where id = ${account.id}`.execute(app.ctx.db)
  clock.set('2026-08-01T00:00:00.000Z')
  await app.app.retention.apply()
  const { rows } = await sql`select from export_schedule_runs where schedule_id = ${id}`.execute(app.ctx.db)
  expect(rows).toEqual([])
})

describe('a dashboard', () => {
  it('is printed with the values of the period, and mailed as PDF', async () => {
    const page = await fetch(app.url)
    expect(page.status, 'the console is built: npm run build').toBe(200)
    const [{ id: stateId } = { id: 0 }] = (
      await sql<{ id: number }>`select id from states where twin_id = ${deviceId} and key = 'level'`.execute(
        app.ctx.db,
      )
    ).rows
    const board = await api.dashboards.create({
      accountId: account.id,
      name: 'Meters of the month',
      widgets: [{ type: 'value', title: 'Level now', valueOptions: { stateIds: [stateId] } }],
    })
    const content = { kind: 'dashboard' as const, dashboardId: board.id, language: 'en' as const }
    const { id } = await create({ content, range: { which: 'last', unit: 'month' } })
    const { items } = await api.objects.usersOfDashboard({ id: board.id })
    expect(items.map(({ title }) => title)).toEqual(['Meter readings'])
    await at('2026-06-16T04:00:00.000Z')
    const [mail] = smtp.received
    expect(mail?.text).not.toContain('Rows')
    const [attached] = mail?.attachments ?? []
    expect(attached).toMatchObject({
      filename: 'Meter readings 2026-06-16 0600+0200.pdf',
      mimeType: 'application/pdf',
    })
    const { text } = await readPdf(new Uint8Array(attached?.content as ArrayBuffer))
    expect(text).toContain('Meters of the month')
    expect(text).toContain('1 May 2026, 00:00 – 1 Jun 2026, 00:00')
    expect((await runsOf(id))[0]).toMatchObject({ state: 'done', rows: 0, hasFile: true })
    await api.dashboards.delete({ id: board.id })
    await at('2026-06-17T04:00:00.000Z')
    expect((await runsOf(id))[0]).toMatchObject({ state: 'failed', reason: 'selectionGone' })
  })

  it('must be one that its owner may see', async () => {
    const elsewhere = await createAccount(app, { name: `Other ${serial}` })
    const hidden = await app.api.dashboards.create({ accountId: elsewhere.id, name: 'Hidden' })
    const content = { kind: 'dashboard' as const, dashboardId: hidden.id }
    expect(await errorOf(create({ content }))).toMatchObject({ code: 'DASHBOARD_NOT_FOUND' })
  })
})
