import type { RuleAction } from '@leitstand/contract/rules'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createAccount,
  createRole,
  createUser,
  errorOf,
  FakeClock,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { createDevice, createDriver } from '../../../../test/pipeline.ts'
import { startReceiver, type TestReceiver } from '../../../../test/receiver.ts'
import { alarmAction, minute, ruleKit } from '../../../../test/rules.ts'
import { createState } from '../../../../test/twins.ts'
import { jsonb } from '../../../platform/db/index.ts'
import { downlinkRates } from './downlink/send.ts'

/** Downlinks, alarms of other rules and computed values. The network server speaks like ChirpStack. */

const clock = new FakeClock(new Date())
let app: TestApp
let network: TestReceiver
let serial = 0
type Account = Awaited<ReturnType<typeof createAccount>>

beforeAll(async () => {
  network = await startReceiver()
  app = await startApp({ clock, config: { allowedNetworks: ['127.0.0.1'] } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await network[Symbol.asyncDispose]()
})
beforeEach(() => {
  network.received.length = 0
  network.answer = undefined
})

/** A device whose driver has the downlink `Interval`. */
async function device(account: Account) {
  const connector = await app.api.bridge.create({
    accountId: account.id,
    kind: 'webhook-in',
    name: `Network ${++serial}`,
    settings: {
      preset: 'chirpstack-v4',
      downlinks: 'chirpstack-v4',
      downlinkUrl: network.url,
      downlinkKey: 'key',
    },
  })
  const driverId = await createDriver(app, 'module.exports = () => ({})')
  const interval = {
    name: 'Interval',
    description: '',
    port: 10,
    payload: '0100',
    encoding: 'base16',
    confirmed: false,
    gateways: [],
    parameters: [
      {
        type: 'integer',
        key: 'minutes',
        title: '',
        startBit: 8,
        bits: 8,
        signed: false,
        byteOrder: 'big',
        min: 1,
        max: 60,
      },
    ],
  }
  await app.ctx.db
    .updateTable('driver_versions')
    .set({ downlinks: jsonb([interval]) })
    .where('driver_id', '=', driverId)
    .execute()
  const eui = `0004A30B001C${String(++serial).padStart(4, '0')}`
  const owner = { id: connector.id, accountId: account.id, scopeId: account.scopeId }
  const id = await createDevice(app, owner, eui, driverId)
  return { id, connector, eui, level: await createState(app, id, 'level') }
}

const predefined = (deviceId: number | null, values: object): RuleAction => ({
  kind: 'downlink',
  deviceId,
  content: { from: 'predefined', name: 'Interval', values: values as never },
  validMinutes: 60,
})
const computed = (deviceId: number | null, script: string): RuleAction => ({
  kind: 'downlink',
  deviceId,
  content: { from: 'script', script, port: 7, confirmed: false },
  validMinutes: 60,
})

/** A rule on an object, woken by one of its states. */
async function ruleOn(dtwinId: number, stateId: number, actions: RuleAction[], api = app.api) {
  const rule = await api.ddr.create({
    dtwinId,
    title: `Rule ${++serial}`,
    metrics: [{ alias: 'level', stateId, operation: 'latest' }],
    conditions: { op: 'gt', left: { metric: 'level' }, right: { value: 0 } },
    actions,
  })
  const kit = ruleKit(app, { id: 0, scopeId: 0 })
  let at = 0
  const set = (value: number) => kit.set(stateId, value, minute(at++))
  const last = async () => (await app.api.ddr.executionHistory({ id: rule.id })).items[0]?.actions[0]
  const failures = async () =>
    (await app.api.ddr.errornousExecutions({})).items.filter(({ ruleId }) => ruleId === rule.id).length
  return { rule, set, last, failures }
}

describe('a downlink', () => {
  test('of the driver goes to the device of the rule, its parameters being metrics', async () => {
    const { id, level, eui } = await device(await createAccount(app))
    const { set, last, failures, rule } = await ruleOn(id, level, [
      predefined(null, { minutes: { metric: 'level' } }),
    ])
    await set(15)
    expect(network.received).toMatchObject([{ path: `/api/devices/${eui.toLowerCase()}/queue` }])
    expect(JSON.parse(network.received[0]?.body.toString() ?? '')).toEqual({
      queueItem: { confirmed: false, fPort: 10, data: Buffer.from('010f', 'hex').toString('base64') },
    })
    expect(await last()).toMatchObject({
      kind: 'downlink',
      ok: true,
      detail: 'Interval',
      deliveries: [{ outcome: 'sent' }],
    })
    const { items } = await app.api.downlink.list({ id })
    expect(items).toMatchObject([{ state: 'sent', requestedBy: rule.title, payload: '010f' }])
    await set(61)
    expect(await last()).toMatchObject({
      ok: false,
      deliveries: [{ outcome: 'impossible', reason: 'DOWNLINK_INVALID' }],
    })
    expect(await failures()).toBe(1)
  })

  test('with a computed payload goes to a chosen device', async () => {
    const account = await createAccount(app)
    const { id, level } = await device(account)
    const other = await device(account)
    const { set, last } = await ruleOn(id, level, [computed(other.id, 'return [level, metrics.level + 1]')])
    await set(15)
    expect(network.received[0]?.path).toBe(`/api/devices/${other.eui.toLowerCase()}/queue`)
    expect(JSON.parse(network.received[0]?.body.toString() ?? '')).toEqual({
      queueItem: { confirmed: false, fPort: 7, data: Buffer.from('0f10', 'hex').toString('base64') },
    })
    expect(await last()).toMatchObject({ ok: true, detail: '0f10' })
  })

  test.each([
    ['return "x".repeat(1e6)', /large/],
    ['return "0g"', /^noPayload$/],
    ['throw new Error("no")', /no/],
    ['for (;;);', /./],
  ])('of the script %s is not sent', async (script, reason) => {
    const { id, level } = await device(await createAccount(app))
    const { set, last, failures } = await ruleOn(id, level, [computed(null, script)])
    await set(1)
    expect(await last()).toMatchObject({
      ok: false,
      deliveries: [{ outcome: 'impossible', reason: expect.stringMatching(reason) }],
    })
    expect(await failures()).toBe(1)
    expect(network.received).toEqual([])
  })

  test('is repeated by the queue of downlinks; what is given up counts as failed', async () => {
    const { id, level } = await device(await createAccount(app))
    const { set, last, failures } = await ruleOn(id, level, [predefined(null, { minutes: { value: 5 } })])
    network.answer = (response) => response.writeHead(503).end()
    await set(1)
    expect(await last()).toMatchObject({
      ok: false,
      deliveries: [{ outcome: 'queued', reason: 'overloaded' }],
    })
    expect(await failures()).toBe(0)
    clock.advance(3_600_000)
    await app.drain()
    expect(await last()).toMatchObject({ ok: false, deliveries: [{ outcome: 'expired' }] })
    expect(await failures()).toBe(1)
  })

  test('is held back when a rule sends many', async () => {
    const { id, level } = await device(await createAccount(app))
    const { set, last, failures } = await ruleOn(id, level, [predefined(null, { minutes: { value: 5 } })])
    for (let n = 1; n <= downlinkRates.rule.burst + 1; n++) await set(n)
    expect(network.received).toHaveLength(downlinkRates.rule.burst)
    expect(await last()).toMatchObject({ ok: false, deliveries: [{ outcome: 'ruleLimit' }] })
    expect(await failures()).toBe(0)
  })

  test('needs a device of the account that its author may send to, and a downlink that exists', async () => {
    const [account, elsewhere] = [await createAccount(app), await createAccount(app)]
    const own = await device(account)
    const foreign = await device(elsewhere)
    const roleId = await createRole(app, [{ subject: 'DigitalTwin', actions: ['read', 'write'] }])
    const { api } = await createUser(app, account, [{ roleId }])
    const { twin, temperature } = await ruleKit(app, account).warmRule()
    const issue = (text: string, ...path: string[]) => ({
      data: { issues: [{ path: ['actions', '0', ...path], text }] },
    })
    const values = { minutes: { value: 5 } }
    expect(await errorOf(ruleOn(twin.id, temperature, [predefined(foreign.id, values)]))).toMatchObject(
      issue('deviceForeign', 'deviceId'),
    )
    const { rule, set, last } = await ruleOn(twin.id, temperature, [predefined(own.id, values)])
    await app.ctx.db
      .updateTable('rules')
      .set({ actions: jsonb([predefined(foreign.id, values)]), version: 2 })
      .where('id', '=', rule.id)
      .execute()
    await set(1)
    expect(await last()).toMatchObject({
      deliveries: [{ to: '', outcome: 'impossible', reason: 'VDEVICE_NOT_FOUND' }],
    })
    expect(await errorOf(ruleOn(twin.id, temperature, [predefined(own.id, values)], api))).toMatchObject(
      issue('deviceForeign', 'deviceId'),
    )
    expect(await errorOf(ruleOn(twin.id, temperature, [predefined(null, values)]))).toMatchObject(
      issue('deviceForeign', 'deviceId'),
    )
    const gone = { ...predefined(own.id, {}), content: { from: 'predefined', name: 'Gone', values: {} } }
    expect(await errorOf(ruleOn(twin.id, temperature, [gone as RuleAction]))).toMatchObject(
      issue('noDownlink', 'content', 'name'),
    )
    expect(network.received).toEqual([])
  })
})

describe('resolving an alarm', () => {
  test('of another rule ends it when this one fires', async () => {
    const account = await createAccount(app)
    const kit = ruleKit(app, account)
    const raising = await kit.warmRule(() => [{ ...alarmAction, category: 'battery' } as RuleAction])
    const { twin, temperature } = await kit.warmRule()
    await kit.set(raising.temperature, 40, minute(0))
    const open = () => app.api.alarmLogs.list({ originId: raising.twin.id, status: 'unresolved' })
    expect((await open()).items).toMatchObject([{ category: 'battery', severity: 'warning' }])
    const { set, last } = await ruleOn(twin.id, temperature, [
      { kind: 'resolve-alarm', ruleId: raising.rule.id },
    ])
    await set(1)
    expect((await open()).total).toBe(0)
    expect(await last()).toMatchObject({ kind: 'resolve-alarm', ok: true })
  })

  test('needs a rule of the account that the author may change', async () => {
    const [account, elsewhere] = [await createAccount(app), await createAccount(app)]
    const foreign = await ruleKit(app, elsewhere).warmRule()
    const { twin, temperature } = await ruleKit(app, account).warmRule()
    const create = () => ruleOn(twin.id, temperature, [{ kind: 'resolve-alarm', ruleId: foreign.rule.id }])
    expect(await errorOf(create())).toMatchObject({
      data: { issues: [{ path: ['actions', '0', 'ruleId'], text: 'ruleForeign' }] },
    })
    const own = ruleOn(
      twin.id,
      temperature,
      [alarmAction, { kind: 'resolve-alarm', ruleId: null }].map((action) =>
        'message' in action ? { ...action, message: '{{level}}' } : action,
      ) as RuleAction[],
    )
    expect(await errorOf(own)).toMatchObject({ data: { issues: [{ path: ['actions', '1', 'ruleId'] }] } })
  })

  test('does not reach a rule of another account that was put there', async () => {
    const [account, elsewhere] = [await createAccount(app), await createAccount(app)]
    const foreign = await ruleKit(app, elsewhere).warmRule()
    await ruleKit(app, elsewhere).set(foreign.temperature, 40, minute(0))
    const { twin, temperature } = await ruleKit(app, account).warmRule()
    const { rule, set } = await ruleOn(twin.id, temperature, [{ kind: 'resolve-alarm', ruleId: null }])
    await app.ctx.db
      .updateTable('rules')
      .set({ actions: jsonb([{ kind: 'resolve-alarm', ruleId: foreign.rule.id }]), version: 2 })
      .where('id', '=', rule.id)
      .execute()
    await set(1)
    expect((await app.api.alarmLogs.list({ originId: foreign.twin.id, status: 'unresolved' })).total).toBe(1)
  })
})

describe('a computed value', () => {
  const setting = (stateId: number, script: string): RuleAction => ({
    kind: 'set-state',
    stateId,
    value: { script },
  })

  test('of a script over the metrics is set in another twin', async () => {
    const account = await createAccount(app)
    const kit = ruleKit(app, account)
    const { twin, temperature } = await kit.warmRule()
    const other = await kit.warmRule()
    const { set, last } = await ruleOn(twin.id, temperature, [
      setting(other.temperature, 'const half = level / 2; return _.round(half + metrics.level, 1)'),
    ])
    await set(15.3)
    const current = await app.app.series.current(app.ctx.db, [other.temperature])
    expect(current.get(other.temperature)?.value).toBe(23)
    expect(await last()).toMatchObject({ kind: 'set-state', ok: true, detail: '23' })
  })

  test.each([
    ['return "warm"', /number/i],
    ['return', /no value/],
    ['level.x.y', /undefined/],
    ['return "x".repeat(1e6)', /large/],
  ])('%s is not set, with the reason, and counts as failed', async (script, reason) => {
    const account = await createAccount(app)
    const kit = ruleKit(app, account)
    const { twin, temperature } = await kit.warmRule()
    const other = await kit.warmRule()
    const { set, last, failures } = await ruleOn(twin.id, temperature, [setting(other.temperature, script)])
    await set(1)
    expect(await last()).toMatchObject({ ok: false, detail: expect.stringMatching(reason) })
    expect(await failures()).toBe(1)
  })

  test('with a script that is not valid is refused, with its place', async () => {
    const account = await createAccount(app)
    const kit = ruleKit(app, account)
    const { twin, temperature, fan } = await kit.warmRule()
    const create = ruleOn(twin.id, temperature, [setting(fan, 'return (')])
    expect(await errorOf(create)).toMatchObject({ code: 'SCRIPT_SYNTAX', data: { action: 0 } })
  })
})

describe('a rule that is started', () => {
  async function two() {
    const account = await createAccount(app)
    const kit = ruleKit(app, account)
    const started = await kit.warmRule()
    await app.api.ddr.update({ ...started.rule, triggers: [{ kind: 'manual' }] })
    await kit.set(started.temperature, 40, minute(0))
    const { twin, temperature } = await kit.warmRule()
    return {
      kit,
      started,
      twin,
      temperature,
      action: { kind: 'start-rule', ruleId: started.rule.id } as const,
    }
  }

  test('is evaluated, and says by which rule', async () => {
    const { kit, started, twin, temperature, action } = await two()
    const { rule, set, last } = await ruleOn(twin.id, temperature, [action])
    expect(await kit.history(started.rule.id)).toEqual([])
    await set(1)
    const { items } = await app.api.ddr.executionHistory({ id: started.rule.id })
    expect(items).toMatchObject([{ result: 'fired', cause: { kind: 'rule', ruleId: rule.id } }])
    expect(await last()).toMatchObject({ kind: 'start-rule', ok: true })
  })

  test('is recorded as failed while it is not active', async () => {
    const { started, twin, temperature, action } = await two()
    const { set, last, failures } = await ruleOn(twin.id, temperature, [action])
    const current = await app.api.ddr.get({ id: started.rule.id })
    await app.api.ddr.update({ ...current, active: false })
    await set(1)
    expect(await last()).toMatchObject({ kind: 'start-rule', ok: false, detail: 'not_running' })
    expect(await failures()).toBe(1)
  })

  test('must be one of the account that the author may change', async () => {
    const { twin, temperature } = await two()
    const foreign = await ruleKit(app, await createAccount(app)).warmRule()
    const create = ruleOn(twin.id, temperature, [{ kind: 'start-rule', ruleId: foreign.rule.id }])
    expect(await errorOf(create)).toMatchObject({
      data: { issues: [{ path: ['actions', '0', 'ruleId'], text: 'ruleForeign' }] },
    })
  })

  test('cannot start the rule that starts it, itself, or one whose state wakes it', async () => {
    const { started, twin, temperature, action } = await two()
    const { rule } = await ruleOn(twin.id, temperature, [action])
    const current = await app.api.ddr.get({ id: started.rule.id })
    const loops: Partial<typeof current>[] = [
      { actions: [{ kind: 'start-rule', ruleId: rule.id }] },
      { actions: [{ kind: 'start-rule', ruleId: current.id }] },
      {
        triggers: [{ kind: 'rule', ruleId: rule.id, on: 'fired' }],
        actions: [{ kind: 'start-rule', ruleId: rule.id }],
      },
    ]
    for (const change of loops)
      expect(await errorOf(app.api.ddr.update({ ...current, ...change }))).toMatchObject({
        data: { issues: [{ path: ['actions'], text: 'rulesLoop' }] },
      })
    // Watching the rule that starts it is a loop only if it started that rule as well.
    const { id } = await app.api.ddr.update({ ...current, triggers: [{ kind: 'manual' }] })
    expect(id).toBe(current.id)
  })
})

describe('an aggregate that is computed', () => {
  async function sumOver(twinId: number, sourceId: number): Promise<number> {
    const { id } = await app.api.state.create({
      dtwinId: twinId,
      key: `sum${++serial}`,
      title: 'Sum',
      source: 'aggregate',
      sourceSettings: { stateIds: [sourceId], method: 'sum' },
    })
    return id
  }

  test('gets its value when the rule fires', async () => {
    const kit = ruleKit(app, await createAccount(app))
    const { twin, temperature } = await kit.warmRule()
    const source = await createState(app, twin.id, 'source')
    const sum = await sumOver(twin.id, source)
    const { set, last } = await ruleOn(twin.id, temperature, [{ kind: 'compute-state', stateId: sum }])
    // A value that nothing has computed the aggregate from.
    await kit.set(source, 4, minute(0))
    await app.ctx.db.deleteFrom('state_current').where('state_id', '=', sum).execute()
    await set(1)
    expect((await app.app.series.current(app.ctx.db, [sum])).get(sum)?.value).toBe(4)
    expect(await last()).toMatchObject({ kind: 'compute-state', ok: true, detail: '' })
  })

  test('must be an aggregate, and none of the metrics or of their sources', async () => {
    const kit = ruleKit(app, await createAccount(app))
    const { twin, temperature, fan } = await kit.warmRule()
    const sum = await sumOver(twin.id, temperature)
    const issue = (text: string | undefined, path: string[]) => ({
      data: { issues: [{ path, ...(text === undefined ? {} : { text }) }] },
    })
    const compute = (stateId: number): RuleAction => ({ kind: 'compute-state', stateId })
    expect(await errorOf(ruleOn(twin.id, temperature, [compute(fan)]))).toMatchObject(
      issue('stateNoAggregate', ['actions', '0', 'stateId']),
    )
    expect(await errorOf(ruleOn(twin.id, sum, [compute(sum)]))).toMatchObject(
      issue(undefined, ['actions', '0', 'stateId']),
    )
    const above = await sumOver(twin.id, sum)
    expect(await errorOf(ruleOn(twin.id, above, [compute(sum)]))).toMatchObject(
      issue('ruleLoop', ['actions']),
    )
  })
})
