import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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
import { acceptDriver, createConnector, createDriver } from '../../../test/pipeline.ts'

/** Rules of templates: one for all devices, with a memory of its own on each. */

const clock = new FakeClock()
let app: TestApp
let api: Api
let account: { id: number; scopeId: number }
let connectorId: number
let driverId: number
beforeAll(async () => {
  app = await startApp({ clock })
  driverId = await createDriver(app, 'module.exports = (payload) => payload', [
    { key: 'temperature', title: 'Temperature', unit: '°C' },
  ])
  await app.ctx.db.updateTable('drivers').set({ visibility: 'everyone' }).where('id', '=', driverId).execute()
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(async () => {
  // States are set at the time of the event, which is that of the database.
  clock.set(new Date(Date.now() - 3_600_000).toISOString())
  account = await createAccount(app)
  api = (await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])).api
  connectorId = (await createConnector(app, account.id, account.scopeId)).id
  await acceptDriver(app, account.id, driverId)
})

type Content = Parameters<Api['deviceTemplate']['create']>[0]['content']
type TemplateRule = NonNullable<Content['rules']>[number]

const temperature = { key: 'temperature', title: 'Temperature', source: 'connector' } as const
const mode = { key: 'mode', title: 'Mode', source: 'none', valueType: 'text' } as const
const warm = {
  title: 'Too warm',
  metrics: [{ alias: 't', stateKey: 'temperature' }],
  conditions: { op: 'gt', left: { metric: 't' }, right: { value: 30 } },
  actions: [{ kind: 'alarm', severity: 'warning', message: '{{twin.title}}: {{t}}' }],
} satisfies TemplateRule
let serial = 0

async function template(rules: TemplateRule[], changes: Partial<Content> = {}) {
  const title = `Template ${++serial}`
  const content = { driverId, connectorId, states: [temperature, mode], rules, ...changes }
  const { id, version } = await api.deviceTemplate.create({ accountId: account.id, title, content })
  return (await api.deviceTemplate.publishAndSync({ id, version })).template
}

async function device(templateId: number, title: string, changes: object = {}) {
  const externalId = `${title} ${++serial}`
  const made = await api.virtualdevice.create({ title, externalId, connectorId, templateId, ...changes })
  const { items } = await api.digitaltwin.states({ id: made.id })
  const idOf = (key: string) => items.find((state) => state.key === key)?.id ?? 0
  return { id: made.id, temperature: idOf('temperature'), mode: idOf('mode') }
}

/** Publishes other rules and brings the devices in line. */
async function publish(id: number, rules: TemplateRule[]) {
  const { draft, title, version } = await api.deviceTemplate.get({ id })
  const content = { ...draft, rules: rules.map((rule, at) => ({ ...rule, id: draft.rules[at]?.id })) }
  const saved = await api.deviceTemplate.update({ id, version, title, content })
  const { job } = await api.deviceTemplate.publishAndSync({ id, version: saved.version })
  await settle()
  return job && api.job.get({ id: job.id })
}

async function set(id: number, value: number) {
  clock.advance(1000)
  await api.state.setValue({ id, value })
  await settle()
}

async function settle() {
  await app.ctx.configChanges.settle()
  await app.drain()
  await app.ctx.configChanges.settle()
}

async function unlink(id: number) {
  const { version } = await api.virtualdevice.get({ id })
  await api.deviceTemplate.unlink({ id, version })
  await settle()
}

const rulesOn = async (id: number) => (await api.ddr.list({ dtwinId: id })).items
const theRule = async (id: number) => {
  const [rule, ...others] = await rulesOn(id)
  if (rule === undefined || others.length > 0) throw new Error('the device has one rule')
  return rule
}
const openAlarms = async () =>
  (await api.alarmLogs.list({ status: 'unresolved', accountIds: [account.id] })).items
    .map(({ message }) => message)
    .sort()
const resultsOn = async (dtwinId: number) =>
  (await api.ddr.executions({ dtwinId })).items.map(({ result }) => result)
const storedRules = async () => {
  const { rows } = await sql<{ title: string; members: number }>`
    select title, (select count(*)::int from rule_members m where m.rule_id = r.id) as members
    from rules r where account_id = ${account.id} order by id`.execute(app.ctx.db)
  return rows.map(({ title, members }) => `${title}: ${members}`)
}

describe('a rule of a template', () => {
  test('is one rule that runs on each of its devices', async () => {
    const { id, title } = await template([warm])
    const [one, two] = [await device(id, 'One'), await device(id, 'Two')]
    await settle()
    expect(await storedRules()).toEqual(['Too warm: 2'])
    const rule = await theRule(one.id)
    expect(await theRule(two.id)).toEqual(rule)
    expect(rule).toMatchObject({
      fixed: true,
      dtwinId: null,
      template: { id, title },
      twins: { total: 2, beyond: 0 },
      metrics: [{ alias: 't', operation: 'related', of: 'own', stateKey: 'temperature', over: 'latest' }],
    })
    await set(one.temperature, 40)
    expect(await openAlarms()).toEqual(['One: 40'])
    await set(two.temperature, 50)
    expect(await openAlarms()).toEqual(['One: 40', 'Two: 50'])
    await set(one.temperature, 20)
    expect(await openAlarms()).toEqual(['Two: 50'])
    const listed = await api.ddr.overviewList({ search: title })
    expect(listed).toMatchObject({ total: 1, items: [{ id: rule.id }] })
    const { items } = await api.ddr.twins({ id: rule.id })
    expect(items.map(({ twinTitle, lastResult }) => [twinTitle, lastResult])).toEqual([
      ['One', 'not_met'],
      ['Two', 'fired'],
    ])
    expect((await api.ddr.figures({ search: title })).items).toMatchObject([
      { ruleId: rule.id, dtwinId: null, template: { id, title } },
    ])
  })

  test('is seen by those who see one of its devices, and what it did only there', async () => {
    const { id } = await template([warm])
    const room = await api.digitaltwin.create({ title: 'Room', accountId: account.id })
    const { scopeId } = await api.digitaltwin.createScope({ id: room.id })
    const roleId = await roleNamed(app, 'Operator')
    const [one, two] = [await device(id, 'One'), await device(id, 'Two', { parentId: room.id })]
    await set(one.temperature, 40)
    await set(two.temperature, 40)
    const rule = await theRule(one.id)
    const narrow = (await createUser(app, account, [{ roleId, scopeId }])).api
    expect((await narrow.ddr.get({ id: rule.id })).id).toBe(rule.id)
    const { items } = await narrow.ddr.executionHistory({ id: rule.id })
    expect(items.map(({ dtwinId }) => dtwinId)).toEqual([two.id])
    expect((await narrow.ddr.twins({ id: rule.id })).items.map(({ dtwinId }) => dtwinId)).toEqual([two.id])
    expect(
      await errorOf(narrow.ddr.exceptTwin({ id: rule.id, dtwinId: one.id, except: true })),
    ).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
    const [execution] = items
    const traced = await narrow.trace.execution({ id: execution?.id ?? 0 })
    expect(traced.steps.find(({ kind }) => kind === 'alarm')).toMatchObject({ message: 'Two: 40' })
    const [hidden] = (await api.ddr.executions({ dtwinId: one.id })).items
    expect(await errorOf(narrow.trace.execution({ id: hidden?.id ?? 0 }))).toMatchObject({
      code: 'TRACE_NOT_FOUND',
    })
    const stranger = await createAccount(app)
    const other = (await createUser(app, stranger, [{ roleId }])).api
    expect(await errorOf(other.ddr.get({ id: rule.id }))).toMatchObject({ code: 'DDR_NOT_FOUND' })
    expect((await other.ddr.overviewList({})).total).toBe(0)
    expect((await other.ddr.figures({})).total).toBe(0)
  })

  test('sets a state of the device, by its key', async () => {
    const actions = [{ kind: 'set-state' as const, stateKey: 'mode', value: { value: 'hot' } }]
    const { id } = await template([{ ...warm, actions }])
    const [one, two] = [await device(id, 'One'), await device(id, 'Two')]
    await set(two.temperature, 40)
    const modeOf = async ({ id: twinId }: { id: number }) =>
      (await api.digitaltwin.states({ id: twinId })).items.find(({ key }) => key === 'mode')?.value
    expect([await modeOf(one), await modeOf(two)]).toEqual([null, 'hot'])
  })

  test('wakes at a time on all devices, and by silence on the silent one', async () => {
    const always = { op: 'eq', left: { value: 1 }, right: { value: 1 } } as const
    const daily = {
      ...warm,
      title: 'Daily',
      triggers: [
        {
          kind: 'daily',
          hour: (new Date().getUTCHours() + 11) % 24,
          minute: 30,
          days: [1, 2, 3, 4, 5, 6, 7],
        },
      ],
      metrics: [{ alias: 't', stateKey: 'temperature', abortIfNull: false }],
      conditions: always,
    } satisfies TemplateRule
    const silent = {
      ...daily,
      title: 'Silent',
      triggers: [{ kind: 'silence', metric: 't', minutes: 5 }],
    } satisfies TemplateRule
    const { id } = await template([daily, silent])
    const [one, two] = [await device(id, 'One'), await device(id, 'Two')]
    const due = await sql<{ n: number }>`
      select count(*)::int as n from rule_due d join rules r on r.id = d.rule_id where r.account_id = ${account.id}`.execute(
      app.ctx.db,
    )
    // One time for both, and a silence for each.
    expect(due.rows).toEqual([{ n: 3 }])
    clock.advance(4 * 60_000)
    await set(two.temperature, 20)
    clock.advance(2 * 60_000)
    await settle()
    const causes = async (dtwinId: number) =>
      (await api.ddr.executions({ dtwinId })).items.map(({ cause }) => cause.kind)
    expect(await causes(one.id)).toEqual(['silence'])
    // A value ends a silence.
    expect(await causes(two.id)).toEqual(['values'])
    clock.advance(25 * 3_600_000)
    await settle()
    const titles = async (dtwinId: number) =>
      (await api.ddr.executions({ dtwinId, limit: 100 })).items.map(({ ruleTitle }) => ruleTitle)
    expect(await titles(one.id)).toContain('Daily')
    expect(await titles(two.id)).toContain('Daily')
  })

  test('can leave a device out, which those may say who may change it', async () => {
    const { id } = await template([warm])
    const [one, two] = [await device(id, 'One'), await device(id, 'Two')]
    await set(one.temperature, 40)
    const { id: ruleId } = await theRule(one.id)
    const except = (dtwinId: number, flag: boolean) =>
      api.ddr.exceptTwin({ id: ruleId, dtwinId, except: flag })
    expect(await except(one.id, true)).toMatchObject({ many: { except: [one.id] }, twins: { total: 1 } })
    await settle()
    expect(await openAlarms()).toEqual([])
    await set(one.temperature, 41)
    expect(await openAlarms()).toEqual([])
    // It stays left out when the rule changes, also if nobody else is left.
    await except(two.id, true)
    await publish(id, [{ ...warm, title: 'Hot' }])
    expect(await storedRules()).toEqual(['Hot: 0'])
    const changed = await theRule(one.id)
    expect(changed).toMatchObject({ title: 'Hot', many: { except: [one.id, two.id] } })
    await api.ddr.exceptTwin({ id: changed.id, dtwinId: one.id, except: false })
    await settle()
    await set(one.temperature, 42)
    expect(await openAlarms()).toEqual(['One: 42'])
    await unlink(two.id)
    expect(await rulesOn(two.id)).toMatchObject([
      { title: 'Hot', active: false, fixed: false, dtwinId: two.id },
    ])
    await unlink(one.id)
    expect(await storedRules()).toEqual(['Hot: 0', 'Hot: 0'])
    expect(await openAlarms()).toEqual(['One: 42'])
  })

  test('is run by hand on one device', async () => {
    const { id } = await template([{ ...warm, triggers: [{ kind: 'manual' }] }])
    const [one, two] = [await device(id, 'One'), await device(id, 'Two')]
    await set(one.temperature, 40)
    await set(two.temperature, 40)
    const { id: ruleId } = await theRule(one.id)
    const notRunnable = { code: 'DDR_NOT_RUNNABLE' }
    expect(await errorOf(api.ddr.run({ id: ruleId }))).toMatchObject(notRunnable)
    const elsewhere = await api.digitaltwin.create({ title: 'Elsewhere', accountId: account.id })
    expect(await errorOf(api.ddr.run({ id: ruleId, dtwinId: elsewhere.id }))).toMatchObject(notRunnable)
    await api.ddr.run({ id: ruleId, dtwinId: two.id })
    await settle()
    expect([await resultsOn(one.id), await resultsOn(two.id)]).toEqual([[], ['fired']])
  })
})

describe('publishing a changed rule', () => {
  test('keeps what it remembers on each device, and the rule of those that cannot follow', async () => {
    const { id } = await template([{ ...warm, throttleHours: 4 }])
    const [one, two] = [await device(id, 'One'), await device(id, 'Two')]
    await set(one.temperature, 40)
    await set(two.temperature, 40)
    // The second device has a rule of its own with the new title.
    await api.ddr.create({
      dtwinId: two.id,
      title: 'Hot',
      metrics: [{ alias: 't', stateId: two.temperature }],
      conditions: { op: 'gt', left: { metric: 't' }, right: { value: 99 } },
      actions: warm.actions,
    })
    const before = await theRule(one.id)
    const job = await publish(id, [{ ...warm, title: 'Hot', throttleHours: 4 }])
    expect(job).toMatchObject({ result: { done: 1, failed: 1, 'failed:DDR_DUPLICATE_NAME': 1 } })
    expect(await storedRules()).toEqual(['Too warm: 1', 'Hot: 0', 'Hot: 1'])
    const after = await theRule(one.id)
    expect(after).toMatchObject({
      title: 'Hot',
      lastFiredAt: before.lastFiredAt === null ? null : expect.any(String),
    })
    await set(one.temperature, 41)
    await set(two.temperature, 41)
    expect(await resultsOn(one.id)).toEqual(['throttled', 'fired'])
    expect(await resultsOn(two.id)).toEqual(['not_met', 'throttled', 'fired'])
    expect(await openAlarms()).toEqual(['One: 40', 'Two: 40'])
    // The device that follows takes its alarm and its history along, and the old rule is gone.
    const [own] = (await rulesOn(two.id)).filter(({ fixed }) => !fixed)
    await api.ddr.delete({ id: own?.id ?? 0 })
    await api.job.retry({ id: job?.id ?? 0 })
    await settle()
    expect(await storedRules()).toEqual(['Hot: 2'])
    expect(await openAlarms()).toEqual(['One: 40', 'Two: 40'])
    const { items } = await api.ddr.executionHistory({ id: after.id })
    expect(items.map(({ twinTitle, result }) => `${twinTitle} ${result}`)).toEqual([
      ...['Two throttled', 'One throttled', 'Two fired', 'One fired'],
    ])
    await set(two.temperature, 20)
    expect(await openAlarms()).toEqual(['One: 40'])
    expect((await api.deviceTemplate.get({ id })).syncState).toBe('synced')
  })

  test('leaves the rule as it is where only others changed, and ends those that are gone', async () => {
    const { id } = await template([warm, { ...warm, title: 'Second' }])
    const one = await device(id, 'One')
    const [first, second] = await rulesOn(one.id)
    await set(one.temperature, 40)
    expect(await openAlarms()).toEqual(['One: 40', 'One: 40'])
    await publish(id, [warm])
    expect(await rulesOn(one.id)).toMatchObject([
      { id: [first, second].find((r) => r?.title === warm.title)?.id },
    ])
    expect(await openAlarms()).toEqual(['One: 40'])
  })
})

describe('a device that leaves', () => {
  test('keeps the rule as its own with what it remembers, and brings it back', async () => {
    const { id } = await template([{ ...warm, throttleHours: 4 }])
    const one = await device(id, 'One')
    await set(one.temperature, 40)
    await unlink(one.id)
    const own = await theRule(one.id)
    expect(own).toMatchObject({
      fixed: false,
      dtwinId: one.id,
      many: null,
      metrics: [{ operation: 'latest', stateId: one.temperature }],
    })
    expect(await openAlarms()).toEqual(['One: 40'])
    await set(one.temperature, 41)
    expect(await resultsOn(one.id)).toEqual(['throttled', 'fired'])
    const { version } = await api.virtualdevice.get({ id: one.id })
    await api.deviceTemplate.link({ id: one.id, version, templateId: id })
    await settle()
    expect(await storedRules()).toEqual(['Too warm: 1'])
    await set(one.temperature, 42)
    expect(await resultsOn(one.id)).toEqual(['throttled', 'throttled', 'fired'])
    expect(await openAlarms()).toEqual(['One: 40'])
  })

  test('takes the rule along if it was the last one', async () => {
    const { id } = await template([warm])
    const [one, two] = [await device(id, 'One'), await device(id, 'Two')]
    await api.virtualdevice.delete({ id: one.id })
    await settle()
    expect(await storedRules()).toEqual(['Too warm: 1'])
    await api.virtualdevice.delete({ id: two.id })
    await settle()
    expect(await storedRules()).toEqual([])
    await api.deviceTemplate.delete({ id })
  })
})
