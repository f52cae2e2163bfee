import { randomUUID } from 'node:crypto'
import type { LockWay } from '@leitstand/contract/keys'
import { keyLimits } from '@leitstand/contract/keys'
import { sql } from 'kysely'
import mqtt, { type MqttClient } from 'mqtt'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  adminName,
  createAccount,
  createRole,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
  testPassword,
} from '../../../test/kit.ts'
import { openLive } from '../../../test/live.ts'
import { Mosquitto } from '../../../test/mosquitto.ts'
import { createDevice, createState } from '../../../test/pipeline.ts'
import { startReceiver, type TestReceiver } from '../../../test/receiver.ts'
import { createTwin } from '../../../test/twins.ts'

const clock = new FakeClock('2026-06-15T12:00:00.000Z')
const soon = { timeout: 60_000 }
const yesterday = '2026-06-14T12:00:00.000Z'
const config = { allowedNetworks: ['127.0.0.1'] }

let app: TestApp
let mosquitto: Mosquitto
let receiver: TestReceiver
let lock: MqttClient
/** What the simulated lock does with a command. */
let onCommand: ((topic: string) => Promise<unknown>) | undefined
const commands: string[] = []
let holderRole: number
let managerRole: number
let account: Awaited<ReturnType<typeof createAccount>>
let serial = 0

beforeAll(async () => {
  mosquitto = await Mosquitto.start()
  receiver = await startReceiver()
  app = await startApp({ clock, config })
  holderRole = await roleNamed(app, 'Key holder')
  managerRole = await roleNamed(app, 'Facility manager')
  lock = await mqtt.connectAsync(`mqtt://127.0.0.1:${mosquitto.port}`, {
    username: 'bridge',
    password: 'secret',
  })
  await lock.subscribeAsync('shared/locks/#', { qos: 1 })
  lock.on('message', (topic) => {
    commands.push(topic)
    void onCommand?.(topic)
  })
})
afterAll(async () => {
  await lock.endAsync(true)
  await receiver[Symbol.asyncDispose]()
  await mosquitto[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await app.drain()
  clock.set('2026-06-15T12:00:00.000Z')
  commands.length = 0
  receiver.received.length = 0
  receiver.answer = undefined
  onCommand = undefined
  account = await createAccount(app)
})

const person = (roleId = holderRole, of = account) => createUser(app, of, [{ roleId }])

async function connectBroker() {
  const { id } = await app.api.bridge.create({
    accountId: account.id,
    kind: 'mqtt-in',
    name: `Broker ${++serial}`,
    settings: {
      host: '127.0.0.1',
      port: mosquitto.port,
      username: 'bridge',
      password: 'secret',
      topics: [`shared/answers${serial}`],
    },
  })
  await expect.poll(async () => (await app.api.bridge.get({ id })).state, soon).toBe('connected')
  return { id, answers: `shared/answers${serial}` }
}

async function door(options: { latitude?: number; longitude?: number; of?: typeof account } = {}) {
  const { of = account, ...place } = options
  const twin = await createTwin(app, of, { title: `Door ${++serial}`, ...place })
  await app.ctx.db.updateTable('twins').set({ type: 'door' }).where('id', '=', twin.id).execute()
  return twin
}

async function hook(of = account): Promise<LockWay> {
  const { id } = await app.api.bridge.create({
    accountId: of.id,
    kind: 'webhook-out',
    name: `Hook ${++serial}`,
    settings: { url: `${receiver.url}/lock` },
  })
  return { kind: 'webhook', connectorId: id, payload: '' }
}

/** A door whose lock is opened by a webhook and does not report. */
async function hookLock(change: object = {}, place: Parameters<typeof door>[0] = {}) {
  const twin = await door(place)
  return app.api.isfmAccessMgmt.createLock({ twinId: twin.id, way: await hook(place?.of), ...change })
}

const give = (userId: number, lockId: number, change: object = {}) =>
  app.api.isfmAccessMgmt.create({ userId, lockId, validFrom: yesterday, ...change })
const open = (user: { api: TestApp['api'] }, id: number, change: object = {}) =>
  user.api.isfmAccessMgmt.activateLock({ id, requestId: randomUUID(), ...change })
const refusal = async (attempt: Promise<unknown>) => {
  const { code, data } = (await errorOf(attempt)) as { code: string; data?: { reason?: string } }
  return code === 'LOCK_REFUSED' ? data?.reason : code
}

describe('a lock that reports', () => {
  async function reporting(change: object = {}) {
    const { id, answers } = await connectBroker()
    const twin = await door()
    const stateId = await createState(app, twin.id, {
      key: 'open',
      source: 'connector',
      valueType: 'boolean',
      connectorId: id,
      identifier: `lock${serial}`,
      variable: 'open',
    })
    const identifier = `lock${serial}`
    const made = await app.api.isfmAccessMgmt.createLock({
      twinId: twin.id,
      way: {
        kind: 'connector-command',
        connectorId: id,
        topic: `shared/locks/${identifier}`,
        payload: '{"open":true}',
      },
      report: { stateId, value: true },
      ...change,
    })
    const answer = (value: boolean) =>
      lock.publishAsync(answers, JSON.stringify({ identifier, data: { open: value } }), { qos: 1 })
    return { lock: made, answer, stateId }
  }

  it('has opened once it says so, which the person and those who manage keys see live', async () => {
    const { lock: made, answer } = await reporting()
    const ada = await person()
    const max = await person(managerRole)
    const key = await give(ada.id, made.id)
    onCommand = () => answer(true)
    using reader = await openLive(app, max.token)
    await reader.follow('activations')
    const requested = await open(ada, key.id)
    expect(requested).toMatchObject({ result: null, lock: { title: made.twin.title }, endedAt: null })
    await expect
      .poll(async () => {
        await app.drain()
        return (await ada.api.isfmAccessMgmt.activation({ id: requested.id })).result
      }, soon)
      .toBe('opened')
    expect(commands).toHaveLength(1)
    const told = (await reader.received()).filter(({ kind }) => kind === 'activation')
    expect(told).toMatchObject([{ activationId: requested.id }, { activationId: requested.id }])
    const { items } = await max.api.isfmAccessMgmt.log({})
    expect(items).toMatchObject([{ id: requested.id, result: 'opened', user: { id: ada.id } }])
    expect((await ada.api.isfmAccessMgmt.mine({})).items).toMatchObject([
      {
        id: key.id,
        lockId: made.id,
        reports: true,
        closed: null,
        last: { id: requested.id, result: 'opened' },
      },
    ])
  })

  it('has no answer when it stays silent or says something else, also after a restart; it is not sent again', async () => {
    const { lock: made, answer } = await reporting({ waitSeconds: 10 })
    const ada = await person()
    const key = await give(ada.id, made.id)
    onCommand = () => answer(false)
    const { id } = await open(ada, key.id)
    await app.drain()
    await expect.poll(() => commands.length, soon).toBe(1)
    clock.advance(9_999)
    await app.drain()
    expect((await ada.api.isfmAccessMgmt.activation({ id })).result).toBeNull()
    await app[Symbol.asyncDispose]()
    clock.advance(1)
    app = await startApp({ clock, config, address: app.address })
    await app.drain()
    const again = await app.login(ada.username)
    expect(await again.api.isfmAccessMgmt.activation({ id })).toMatchObject({ result: 'noAnswer' })
    expect(commands).toHaveLength(1)
  })
})

describe('a lock that does not report', () => {
  it('has got the command, or not', async () => {
    const made = await hookLock()
    const ada = await person()
    const key = await give(ada.id, made.id)
    const first = await open(ada, key.id)
    await app.drain()
    expect(await ada.api.isfmAccessMgmt.activation({ id: first.id })).toMatchObject({ result: 'sent' })
    expect(receiver.received).toHaveLength(1)
    expect(JSON.parse(receiver.received[0]?.body.toString() ?? '')).toEqual({
      lock: { id: made.twin.id, title: made.twin.title },
      activation: first.id,
      time: '2026-06-15T12:00:00.000Z',
    })
    clock.advance(60_000)
    receiver.answer = (response) => response.writeHead(400).end()
    const second = await open(ada, key.id)
    await app.drain()
    expect(await ada.api.isfmAccessMgmt.activation({ id: second.id })).toMatchObject({
      result: 'failed',
      reason: 'refused',
    })
    // A server that is overloaded is not asked again either.
    clock.advance(60_000)
    receiver.answer = (response) => response.writeHead(503).end()
    const third = await open(ada, key.id)
    await app.drain()
    clock.advance(60_000)
    receiver.answer = undefined
    await app.drain()
    expect(await ada.api.isfmAccessMgmt.activation({ id: third.id })).toMatchObject({ result: 'failed' })
    expect(receiver.received).toHaveLength(3)
  })

  it('is not opened late: a command that waited longer than its deadline is not sent', async () => {
    const made = await hookLock({ waitSeconds: 5 })
    const ada = await person()
    const key = await give(ada.id, made.id)
    const row = await open(ada, key.id)
    await app.drain()
    // As if the server had stopped right after the answer.
    await sql`insert into lock_activations (account_id, scope_id, twin_id, lock_id, lock_title, key_id, user_id, user_name,
        request_id, requested_at, deadline, way)
      select account_id, scope_id, twin_id, lock_id, lock_title, key_id, user_id, user_name, gen_random_uuid(), requested_at,
        requested_at, way from lock_activations where id = ${row.id}`.execute(app.ctx.db)
    await app.drain()
    const { items } = await ada.api.isfmAccessMgmt.log({})
    expect(items[0]).toMatchObject({ result: 'failed', reason: 'late' })
    expect(receiver.received).toHaveLength(1)
  })
})

describe('a lock that a downlink opens', () => {
  const eui = '0004A30B001C0530'

  /** A device of a network server that has sent one uplink, as the lock of a door. */
  async function downlinkLock() {
    const connector = await app.api.bridge.create({
      accountId: account.id,
      kind: 'webhook-in',
      name: `Network ${++serial}`,
      settings: {
        preset: 'tts-v3',
        downlinks: 'tts-v3',
        downlinkUrl: `${receiver.url}/api/v3/as/applications/app1/webhooks/hook1`,
        downlinkKey: 'NNSXS.key',
      },
    })
    const driver = await app.api.devicedrivers.create({
      accountId: account.id,
      title: `Lock ${serial}`,
      script: 'function decodeUplink() { return { data: {} } }',
      downlinks: [{ name: 'Open', port: 2, payload: '01' }],
    })
    const owner = { id: connector.id, accountId: account.id, scopeId: account.scopeId }
    const deviceId = await createDevice(app, owner, eui, driver.id)
    const uplink = {
      end_device_ids: { device_id: 'dev1', application_ids: { application_id: 'app1' }, dev_eui: eui },
      received_at: clock.now().toISOString(),
      uplink_message: { session_key_id: 'AXA5', f_port: 1, f_cnt: 1, frm_payload: 'gkHe' },
    }
    await fetch(`${app.url}/api/hooks/${connector.key}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(uplink),
    })
    await app.drain()
    const way = { kind: 'downlink', deviceId, name: 'Open' } as const
    const made = await app.api.isfmAccessMgmt.createLock({ twinId: (await door()).id, way, waitSeconds: 10 })
    const ada = await person()
    return { deviceId, ada, key: await give(ada.id, made.id) }
  }

  it('has got it once the network server takes it, and not later than somebody waits', async () => {
    const { ada, key, deviceId } = await downlinkLock()
    const first = await open(ada, key.id)
    await app.drain()
    await app.drain()
    expect(await ada.api.isfmAccessMgmt.activation({ id: first.id })).toMatchObject({ result: 'sent' })
    expect(receiver.received).toHaveLength(1)
    clock.advance(60_000)
    receiver.answer = (response) => response.writeHead(503).end()
    const second = await open(ada, key.id)
    await app.drain()
    expect(await ada.api.isfmAccessMgmt.activation({ id: second.id })).toMatchObject({ result: null })
    // The network server is there again, but nobody is at the door any more.
    receiver.answer = undefined
    const before = receiver.received.length
    clock.advance(10_000)
    await app.drain()
    await app.drain()
    expect(await ada.api.isfmAccessMgmt.activation({ id: second.id })).toMatchObject({ result: 'failed' })
    expect(receiver.received).toHaveLength(before)
    expect((await app.api.downlink.list({ id: deviceId })).items[0]).toMatchObject({ state: 'expired' })
  })

  it('fails with the reason when there is no way to the device', async () => {
    const { ada, key, deviceId } = await downlinkLock()
    await app.ctx.db.updateTable('twins').set({ disabled: true }).where('id', '=', deviceId).execute()
    const { id } = await open(ada, key.id)
    await app.drain()
    expect(await ada.api.isfmAccessMgmt.activation({ id })).toMatchObject({
      result: 'failed',
      reason: 'deviceDisabled',
    })
  })
})

describe('a key', () => {
  it('is given to people who may use keys there, for a lock or a group, and ends after it starts', async () => {
    const made = await hookLock()
    const [ada, max] = [await person(), await person(managerRole)]
    const viewer = await person(await roleNamed(app, 'Viewer'))
    const give = (change: object) =>
      max.api.isfmAccessMgmt.create({ userId: ada.id, lockId: made.id, validFrom: yesterday, ...change })
    expect(await errorOf(give({ validUntil: yesterday }))).toMatchObject({ code: 'INVALID_DATE_RANGE' })
    expect(await errorOf(give({ userId: viewer.id }))).toMatchObject({ code: 'KEY_HOLDER_INVALID' })
    expect(await errorOf(give({ groupId: 1 }))).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
    const stranger = await person(holderRole, await createAccount(app))
    expect(await errorOf(give({ userId: stranger.id }))).toMatchObject({ code: 'KEY_HOLDER_INVALID' })
    const holders = await max.api.isfmAccessMgmt.holders({ lockId: made.id })
    expect(holders.items.map(({ id }) => id).sort()).toEqual([ada.id, max.id].sort())
    const key = await give({ note: 'Cleaning', weekdays: [1, 2], hours: { from: '08:00', until: '17:00' } })
    expect(key).toMatchObject({ timeZone: 'Europe/Berlin', closed: null, editable: true, note: 'Cleaning' })
    expect((await max.api.isfmAccessMgmt.list({ search: ada.username })).items).toEqual([key])
    expect((await ada.api.isfmAccessMgmt.ofUser({ userId: ada.id })).items).toEqual([
      { ...key, editable: false },
    ])
    expect(await errorOf(ada.api.isfmAccessMgmt.list({}))).toMatchObject({ code: 'NO_PERMISSION' })
    const changed = await max.api.isfmAccessMgmt.update({
      id: key.id,
      version: key.version,
      lockId: made.id,
      validFrom: yesterday,
      validUntil: '2026-06-20T00:00:00.000Z',
    })
    expect(changed).toMatchObject({ hours: null, weekdays: [], validUntil: '2026-06-20T00:00:00.000Z' })
    const stale = { id: key.id, version: key.version, lockId: made.id, validFrom: yesterday }
    expect(await errorOf(max.api.isfmAccessMgmt.update(stale))).toMatchObject({ code: 'VERSION_CONFLICT' })
    await max.api.isfmAccessMgmt.revoke({ id: key.id })
    expect((await max.api.isfmAccessMgmt.list({ validity: ['revoked'] })).items).toMatchObject([
      { id: key.id, closed: 'revoked', revokedBy: expect.stringMatching(/./) },
    ])
    const { body } = await max.api.isfmAccessMgmt.exportFile({ format: 'csv', language: 'de' })
    expect(await new Response(body as Blob).text()).toContain('Gesperrt')
    const { items } = await app.api.activityLog.list({ subject: 'DoorKey', objectId: key.id })
    expect(items.map(({ action }) => action)).toEqual(['endKey', 'update', 'create'])
  })

  it('of a group opens its doors, as long as they are in it', async () => {
    const [one, other] = [await hookLock(), await hookLock()]
    const group = await app.api.isfmAccessMgmt.createGroup({
      accountId: account.id,
      title: 'All doors',
      lockIds: [one.id, other.id],
    })
    const ada = await person()
    const key = await app.api.isfmAccessMgmt.create({
      userId: ada.id,
      groupId: group.id,
      validFrom: yesterday,
    })
    expect((await ada.api.isfmAccessMgmt.mine({})).items.map(({ lockId }) => lockId)).toEqual([
      one.id,
      other.id,
    ])
    expect(await refusal(open(ada, key.id))).toBe('KEY_NOT_FOUND')
    expect((await open(ada, key.id, { lockId: other.id })).lock.id).toBe(other.id)
    await app.api.isfmAccessMgmt.updateGroup({
      id: group.id,
      version: group.version,
      title: 'One',
      lockIds: [one.id],
    })
    clock.advance(60_000)
    expect(await refusal(open(ada, key.id, { lockId: other.id }))).toBe('KEY_NOT_FOUND')
    const foreign = await hookLock({}, { of: await createAccount(app) })
    const attempt = app.api.isfmAccessMgmt.updateGroup({
      id: group.id,
      version: 2,
      title: 'x',
      lockIds: [foreign.id],
    })
    expect(await errorOf(attempt)).toMatchObject({ code: 'LOCK_NOT_FOUND' })
  })

  it('shows its entry in the drawer to those who have one', async () => {
    const made = await hookLock()
    const ada = await person()
    const flag = async () => (await ada.api.auth.verify({})).featureFlags.flags.hasAccessKeys
    expect(await flag()).toBe(false)
    const key = await give(ada.id, made.id)
    expect(await flag()).toBe(true)
    await app.api.isfmAccessMgmt.revoke({ id: key.id })
    expect(await flag()).toBe(false)
  })
})

describe('nobody opens a door', () => {
  it('before a key is valid, after it, outside of its hours, or when it is revoked', async () => {
    const made = await hookLock()
    const ada = await person()
    const key = await give(ada.id, made.id, {
      validFrom: '2026-06-15T00:00:00.000Z',
      validUntil: '2026-06-30T00:00:00.000Z',
      weekdays: [1],
      hours: { from: '08:00', until: '17:00' },
    })
    const at = async (time: string) => {
      clock.set(time)
      return refusal(open(ada, key.id))
    }
    expect(await at('2026-06-14T23:59:59.999Z')).toBe('notYet')
    expect(await at('2026-06-15T05:59:59.999Z')).toBe('hours')
    expect(await at('2026-06-15T15:00:00.000Z')).toBe('hours')
    expect(await at('2026-06-16T12:00:00.000Z')).toBe('hours')
    expect(await at('2026-06-30T00:00:00.000Z')).toBe('expired')
    // The clock is put back: what was over is not opened before it was valid.
    expect(await at('2026-06-01T12:00:00.000Z')).toBe('notYet')
    clock.set('2026-06-15T06:00:00.000Z')
    expect(await open(ada, key.id)).toMatchObject({ result: null })
    await app.drain()
    clock.advance(60_000)
    await app.api.isfmAccessMgmt.revoke({ id: key.id })
    expect(await refusal(open(ada, key.id))).toBe('revoked')
    await app.drain()
    expect(receiver.received).toHaveLength(1)
    const { items } = await app.api.isfmAccessMgmt.log({ userId: ada.id })
    expect(items.map(({ result, reason }) => reason || result)).toEqual([
      'revoked',
      'sent',
      'notYet',
      'expired',
      'hours',
      'hours',
      'hours',
      'notYet',
    ])
  })

  it('with the key of somebody else, of another account, or one that does not exist', async () => {
    const made = await hookLock()
    const ada = await person()
    const key = await give(ada.id, made.id)
    const [ben, boss] = [await person(), await person(managerRole)]
    const stranger = await person(managerRole, await createAccount(app))
    for (const other of [ben, boss, stranger, app])
      expect(await refusal(open(other, key.id))).toBe('KEY_NOT_FOUND')
    expect(await refusal(open(ada, 999_999))).toBe('KEY_NOT_FOUND')
    const other = await hookLock()
    expect(await refusal(open(ada, key.id, { lockId: other.id }))).toBe('KEY_NOT_FOUND')
    for (const read of [
      stranger.api.isfmAccessMgmt.list({}),
      stranger.api.isfmAccessMgmt.locks({}),
      stranger.api.isfmAccessMgmt.log({}),
      ben.api.isfmAccessMgmt.log({}),
      ben.api.isfmAccessMgmt.ofUser({ userId: ada.id }),
    ])
      expect((await read).items).toEqual([])
    expect(await errorOf(stranger.api.isfmAccessMgmt.revoke({ id: key.id }))).toMatchObject({
      code: 'KEY_NOT_FOUND',
    })
    await app.drain()
    expect(receiver.received).toEqual([])
  })

  it('after the right to use keys, or the user, is gone', async () => {
    const made = await hookLock()
    const ada = await person()
    const key = await give(ada.id, made.id)
    await app.ctx.db
      .updateTable('user_access')
      .set({ role_id: await roleNamed(app, 'Viewer') })
      .where('user_id', '=', ada.id)
      .execute()
    app.app.people.forgetRights()
    expect(await refusal(open(ada, key.id))).toBe('NO_PERMISSION')
    await app.api.user.delete({ id: ada.id })
    expect((await app.api.isfmAccessMgmt.list({ lockIds: [made.id] })).total).toBe(0)
    expect(receiver.received).toEqual([])
  })

  it('at a door where they have lost the right, though they have it elsewhere', async () => {
    const made = await hookLock()
    const ada = await createUser(app, account, [{ roleId: holderRole }])
    const key = await give(ada.id, made.id)
    const elsewhere = await createAccount(app)
    await app.ctx.db
      .updateTable('user_access')
      .set({ scope_id: elsewhere.scopeId })
      .where('user_id', '=', ada.id)
      .execute()
    app.app.people.forgetRights()
    expect(await refusal(open(ada, key.id))).toBe('noRight')
    expect((await ada.api.isfmAccessMgmt.mine({})).items).toEqual([])
  })

  it('twice with the id of one request', async () => {
    const [one, other] = [await hookLock(), await hookLock()]
    const ada = await person()
    const [key, second] = [await give(ada.id, one.id), await give(ada.id, other.id)]
    const requestId = randomUUID()
    const first = await open(ada, key.id, { requestId })
    clock.advance(3_600_000)
    const again = await open(ada, key.id, { requestId })
    expect(again.id).toBe(first.id)
    expect(await refusal(open(ada, second.id, { requestId }))).toBe('ACTIVATION_REUSED')
    // The same id of somebody else is another request.
    const ben = await person()
    const his = await give(ben.id, one.id)
    expect((await open(ben, his.id, { requestId })).id).not.toBe(first.id)
    await app.drain()
    expect(receiver.received).toHaveLength(2)
  })

  it('more often than the throttle allows: 50 at once are one command', async () => {
    const made = await hookLock({ throttleSeconds: 30 })
    const ada = await person()
    const key = await give(ada.id, made.id)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        open(ada, key.id).then(
          () => 'opened',
          (error) => error.data.reason,
        ),
      ),
    )
    expect(answers.filter((answer) => answer === 'opened')).toHaveLength(1)
    expect(answers.filter((answer) => answer === 'throttled')).toHaveLength(49)
    await app.drain()
    expect(receiver.received).toHaveLength(1)
    expect(await errorOf(open(ada, key.id))).toMatchObject({ data: { reason: 'throttled', seconds: 30 } })
    // A clock that is put back by an hour does not keep the door shut for an hour.
    clock.advance(-3_600_000)
    expect(await open(ada, key.id)).toMatchObject({ result: null })
  })

  it('without a code where one is asked for, with a wrong one, or with one that was used', async () => {
    const made = await hookLock({ needsCode: true, throttleSeconds: 1 })
    const ada = await person()
    const key = await give(ada.id, made.id)
    expect(await refusal(open(ada, key.id, { code: '123456' }))).toBe('codeNeeded')
    const { secret } = await ada.api.twofactor.setUp({ password: testPassword })
    const code = () =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() })
    await ada.api.twofactor.enable({ code: code() })
    clock.advance(30_000)
    expect(await refusal(open(ada, key.id))).toBe('codeNeeded')
    const good = code()
    expect(await refusal(open(ada, key.id, { code: good === '000000' ? '000001' : '000000' }))).toBe(
      'codeWrong',
    )
    expect(await open(ada, key.id, { code: good })).toMatchObject({ result: null })
    clock.advance(5_000)
    expect(await refusal(open(ada, key.id, { code: good }))).toBe('codeWrong')
    await app.drain()
    expect(receiver.received).toHaveLength(1)
    // Guessing is limited as at the sign-in.
    const wrong = Array.from({ length: 12 }, () => refusal(open(ada, key.id, { code: '000000' })))
    expect(await Promise.all(wrong)).toContain('codeLocked')
  })

  it('from further away than the lock allows', async () => {
    const made = await hookLock({ withinMetres: 100 }, { latitude: 54, longitude: 10 })
    const ada = await person()
    const key = await give(ada.id, made.id)
    expect(await refusal(open(ada, key.id))).toBe('positionNeeded')
    const far = { position: { latitude: 54.01, longitude: 10 } }
    expect(await errorOf(open(ada, key.id, far))).toMatchObject({ data: { reason: 'tooFar', metres: 1112 } })
    const near = await open(ada, key.id, { position: { latitude: 54.0005, longitude: 10 } })
    expect(near.metres).toBe(56)
    const placeless = await door()
    const attempt = app.api.isfmAccessMgmt.createLock({
      twinId: placeless.id,
      way: await hook(),
      withinMetres: 100,
    })
    expect(await errorOf(attempt)).toMatchObject({ code: 'LOCK_POSITION_MISSING' })
  })
})

describe('a lock', () => {
  it('belongs to a door, which has one, and is opened by what its account has and its author may command', async () => {
    const way = await hook()
    const room = await createTwin(app, account, { title: 'Room' })
    const make = (twinId: number, change: object = {}, api = app.api) =>
      api.isfmAccessMgmt.createLock({ twinId, way, ...change })
    expect(await errorOf(make(room.id))).toMatchObject({ code: 'LOCK_TWIN_INVALID' })
    const twin = await door()
    const foreign = await hook(await createAccount(app))
    expect(await errorOf(make(twin.id, { way: foreign }))).toMatchObject({
      code: 'LOCK_WAY_INVALID',
      data: { problem: 'connectorForeign' },
    })
    const command = { ...way, kind: 'connector-command', topic: 'locks/1', payload: '' }
    expect(await errorOf(make(twin.id, { way: command }))).toMatchObject({
      data: { problem: 'connectorUnfit' },
    })
    const device = { kind: 'downlink', deviceId: room.id, name: 'Open' }
    expect(await errorOf(make(twin.id, { way: device }))).toMatchObject({
      data: { problem: 'deviceForeign' },
    })
    const state = await createState(app, (await door({ of: await createAccount(app) })).id, { key: 'open' })
    expect(await errorOf(make(twin.id, { report: { stateId: state, value: 1 } }))).toMatchObject({
      code: 'LOCK_REPORT_INVALID',
    })
    const made = await make(twin.id)
    expect(await errorOf(make(twin.id))).toMatchObject({ code: 'LOCK_EXISTS' })
    const changed = await app.api.isfmAccessMgmt.updateLock({ id: made.id, version: 1, way, waitSeconds: 40 })
    expect(changed).toMatchObject({ waitSeconds: 40, version: 2 })
    expect(await errorOf(app.api.isfmAccessMgmt.updateLock({ id: made.id, version: 1, way }))).toMatchObject({
      code: 'VERSION_CONFLICT',
    })
    const uses = await app.api.objects.usersOfConnector({ id: (way as { connectorId: number }).connectorId })
    expect(uses.items).toMatchObject([{ kind: 'lock', id: made.id, title: twin.title }])
    await app.api.isfmAccessMgmt.deleteLock({ id: made.id })
    expect((await app.api.isfmAccessMgmt.locks({ accountIds: [account.id] })).items).toEqual([])
  })

  it('is set up by those who manage facilities, with what was prepared for them', async () => {
    const max = await person(managerRole)
    const { api } = max
    const bridge = await app.api.bridge.create({
      accountId: account.id,
      kind: 'webhook-in',
      name: 'Network',
      settings: {},
    })
    const driver = await app.api.devicedrivers.create({
      accountId: account.id,
      title: `Lock ${++serial}`,
      script: 'function decodeUplink() { return { data: {} } }',
      downlinks: [{ name: 'Open', port: 2, payload: '01' }],
    })
    const owner = { id: bridge.id, accountId: account.id, scopeId: account.scopeId }
    const deviceId = await createDevice(app, owner, `lock-${serial}`, driver.id)
    const twin = await door()
    const way = { kind: 'downlink', deviceId, name: 'Open' } as const
    const make = (change: object = {}) => api.isfmAccessMgmt.createLock({ twinId: twin.id, way, ...change })
    // Reading a device is not enough to have it do something: it could be any pump of the account.
    expect(await errorOf(make())).toMatchObject({ data: { problem: 'deviceForeign' } })
    const stand = (at: number) =>
      app.ctx.db.updateTable('twins').set({ parent_id: at }).where('id', '=', deviceId).execute()
    await stand((await door()).id)
    expect(await errorOf(make())).toMatchObject({ data: { problem: 'deviceForeign' } })
    await stand(twin.id)
    expect(await errorOf(make({ way: { ...way, name: 'Reset' } }))).toMatchObject({
      data: { problem: 'noDownlink' },
    })
    const made = await make()
    expect(made).toMatchObject({ way: { deviceId, name: 'Open' } })
    // The right to send downlinks has not come with it.
    const own = api.downlink.send({ id: deviceId, content: { payload: '02', port: 2 } })
    expect(await errorOf(own)).toMatchObject({ code: 'NO_PERMISSION' })
    const stranger = await person(managerRole, await createAccount(app))
    expect(
      await errorOf(stranger.api.isfmAccessMgmt.createLock({ twinId: (await door()).id, way })),
    ).toMatchObject({ code: 'DTWIN_NOT_FOUND' })

    const keys = await createUser(app, account, [
      { roleId: await createRole(app, [{ subject: 'IsFmAccess', actions: ['manage'] }]) },
    ])
    const blind = keys.api.isfmAccessMgmt.updateLock({
      id: made.id,
      version: 1,
      way: { ...way, values: { a: 1 } },
    })
    expect(await errorOf(blind)).toMatchObject({ data: { problem: 'deviceForeign' } })
    const slower = await keys.api.isfmAccessMgmt.updateLock({
      id: made.id,
      version: 1,
      way,
      throttleSeconds: 9,
    })
    expect(slower).toMatchObject({ throttleSeconds: 9, way: { deviceId } })

    const plain = await hook()
    const posted = await make({ twinId: (await door()).id, way: plain })
    const change = { id: posted.id, version: 1, way: { ...plain, payload: 'anything' } }
    expect(await errorOf(api.isfmAccessMgmt.updateLock(change))).toMatchObject({
      data: { problem: 'connectorForeign' },
    })
    await app.api.isfmAccessMgmt.updateLock(change)
    // What an administrator has set up stays while others change the rest.
    expect(await api.isfmAccessMgmt.updateLock({ ...change, version: 2, waitSeconds: 30 })).toMatchObject({
      waitSeconds: 30,
      way: { payload: 'anything' },
    })
    const { connectorId } = plain as { connectorId: number }
    const command = { kind: 'connector-command', connectorId, topic: 'a', payload: '' }
    expect(await errorOf(make({ twinId: (await door()).id, way: command }))).toMatchObject({
      data: { problem: 'connectorForeign' },
    })
  })
})

it('has doors as favourites of those whose keys open them', async () => {
  const [made, other] = [await hookLock(), await hookLock()]
  const [ada, max] = [await person(), await person()]
  const group = await app.api.isfmAccessMgmt.createGroup({
    accountId: account.id,
    title: 'House',
    lockIds: [made.id],
  })
  const star = { type: 'lock', objectId: made.id } as const
  expect(await errorOf(ada.api.favorite.create(star))).toMatchObject({ code: 'NOT_FOUND' })
  await give(ada.id, other.id)
  expect(await errorOf(ada.api.favorite.create(star))).toMatchObject({ code: 'NOT_FOUND' })
  const key = await app.api.isfmAccessMgmt.create({ userId: ada.id, groupId: group.id, validFrom: yesterday })
  expect(await ada.api.favorite.create(star)).toMatchObject({ ...star, title: made.twin.title })
  expect(await errorOf(max.api.favorite.create(star))).toMatchObject({ code: 'NOT_FOUND' })
  const marked = async () => (await ada.api.favorite.list()).items.map(({ objectId }) => objectId)
  await app.api.isfmAccessMgmt.revoke({ id: key.id })
  expect(await marked()).toEqual([])
  await give(ada.id, made.id)
  expect(await marked()).toEqual([made.id])
  await app.api.isfmAccessMgmt.deleteLock({ id: made.id })
  expect(await marked()).toEqual([])
})

describe('the log', () => {
  it('cannot be changed, emptied or deleted from, and is kept as long as the account wants', async () => {
    const made = await hookLock()
    const ada = await person()
    const key = await give(ada.id, made.id)
    const { id } = await open(ada, key.id)
    await app.drain()
    const { db } = app.ctx
    const attempts = [
      sql`update lock_activations set user_name = 'x' where id = ${id}`,
      sql`update lock_activations set result = 'opened' where id = ${id}`,
      sql`delete from lock_activations where id = ${id}`,
      sql`truncate lock_activations`,
    ]
    for (const attempt of attempts) await expect(attempt.execute(db)).rejects.toThrow('the log of locks')
    await app.api.isfmAccessMgmt.deleteLock({ id: made.id })
    await app.api.user.delete({ id: ada.id })
    let { api } = app
    const left = () => api.isfmAccessMgmt.log({ accountIds: [account.id] })
    expect((await left()).items).toMatchObject([
      {
        id,
        lock: { id: null, title: made.twin.title },
        user: { id: null, name: expect.stringMatching(/./) },
      },
    ])
    const { body } = await app.api.isfmAccessMgmt.logFile({
      format: 'csv',
      language: 'en',
      accountIds: [account.id],
    })
    expect(await new Response(body as Blob).text()).toContain(made.twin.title)
    expect(await app.api.isfmAccessMgmt.settings({ accountId: account.id })).toEqual({ logMonths: 12 })
    await app.api.isfmAccessMgmt.setSettings({ accountId: account.id, logMonths: 2 })
    expect(await app.api.isfmAccessMgmt.settings({ accountId: account.id })).toEqual({ logMonths: 2 })
    clock.set('2026-08-15T11:59:59.000Z')
    api = (await app.login(adminName)).api
    await app.app.keys.clean()
    expect((await left()).total).toBe(1)
    clock.set('2026-08-15T12:00:01.000Z')
    await app.app.keys.clean()
    expect((await left()).total).toBe(0)
    const { items } = await api.activityLog.list({ subject: 'Retention', objectId: account.id })
    expect(items).toMatchObject([{ action: 'delete', objectTitle: 'lock_activations', changes: { rows: 1 } }])
  })

  it('is filtered by door, group, person and time', async () => {
    const [front, back] = [await hookLock(), await hookLock()]
    const [ada, max] = [await person(), await person()]
    const used = async (user: typeof ada, lockId: number) =>
      (await open(user, (await give(user.id, lockId)).id)).id
    const early = await used(ada, front.id)
    clock.set('2026-06-15T12:30:00.000Z')
    const { api } = await app.login(adminName)
    const late = await used(max, back.id)
    type Asked = Parameters<TestApp['api']['isfmAccessMgmt']['log']>[0]
    const found = async (asked: Asked, by = api) =>
      (await by.isfmAccessMgmt.log({ accountIds: [account.id], ...asked })).items.map(({ id }) => id)
    const group = await api.isfmAccessMgmt.createGroup({
      accountId: account.id,
      title: 'Back',
      lockIds: [back.id],
    })
    expect(await found({})).toEqual([late, early])
    expect(await found({ userId: ada.id })).toEqual([early])
    expect(await found({ twinId: back.twin.id })).toEqual([late])
    expect(await found({ groupId: group.id })).toEqual([late])
    expect(await found({ from: '2026-06-15T12:15:00.000Z' })).toEqual([late])
    expect(await found({ until: '2026-06-15T12:15:00.000Z' })).toEqual([early])
    // Who only opens doors does not learn which of them belong together.
    expect(await found({ groupId: group.id }, max.api)).toEqual([])
  })

  it('keeps a bounded number of refused attempts', async () => {
    const made = await hookLock()
    const ada = await person()
    const key = await give(ada.id, made.id, { validUntil: '2026-06-15T00:00:00.000Z' })
    expect(await refusal(open(ada, key.id))).toBe('expired')
    await sql`insert into lock_activations (account_id, scope_id, twin_id, lock_id, lock_title, key_id, user_id, user_name,
        requested_at, deadline, way, result, reason, ended_at)
      select account_id, scope_id, twin_id, lock_id, lock_title, key_id, user_id, user_name, requested_at, deadline, way,
        result, reason, ended_at from lock_activations, generate_series(2, ${keyLimits.refusedOfDayMax})
      where user_id = ${ada.id}`.execute(app.ctx.db)
    expect(await refusal(open(ada, key.id))).toBe('expired')
    expect((await ada.api.isfmAccessMgmt.log({})).total).toBe(keyLimits.refusedOfDayMax)
  })
})

it('refuses what is revoked or gone, and more than an account can have', async () => {
  const made = await hookLock()
  const ada = await person()
  const key = await give(ada.id, made.id)
  await app.api.isfmAccessMgmt.revoke({ id: key.id })
  const change = { id: key.id, version: 2, lockId: made.id, validFrom: yesterday }
  expect(await errorOf(app.api.isfmAccessMgmt.update(change))).toMatchObject({ code: 'KEY_REVOKED' })
  expect(await errorOf(ada.api.isfmAccessMgmt.activation({ id: 999_999 }))).toMatchObject({
    code: 'ACTIVATION_NOT_FOUND',
  })
  expect(await errorOf(app.api.isfmAccessMgmt.deleteGroup({ id: 999_999 }))).toMatchObject({
    code: 'LOCK_GROUP_NOT_FOUND',
  })
  const { db } = app.ctx
  const { keysOfAccountMax, locksOfAccountMax, groupsOfAccountMax } = keyLimits
  await sql`insert into door_keys (account_id, user_id, lock_id, valid_from, time_zone, created_at, created_by)
    select account_id, user_id, lock_id, valid_from, time_zone, created_at, created_by
    from door_keys, generate_series(2, ${keysOfAccountMax}) where id = ${key.id}`.execute(db)
  expect(await errorOf(give(ada.id, made.id))).toMatchObject({
    code: 'KEYS_LIMIT',
    data: { max: keysOfAccountMax },
  })
  await sql`insert into lock_groups (account_id, title)
    select ${account.id}, 'Group ' || n from generate_series(1, ${groupsOfAccountMax}::int) n`.execute(db)
  const group = app.api.isfmAccessMgmt.createGroup({ accountId: account.id, title: 'One more' })
  expect(await errorOf(group)).toMatchObject({ code: 'LOCK_GROUPS_LIMIT' })
  await sql`with doors as (
      insert into twins (category, account_id, scope_id, title, type)
      select 'digitalTwin', ${account.id}, ${account.scopeId}, 'Door', 'door'
      from generate_series(2, ${locksOfAccountMax}::int) returning id)
    insert into locks (account_id, twin_id, way, wait_seconds, throttle_seconds, needs_code)
    select ${account.id}, doors.id, way, wait_seconds, throttle_seconds, needs_code from doors, locks
    where locks.id = ${made.id}`.execute(db)
  expect(await errorOf(hookLock())).toMatchObject({ code: 'LOCKS_LIMIT', data: { max: locksOfAccountMax } })
})
