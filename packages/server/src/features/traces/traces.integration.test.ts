import type { Trace, TraceStep } from '@leitstand/contract/traces'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccount, createRole, createUser, errorOf, startApp, type TestApp } from '../../../test/kit.ts'
import { createDevice, createDriver, createState } from '../../../test/pipeline.ts'
import { startSmtp, type TestSmtp } from '../../../test/smtp.ts'
import { createTwin, setScope } from '../../../test/twins.ts'

/** From an uplink over HTTP to a mail over SMTP, and back from each of them. */

let smtp: TestSmtp
let app: TestApp
beforeAll(async () => {
  smtp = await startSmtp()
  app = await startApp({ config: { smtpUrl: smtp.url, allowedNetworks: ['127.0.0.0/8'] } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

const thermometer =
  'function decodeUplink({ bytes }) { return { data: { temperature: bytes[0], spare: 1 } } }'
const above = (alias: string, limit: number) =>
  ({ op: 'gt', left: { metric: alias }, right: { value: limit } }) as const
let serial = 0

/** A device, a room that shows its temperature, a building with the mean, and rules on both. */
async function city() {
  const name = `City ${++serial}`
  const account = await createAccount(app)
  const connector = await app.api.bridge.create({
    accountId: account.id,
    kind: 'webhook-in',
    name: `${name} webhook`,
    settings: { preset: 'standard', template: '' },
  })
  const owner = { id: connector.id, accountId: account.id, scopeId: account.scopeId }
  const driverId = await createDriver(app, thermometer)
  const externalId = `T${serial}`
  const device = await createDevice(app, owner, externalId, driverId)
  const measured = await createState(app, device, {
    key: 'temperature',
    source: 'connector',
    connectorId: connector.id,
  })
  const room = await createTwin(app, account, { title: `${name} room` })
  const shown = await createState(app, room.id, {
    key: 'shown',
    of: { stateIds: [measured], method: 'latest' },
  })
  const building = await createTwin(app, account, { title: `${name} building` })
  const other = await createState(app, building.id, { key: 'other' })
  const mean = await createState(app, building.id, {
    key: 'mean',
    of: { stateIds: [measured, other], method: 'max' },
  })
  const fan = await createState(app, building.id, { key: 'fan', valueType: 'boolean' })
  const { api, user } = await administrator(account)
  const rule = await app.api.ddr.create({
    dtwinId: room.id,
    title: `${name} warm`,
    metrics: [{ alias: 'temperature', stateId: shown }],
    conditions: above('temperature', 30),
    actions: [
      { kind: 'email', recipients: [user.email], subject: 'Warm', body: 'It is {{temperature}}.' },
      { kind: 'alarm', severity: 'warning', message: 'Warm: {{temperature}}' },
      { kind: 'set-state', stateId: fan, value: { value: true } },
    ],
  })
  const quiet = await app.api.ddr.create({
    dtwinId: building.id,
    title: `${name} hot`,
    metrics: [{ alias: 'mean', stateId: mean }],
    conditions: above('mean', 90),
    actions: [{ kind: 'alarm', severity: 'error', message: 'Hot' }],
  })
  const onFan = await app.api.ddr.create({
    dtwinId: building.id,
    title: `${name} fan`,
    metrics: [{ alias: 'fan', stateId: fan }],
    conditions: { op: 'eq', left: { metric: 'fan' }, right: { value: true } },
    actions: [{ kind: 'alarm', severity: 'warning', message: 'The fan runs' }],
  })
  async function send(byte: number, time?: string) {
    const reply = await fetch(`${app.url}/api/hooks/${connector.key}`, {
      method: 'POST',
      body: JSON.stringify({ identifier: externalId, data: byte.toString(16).padStart(2, '0'), time }),
      headers: { 'content-type': 'application/json' },
    })
    expect(await reply.json()).toMatchObject({ accepted: 1 })
    await app.drain()
    const { items } = await app.api.virtualdevice.packets({ id: device, limit: 1 })
    const [packet] = items
    if (packet === undefined) throw new Error('no packet')
    return { deviceId: device, packetId: packet.id, receivedAt: packet.receivedAt, time: packet.time }
  }
  return {
    account,
    connector,
    api,
    user,
    device,
    measured,
    room,
    shown,
    building,
    mean,
    fan,
    rule,
    quiet,
    onFan,
    send,
    name,
  }
}

async function administrator(account: { id: number; scopeId: number }) {
  const roleId = await createRole(app, [{ subject: 'all', actions: ['manage'] }])
  const { api, id } = await createUser(app, account, [{ roleId }])
  const { email } = await app.ctx.db
    .selectFrom('users')
    .select('email')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return { api, user: { email } }
}

const shapeOf = ({ steps }: Trace) => {
  const depths = new Map<string, number>()
  return steps.map((step) => {
    const depth = step.after === null ? 0 : (depths.get(step.after) ?? 0) + 1
    depths.set(step.key, depth)
    return `${'  '.repeat(depth)}${nameOf(step)}`
  })
}

function nameOf(step: TraceStep): string {
  switch (step.kind) {
    case 'value':
      return `${step.stateKey} ${JSON.stringify(step.value)}`
    case 'execution':
      return `${step.execution.ruleTitle.replace(/City \d+ /, 'rule ')} ${step.execution.result}`
    case 'unrecorded':
      return `${step.ruleTitle.replace(/City \d+ /, 'rule ')} unrecorded`
    case 'action':
      return `${step.action.kind} ${step.action.ok}`
    case 'alarm':
      return `${step.isResolved ? 'resolved' : 'raised'} ${step.message}`
    case 'hidden':
    case 'more':
      return `${step.kind} ${step.count}`
    case 'lost':
      return `lost ${step.what} ${step.reason}`
    default:
      return step.kind
  }
}
const find = <K extends TraceStep['kind']>(trace: Trace, kind: K) =>
  trace.steps.find((step): step is Extract<TraceStep, { kind: K }> => step.kind === kind)
const askedOf = ({ steps }: Trace) => steps.filter(({ isAsked }) => isAsked).map(nameOf)
/** Everything but which step was asked about. */
const plain = ({ steps }: Trace) => steps.map((step) => ({ ...step, isAsked: false }))

describe('a trace', () => {
  test('is the same chain from the packet, a value, the rule, the mail and the alarm', async () => {
    const { api, device, measured, shown, mean, fan, rule, quiet, send } = await city()
    const packet = await send(35)
    const forward = await api.trace.packet(packet)
    expect(shapeOf(forward)).toEqual([
      'packet',
      '  decode',
      '    temperature 35',
      '      shown 35',
      '        rule warm fired',
      '          alarm true',
      '            raised Warm: 35',
      '          email true',
      '          set-state true',
      '            fan true',
      '              rule fan fired',
      '                alarm true',
      '                  raised The fan runs',
      '      mean 35',
      '        rule hot not_met',
      '    spare 1',
    ])
    expect(forward.cut).toBe(false)
    expect(find(forward, 'packet')).toMatchObject({
      payload: '23',
      length: 2,
      deviceId: device,
      isLate: false,
    })
    expect(find(forward, 'decode')?.variables).toEqual([
      { key: 'temperature', value: 35, outcome: 'stored' },
      { key: 'spare', value: 1, outcome: 'stored' },
    ])
    expect(find(forward, 'execution')).toMatchObject({ known: 'recorded' })
    const mailed = forward.steps.find((step) => step.kind === 'action' && step.action.kind === 'email')
    expect(mailed).toMatchObject({ mayReadMails: true, action: { mails: [{ outcome: 'sent' }] } })
    expect(askedOf(forward)).toEqual(['packet'])

    for (const stateId of [measured, shown, mean]) {
      const trace = await api.trace.value({ stateId, at: packet.time })
      expect(plain(trace)).toEqual(plain(forward))
      expect(askedOf(trace)).toHaveLength(1)
    }
    const { items } = await api.ddr.executionHistory({ id: rule.id })
    const [execution] = items
    const fromRule = await api.trace.execution({ id: execution?.id ?? 0 })
    expect(plain(fromRule)).toEqual(plain(forward))
    expect(askedOf(fromRule)).toEqual(['rule warm fired'])
    const fanned = await api.trace.value({ stateId: fan, at: execution?.at ?? '' })
    expect(plain(fanned)).toEqual(plain(forward))
    expect(askedOf(fanned)).toEqual(['fan true'])
    const [mail] = (await api.mail.list({ search: 'Warm' })).items
    const fromMail = await api.trace.mail({ id: mail?.id ?? 0 })
    expect(plain(fromMail)).toEqual(plain(forward))
    expect(askedOf(fromMail)).toEqual(['email true'])
    const alarms = (await api.alarmLogs.list({})).items
    const fanAlarm = alarms.find(({ message }) => message === 'The fan runs')
    const fromAlarm = await api.trace.alarm({ id: fanAlarm?.id ?? 0 })
    expect(plain(fromAlarm)).toEqual(plain(forward))
    expect(askedOf(fromAlarm)).toEqual(['raised The fan runs'])
    expect(forward.kept).toMatchObject({ months: 24, executionsPerRule: 1000, duplicateDays: 2 })
    expect(quiet.id).toBeGreaterThan(0)
  })

  test('says that quiet results are not kept one by one, and of an alarm that it ended', async () => {
    const { api, shown, send } = await city()
    // Changed rows move to the end of their table: the order must not be that of the rows.
    await app.ctx.db.updateTable('states').set({ unit: '°C' }).where('id', '=', shown).execute()
    await sql`analyze states, twins`.execute(app.ctx.db)
    await send(35)
    const cold = await send(20)
    const last = await send(10)
    const first = await api.trace.packet(cold)
    expect(shapeOf(first)).toEqual([
      'packet',
      '  decode',
      '    temperature 20',
      '      shown 20',
      '        rule warm unrecorded',
      '      mean 20',
      '        rule hot unrecorded',
      '    spare 1',
    ])
    expect(find(first, 'unrecorded')).toMatchObject({ isOff: false, isLate: false })
    expect(shapeOf(await api.trace.packet(last))).toContain('        rule warm not_met')
  })

  test('names why a packet could not be decoded, and which values no state has', async () => {
    const { api, device, send } = await city()
    const { receivedAt, packetId } = await send(40)
    await app.ctx.db
      .updateTable('states')
      .set({ value_type: 'boolean' })
      .where('twin_id', '=', device)
      .where('key', '=', 'temperature')
      .execute()
    await app.ctx.configChanges.settle()
    const wrong = await send(41)
    const trace = await api.trace.packet(wrong)
    expect(find(trace, 'decode')?.error?.code).toBe('VALUE_WRONG_TYPE')
    expect(find(trace, 'decode')?.variables[0]).toEqual({
      key: 'temperature',
      value: 41,
      outcome: 'unstored',
    })
    await app.ctx.db.deleteFrom('states').where('twin_id', '=', device).where('key', '=', 'spare').execute()
    const without = await api.trace.packet({ deviceId: device, packetId, receivedAt })
    expect(find(without, 'decode')?.variables[1]).toMatchObject({ key: 'spare', outcome: 'unused' })
  })

  test('of a value without a packet begins with the value, and says that a person or program set it', async () => {
    const { api, building } = await city()
    const state = await api.state.create({ dtwinId: building.id, key: 'note', title: 'Note', source: 'none' })
    await api.state.setValue({ id: state.id, value: 7 })
    await app.drain()
    const { time } = (await api.state.get({ id: state.id })) as { time: string }
    expect(shapeOf(await api.trace.value({ stateId: state.id, at: time }))).toEqual([
      'lost value outside',
      '  note 7',
    ])
  })

  test('whose packet is deleted says so, with how long it would be kept', async () => {
    const { api, account, device, measured, send } = await city()
    const { time } = await send(12, new Date(Date.now() - 40 * 24 * 3_600_000).toISOString())
    await app.ctx.db.deleteFrom('packets').where('device_id', '=', device).execute()
    const lost = await api.trace.value({ stateId: measured, at: time })
    expect(shapeOf(lost)[0]).toBe('lost packet unknown')
    await app.ctx.db
      .updateTable('accounts')
      .set({ retention_months: 1 })
      .where('id', '=', account.id)
      .execute()
    const old = await api.trace.value({ stateId: measured, at: time })
    expect(shapeOf(old)[0]).toBe('lost packet unkept')
    expect(old.kept.months).toBe(1)
  })

  test('of an evaluation of an older version, which does not say what woke it, is concluded from the time', async () => {
    const { api, rule, send } = await city()
    const packet = await send(36)
    await app.ctx.db
      .updateTable('rule_executions')
      .set({ woken: null })
      .where('rule_id', '=', rule.id)
      .execute()
    await app.ctx.db
      .updateTable('rule_executions')
      .set({ at: new Date(packet.receivedAt) })
      .where('rule_id', '=', rule.id)
      .execute()
    const trace = await api.trace.packet(packet)
    expect(find(trace, 'execution')?.known).toBe('soon')
    await app.ctx.db
      .updateTable('mails')
      .set({ origin: JSON.stringify({ ruleId: rule.id }) })
      .execute()
    const [mail] = (await api.mail.list({ search: 'Warm' })).items
    expect(askedOf(await api.trace.mail({ id: mail?.id ?? 0 }))).toEqual(['email true'])
  })
})

describe('a message that could not be used', () => {
  test('is the beginning: why it stopped, and after it was processed again its packet', async () => {
    const { account, connector, api, name } = await city()
    const connectorId = connector.id
    const driverId = await createDriver(app, thermometer)
    const unknown = async (body: object) => {
      await fetch(`${app.url}/api/hooks/${connector.key}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      })
      await app.drain()
      const [letter] = (await api.letters.list({ id: connectorId })).items
      if (letter === undefined) throw new Error('no letter')
      return letter
    }
    const letter = await unknown({ identifier: `New-${name}`, data: '25' })
    const asked = { connectorId, letterId: letter.id }
    const said = { receivedAt: letter.receivedAt, identifier: letter.identifier ?? '' }
    const before = await api.trace.letter({ ...asked, ...said })
    expect(before.steps).toMatchObject([
      {
        kind: 'letter',
        at: letter.receivedAt,
        reason: 'DEVICE_UNKNOWN',
        identifier: `New-${name}`,
        connector: { id: connectorId, name: `${name} webhook` },
        stage: 'message',
        attempts: 0,
        isAsked: true,
      },
    ])
    const owner = { id: connectorId, accountId: account.id, scopeId: account.scopeId }
    const device = await createDevice(app, owner, `New-${name}`, driverId)
    await app.api.letters.replay({ id: connectorId, selection: { ids: [letter.id] } })
    await app.drain()
    expect(await errorOf(api.trace.letter(asked))).toMatchObject({ code: 'TRACE_NOT_FOUND' })
    const after = await api.trace.letter({ ...asked, ...said })
    expect(shapeOf(after).slice(0, 3)).toEqual(['letter', '  packet', '    decode'])
    expect(after.steps[0]).toMatchObject({ kind: 'letter', reason: null, at: letter.receivedAt })
    expect(after.steps[1]).toMatchObject({ deviceId: device, known: 'sameTime' })
    expect(askedOf(after)).toEqual(['letter'])
    const other = { ...said, receivedAt: new Date(Date.parse(said.receivedAt) + 1).toISOString() }
    expect(await errorOf(api.trace.letter({ ...asked, ...other }))).toMatchObject({ code: 'TRACE_NOT_FOUND' })
  })

  test('does not exist for those who do not manage its connector, or do not see its device', async () => {
    const { connector, api, device, send } = await city()
    const connectorId = connector.id
    const packet = await send(21)
    const { external_id: identifier } = await app.ctx.db
      .selectFrom('virtual_devices')
      .select('external_id')
      .where('twin_id', '=', device)
      .executeTakeFirstOrThrow()
    const asked = {
      connectorId,
      letterId: 999_999_999,
      receivedAt: packet.receivedAt,
      identifier: identifier ?? '',
    }
    expect(shapeOf(await api.trace.letter(asked)).slice(0, 2)).toEqual(['letter', '  packet'])
    const stranger = (await administrator(await createAccount(app))).api
    expect(await errorOf(stranger.trace.letter(asked))).toMatchObject({ code: 'TRACE_NOT_FOUND' })
    await setScope(app, device, (await createAccount(app)).scopeId)
    expect(await errorOf(api.trace.letter(asked))).toMatchObject({ code: 'TRACE_NOT_FOUND' })
  })
})

describe('what the caller may not see', () => {
  test('is counted, without a name or value, and nothing that follows from it is found', async () => {
    const { account, device, measured, send, name } = await city()
    const packet = await send(37)
    const devicesOnly = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'] }])
    const { api } = await createUser(app, account, [{ roleId: devicesOnly }])
    const trace = await api.trace.packet(packet)
    expect(shapeOf(trace)).toEqual([
      'packet',
      '  decode',
      '    temperature 37',
      '      hidden 2',
      '    spare 1',
    ])
    expect(JSON.stringify(trace)).not.toContain(`${name} room`)
    expect(find(trace, 'packet')?.connector?.mayOpen).toBe(false)
    expect(plain(await api.trace.value({ stateId: measured, at: packet.time }))).toEqual(plain(trace))
    expect(device).toBe(packet.deviceId)
  })

  test('does not exist: packets, values, executions, mails and alarms of others', async () => {
    const { api, measured, rule, send } = await city()
    const packet = await send(38)
    const [execution] = (await api.ddr.executionHistory({ id: rule.id })).items
    const [mail] = (await api.mail.list({ search: 'Warm' })).items
    const [alarm] = (await api.alarmLogs.list({})).items
    const stranger = (await administrator(await createAccount(app))).api
    const codes = [
      await errorOf(stranger.trace.packet(packet)),
      await errorOf(stranger.trace.value({ stateId: measured, at: packet.time })),
      await errorOf(stranger.trace.execution({ id: execution?.id ?? 0 })),
      await errorOf(stranger.trace.mail({ id: mail?.id ?? 0 })),
      await errorOf(stranger.trace.alarm({ id: alarm?.id ?? 0 })),
      await errorOf(stranger.trace.mail({ id: 999_999_999 })),
    ]
    expect(codes.map(({ code }) => code)).toEqual([
      'TRACE_NOT_FOUND',
      'DTWIN_STATE_NOT_FOUND',
      'TRACE_NOT_FOUND',
      'TRACE_NOT_FOUND',
      'TRACE_NOT_FOUND',
      'TRACE_NOT_FOUND',
    ])
  })

  test('is left out at the beginning, too: a rule without its device', async () => {
    const { account, device, rule, send } = await city()
    await send(39)
    const hidden = await createAccount(app)
    await setScope(app, device, hidden.scopeId)
    const roleId = await createRole(app, [{ subject: 'DigitalTwin', actions: ['read'] }])
    const { api } = await createUser(app, account, [{ roleId }])
    const [execution] = (await api.ddr.executionHistory({ id: rule.id })).items
    const trace = await api.trace.execution({ id: execution?.id ?? 0 })
    expect(shapeOf(trace).slice(0, 3)).toEqual(['hidden 1', '  shown 39', '    rule warm fired'])
    expect(find(trace, 'action')?.mayReadMails).toBe(false)
  })
})
