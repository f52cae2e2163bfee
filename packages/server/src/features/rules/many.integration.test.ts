import type { ManyTwins, Rule } from '@leitstand/contract/rules'
import { type KyselyPlugin, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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
import { storedEvent } from '../../../test/rules.ts'
import { createState, createTwin } from '../../../test/twins.ts'
import { refreshTwins } from './many.ts'

/** Rules for many: the twins they run on, what they remember on each, and metrics that name states by key. */

const clock = new FakeClock()
let app: TestApp
let account: { id: number; scopeId: number }
let api: Api
let building: number
beforeAll(async () => {
  app = await startApp({ clock })
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(async () => {
  clock.set('2026-06-15T12:00:00.000Z')
  account = await createAccount(app)
  api = (await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])).api
  building = await twin('Building', { type: 'building' })
})

async function twin(title: string, change: object = {}): Promise<number> {
  return (await api.digitaltwin.create({ title, accountId: account.id, ...change })).id
}

async function room(title: string, change: object = {}): Promise<{ id: number; co2: number }> {
  const id = await twin(title, { parentId: building, type: 'room', ...change })
  return { id, co2: await state(id, 'co2') }
}

async function state(dtwinId: number, key: string): Promise<number> {
  return (await api.state.create({ dtwinId, key, title: key, source: 'none' })).id
}

const rooms: ManyTwins = { query: { types: ['room'] }, except: [] }
type Related = Extract<Parameters<Api['ddr']['create']>[0]['metrics'][number], { operation: 'related' }>
const own: Related = { alias: 'co2', operation: 'related', of: 'own', stateKey: 'co2', over: 'latest' }
const byKey = (change: Partial<Related>): Related => ({ ...own, ...change })
const above = { op: 'gt', left: { metric: 'co2' }, right: { value: 1200 } } as const
const alarm = { kind: 'alarm', severity: 'warning', message: '{{twin.title}}: {{co2}}' } as const

async function rule(change: Partial<Parameters<Api['ddr']['create']>[0]> = {}): Promise<Rule> {
  return api.ddr.create({
    dtwinId: building,
    title: 'Stale air',
    many: { ...rooms, query: { ...rooms.query, twinId: building } },
    metrics: [own],
    conditions: above,
    actions: [alarm],
    ...change,
  })
}

async function set(id: number, value: number): Promise<void> {
  clock.advance(1000)
  await api.state.setValue({ id, value })
  await settle()
}

async function settle(): Promise<void> {
  await app.ctx.configChanges.settle()
  await app.drain()
}

async function openAlarms(): Promise<string[]> {
  const { items } = await api.alarmLogs.list({ status: 'unresolved', accountIds: [account.id], limit: 100 })
  return items.map(({ message }) => message).sort()
}

async function twinsOf({ id }: Pick<Rule, 'id'>): Promise<string[]> {
  const { items } = await api.ddr.twins({ id, limit: 100 })
  return items.map(({ twinTitle, except }) => (except ? `not ${twinTitle}` : twinTitle))
}

describe('a rule for many', () => {
  test('raises an alarm on each of its twins, and resolves it there', async () => {
    const [one, two] = [await room('One'), await room('Two')]
    const made = await rule()
    expect(made.twins).toEqual({ total: 2, beyond: 0 })
    await set(one.co2, 1300)
    expect(await openAlarms()).toEqual(['One: 1300'])
    await set(two.co2, 1400)
    expect(await openAlarms()).toEqual(['One: 1300', 'Two: 1400'])
    await set(one.co2, 800)
    expect(await openAlarms()).toEqual(['Two: 1400'])
    const { items } = await api.ddr.executionHistory({ id: made.id })
    expect(items.map(({ twinTitle, result }) => `${twinTitle} ${result}`)).toEqual([
      'One not_met',
      'Two fired',
      'One fired',
    ])
    const ofTwo = await api.ddr.executions({ dtwinId: two.id })
    expect(ofTwo.items.map(({ twinTitle }) => twinTitle)).toEqual(['Two'])
  })

  test('has a throttle and a memory of its own on each twin', async () => {
    const [one, two] = [await room('One'), await room('Two')]
    const made = await rule({
      throttleHours: 1,
      conditions: { op: 'times', count: 2, of: 3, condition: above },
    })
    await set(one.co2, 1300)
    await set(two.co2, 1300)
    expect(await openAlarms()).toEqual([])
    await set(one.co2, 1310)
    expect(await openAlarms()).toEqual(['One: 1310'])
    await set(two.co2, 1320)
    await set(one.co2, 1330)
    expect(await openAlarms()).toEqual(['One: 1310', 'Two: 1320'])
    const results = await api.ddr.executionHistory({ id: made.id, results: ['fired', 'throttled'] })
    expect(results.items.map(({ twinTitle, result }) => `${twinTitle} ${result}`)).toEqual([
      'One throttled',
      'Two fired',
      'One fired',
    ])
    const { items } = await api.ddr.twins({ id: made.id })
    expect(items.map(({ twinTitle, lastResult }) => `${twinTitle} ${lastResult}`)).toEqual([
      'One throttled',
      'Two fired',
    ])
  })

  test('follows the twins there are; one that leaves has its alarm resolved and is forgotten', async () => {
    const one = await room('One')
    const made = await rule()
    const two = await room('Two')
    await room('Elsewhere', { parentId: await twin('Other building') })
    await settle()
    expect(await twinsOf(made)).toEqual(['One', 'Two'])
    await set(two.co2, 1500)
    expect(await openAlarms()).toEqual(['Two: 1500'])
    const found = await api.digitaltwin.get({ id: two.id })
    await api.digitaltwin.update({ ...found, type: 'default' })
    await settle()
    expect(await twinsOf(made)).toEqual(['One'])
    expect(await openAlarms()).toEqual([])
    await set(two.co2, 1600)
    expect(await openAlarms()).toEqual([])
    const changed = await api.digitaltwin.get({ id: two.id })
    await api.digitaltwin.update({ ...changed, type: 'room' })
    await settle()
    const { items } = await api.ddr.twins({ id: made.id })
    expect(items.map(({ lastResult }) => lastResult)).toEqual([null, null])
    await api.digitaltwin.delete({ id: one.id })
    await settle()
    expect(await twinsOf(made)).toEqual(['Two'])
  })

  test('leaves out exceptions, which have no alarm any more', async () => {
    const [one, two] = [await room('One'), await room('Two')]
    const made = await rule()
    await set(one.co2, 1300)
    await set(two.co2, 1300)
    const changed = await api.ddr.exceptTwin({ id: made.id, dtwinId: two.id, except: true })
    expect(changed).toMatchObject({ version: made.version + 1, twins: { total: 1, beyond: 0 } })
    await settle()
    expect(await openAlarms()).toEqual(['One: 1300'])
    await set(two.co2, 1400)
    expect(await openAlarms()).toEqual(['One: 1300'])
    expect(await twinsOf(made)).toEqual(['One', 'not Two'])
    expect((await api.ddr.twins({ id: made.id, except: true })).total).toBe(1)
    expect((await api.ddr.list({ dtwinId: two.id })).items.map(({ id }) => id)).toEqual([made.id])
    await api.ddr.exceptTwin({ id: made.id, dtwinId: two.id, except: false })
    await set(two.co2, 1500)
    expect(await openAlarms()).toEqual(['One: 1300', 'Two: 1500'])
    const { items } = await api.ddr.versions({ id: made.id })
    expect(items.map((version) => version.changed)).toEqual([['many'], ['many'], []])
  })

  test('is listed with its twins, and previewed before it is stored', async () => {
    const one = await room('One')
    await twin('Empty', { parentId: building, type: 'room' })
    const made = await rule()
    expect((await api.ddr.list({ dtwinId: one.id })).items.map(({ id }) => id)).toEqual([made.id])
    const preview = await api.ddr.previewTwins({ dtwinId: building, many: rooms, metrics: [own] })
    expect(preview).toMatchObject({ total: 1, items: [{ dtwinId: one.id, twinTitle: 'One' }] })
    expect((await api.ddr.previewTwins({ dtwinId: building, many: rooms })).total).toBe(2)
  })

  test('runs on all of its twins at a time and by hand, and on one in silence', async () => {
    const [one, two] = [await room('One'), await room('Two')]
    const made = await rule({
      triggers: [
        { kind: 'interval', hours: 1 },
        { kind: 'manual' },
        { kind: 'silence', metric: 'co2', minutes: 5 },
      ],
      conditions: { op: 'gt', left: { metric: 'co2' }, right: { value: 0 } },
    })
    await set(one.co2, 1)
    await set(two.co2, 2)
    const fired = async () =>
      (await api.ddr.executionHistory({ id: made.id, limit: 100 })).items.map(
        ({ twinTitle, cause }) => `${twinTitle} ${cause.kind}`,
      )
    expect(await fired()).toEqual(['Two values', 'One values'])
    clock.advance(240_000)
    await set(one.co2, 3)
    clock.advance(62_000)
    await settle()
    expect((await fired()).slice(0, 2)).toEqual(['Two silence', 'One values'])
    await api.ddr.run({ id: made.id })
    await settle()
    expect((await fired()).slice(0, 2).sort()).toEqual(['One manual', 'Two manual'])
    clock.set('2026-06-15T13:00:00.000Z')
    await settle()
    expect((await fired()).filter((each) => each.endsWith(' time')).sort()).toEqual(['One time', 'Two time'])
  })

  test('becomes one for its own twin, and the other way round', async () => {
    const one = await room('One')
    const made = await rule()
    await set(one.co2, 1300)
    const co2 = await state(building, 'co2')
    const alone = await api.ddr.update({ ...made, many: null })
    await settle()
    expect(await openAlarms()).toEqual([])
    await set(co2, 2000)
    expect(await openAlarms()).toEqual(['Building: 2000'])
    await api.ddr.update({ ...alone, many: rooms })
    await settle()
    expect(await openAlarms()).toEqual([])
    await set(one.co2, 1700)
    expect(await openAlarms()).toEqual(['One: 1700'])
  })

  test('sets a state of each twin by its key, where its editor may, and never what wakes it', async () => {
    clock.set(new Date(Date.now() - 3_600_000).toISOString())
    api = (await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])).api
    const [one, two] = [await room('One'), await room('Two')]
    const modes = [await state(one.id, 'mode'), await state(two.id, 'mode')]
    const sets = (stateKey: string) => ({ kind: 'set-state' as const, stateKey, value: { value: 7 } })
    const made = await rule({ actions: [sets('mode'), sets('fan')] })
    await set(two.co2, 1300)
    const modeOf = async (dtwinId: number) =>
      (await api.digitaltwin.states({ id: dtwinId })).items.find(({ key }) => key === 'mode')?.value
    expect([await modeOf(one.id), await modeOf(two.id)]).toEqual([null, 7])
    const { items } = await api.ddr.executionHistory({ id: made.id })
    expect(items[0]?.actions).toMatchObject([
      { ok: true, detail: '7' },
      { ok: false, detail: 'the twin has no such state' },
    ])
    // A state that comes later is found.
    const fan = await state(two.id, 'fan')
    await settle()
    await set(two.co2, 1301)
    expect((await api.digitaltwin.states({ id: two.id })).items.find(({ id }) => id === fan)?.value).toBe(7)

    const wrong = { code: 'PARAMETER_VALIDATION_ERROR' }
    expect(
      await errorOf(rule({ title: 'A', actions: [{ ...sets('mode'), stateId: one.co2 }] })),
    ).toMatchObject(wrong)
    const refused = { code: 'VALIDATION_ERROR' }
    expect(await errorOf(rule({ title: 'B', actions: [sets('co2')] }))).toMatchObject(refused)
    const watching = [{ ...byKey({}), alias: 'm', stateKey: 'mode' }, own]
    expect(await errorOf(rule({ title: 'C', metrics: watching, actions: [sets('mode')] }))).toMatchObject(
      refused,
    )
    const [mode = 0] = modes
    expect(
      await errorOf(
        rule({ title: 'D', metrics: [{ alias: 'co2', stateId: mode }], actions: [sets('mode')] }),
      ),
    ).toMatchObject(refused)
    // Through another rule, on one twin.
    const back = rule({
      title: 'Back',
      dtwinId: one.id,
      many: null,
      metrics: [{ alias: 'co2', stateId: mode }],
      actions: [{ kind: 'set-state', stateId: one.co2, value: { value: 1 } }],
    })
    expect(await errorOf(back)).toMatchObject(refused)
  })

  test('does nothing twice on any twin when events come again', async () => {
    const [one, two] = [await room('One'), await room('Two')]
    const made = await rule()
    const at = clock.now()
    const events = [
      storedEvent(9_500_001, at, one.co2, one.id, 1300),
      storedEvent(9_500_002, at, two.co2, two.id, 1300),
      storedEvent(9_500_003, at, one.co2, one.id, 1400),
    ]
    await app.app.rules.handle(events)
    await app.app.rules.handle(events)
    await app.app.rules.handle(events.slice(1))
    const { items } = await api.ddr.executionHistory({ id: made.id })
    expect(items.map(({ twinTitle, inputs }) => `${twinTitle} ${inputs.co2}`)).toEqual([
      'One 1400',
      'Two 1300',
      'One 1300',
    ])
    expect(await openAlarms()).toEqual(['One: 1300', 'Two: 1300'])
  })

  test('goes with its own twin, and is named where another twin is used', async () => {
    const one = await room('One')
    const made = await rule()
    const elsewhere = await twin('Elsewhere')
    const other = await api.ddr.create({
      dtwinId: elsewhere,
      title: 'Other',
      many: { query: { twinId: building }, except: [] },
      metrics: [own],
      conditions: above,
      actions: [alarm],
    })
    const { items } = await api.digitaltwin.dependencies({ id: building })
    expect(items.map(({ title }) => title)).toContain('Elsewhere · Other')
    await api.ddr.delete({ id: other.id })
    await api.digitaltwin.delete({ id: one.id })
    await api.digitaltwin.delete({ id: building })
    expect(await errorOf(api.ddr.get({ id: made.id }))).toMatchObject({ code: 'DDR_NOT_FOUND' })
  })

  test('that starts another one starts it on the same twin', async () => {
    const [one, two] = [await room('One'), await room('Two')]
    const other = await rule({ title: 'Other', triggers: [{ kind: 'manual' }] })
    await rule({ title: 'First', actions: [{ kind: 'start-rule', ruleId: other.id }] })
    await set(one.co2, 1300)
    await settle()
    expect(await openAlarms()).toEqual(['One: 1300'])
    await set(two.co2, 1300)
    await settle()
    expect(await openAlarms()).toEqual(['One: 1300', 'Two: 1300'])
  })

  test('finds many twins with as many statements as few, and has a largest number', async () => {
    const add = (count: number) =>
      sql`
        with made as (
          insert into twins (account_id, scope_id, category, title, tags)
          select ${account.id}::int, ${account.scopeId}::int, 'digitalTwin', 'Crowd ' || n, array['crowd']
          from generate_series(1, ${count}::int) n returning id)
        insert into states (twin_id, key, title, unit, source, source_settings, value_type)
        select id, 'co2', 'CO₂', '', 'none', '{}', 'number' from made`.execute(app.ctx.db)
    const made = await rule({ many: { query: { tags: ['crowd'] }, except: [] } })
    let statements = 0
    const counting: KyselyPlugin = {
      transformQuery({ node }) {
        statements++
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const refresh = async () => {
      statements = 0
      await app.ctx.db
        .withPlugin(counting)
        .transaction()
        .execute((tx) => refreshTwins(tx, { alarms: { resolve: async () => [] } }, made.id, clock.now()))
      return statements
    }
    await add(2)
    const few = await refresh()
    await add(19_997)
    expect(await refresh()).toBe(few)
    expect((await api.ddr.get({ id: made.id })).twins).toEqual({ total: 19_999, beyond: 0 })
    const saved = await api.ddr.update({ ...(await api.ddr.get({ id: made.id })), title: 'Crowd' })
    expect(saved.twins).toEqual({ total: 19_999, beyond: 0 })
    await add(3)
    await refresh()
    const grown = await api.ddr.get({ id: made.id })
    expect(grown.twins).toEqual({ total: 20_000, beyond: 2 })
    expect(await errorOf(api.ddr.update({ ...grown, title: 'More' }))).toMatchObject({
      code: 'VALIDATION_ERROR',
    })
  }, 300_000)
})

describe('metrics by key', () => {
  test('read the twin, its parent and its children', async () => {
    const one = await room('One')
    const two = await room('Two')
    const limit = await state(building, 'limit')
    await set(limit, 1000)
    const related = (alias: string, change: Partial<Related>) => byKey({ alias, ...change })
    const ofRooms = await rule({
      title: 'Rooms',
      metrics: [own, related('limit', { of: 'parent', stateKey: 'limit' })],
      conditions: { op: 'gt', left: { metric: 'co2' }, right: { metric: 'limit' } },
    })
    const ofBuilding = await api.ddr.create({
      dtwinId: building,
      title: 'Building',
      metrics: [
        related('mean', { of: 'children', across: 'avg' }),
        related('worst', { of: 'children', across: 'max' }),
        related('known', { of: 'children', across: 'count' }),
      ],
      conditions: { op: 'gt', left: { metric: 'mean' }, right: { value: 5000 } },
      actions: [{ ...alarm, message: 'Mean {{mean}}' }],
    })
    await set(one.co2, 900)
    await set(two.co2, 1300)
    const inputs = async ({ id }: Rule) =>
      (await api.ddr.executionHistory({ id })).items.map((each) => each.inputs)
    expect((await inputs(ofRooms))[0]).toEqual({ co2: 1300, limit: 1000 })
    expect(await inputs(ofBuilding)).toEqual([{ mean: 1100, worst: 1300, known: 2 }])
    // A value of the parent wakes the rule on all twins below it.
    await set(limit, 800)
    expect(await openAlarms()).toEqual(['One: 900', 'Two: 1300'])
    const tested = await api.ddr.testConditions({
      dtwinId: one.id,
      metrics: ofRooms.metrics,
      conditions: ofRooms.conditions,
    })
    expect(tested).toMatchObject({ met: true, inputs: { co2: 900, limit: 800 } })
  })

  test('look back at windows', async () => {
    const one = await room('One')
    const made = await rule({ metrics: [byKey({ over: 'avg', lastValues: 2 })] })
    await set(one.co2, 1000)
    await set(one.co2, 1600)
    const { items } = await api.ddr.executionHistory({ id: made.id })
    expect(items.map(({ inputs }) => inputs.co2)).toEqual([1300, 1000])
  })

  test('are refused where they cannot be', async () => {
    const issues = (change: Partial<Parameters<Api['ddr']['create']>[0]>) =>
      errorOf(rule({ title: 'Refused', ...change }))
    const error = { code: 'VALIDATION_ERROR' }
    expect(await issues({ metrics: [byKey({ over: 'avg' })] })).toMatchObject(error)
    expect(await issues({ metrics: [byKey({ of: 'children' })] })).toMatchObject(error)
    expect(await issues({ metrics: [byKey({ across: 'avg' })] })).toMatchObject(error)
    const area = { kind: 'circle', latitude: 0, longitude: 0, radius: 100 } as const
    expect(
      await issues({ triggers: [{ kind: 'geofence', mode: 'enter', area, below: true } as never] }),
    ).toMatchObject(error)
    const past = { title: 'Past', metrics: [own], conditions: above }
    expect(await errorOf(api.ddr.runOnPast({ dtwinId: building, days: 1, rule: past }))).toMatchObject(error)
    const made = await rule()
    expect(
      await errorOf(api.ddr.runOnPast({ dtwinId: building, ruleId: made.id, days: 1, rule: past })),
    ).toMatchObject(error)
  })

  test('that the rule sets itself are refused, and those of twins that come later do not wake it', async () => {
    const one = await room('One')
    const action = { kind: 'set-state', stateId: one.co2, value: { value: 1 } } as const
    expect(await errorOf(rule({ actions: [action] }))).toMatchObject({ code: 'VALIDATION_ERROR' })
    const later = await twin('Later', { parentId: building })
    const co2 = await state(later, 'co2')
    const made = await rule({ actions: [{ ...action, stateId: co2 }] })
    const found = await api.digitaltwin.get({ id: later })
    await api.digitaltwin.update({ ...found, type: 'room' })
    await settle()
    expect(await twinsOf(made)).toEqual(['Later', 'One'])
    await set(one.co2, 1500)
    await settle()
    const { items } = await api.ddr.executionHistory({ id: made.id })
    expect(items.map(({ twinTitle }) => twinTitle)).toEqual(['One'])
  })
})

describe('what a rule for many sees', () => {
  test('is what its editor sees, and readers see only their own twins of it', async () => {
    const [open, secret] = [await room('Open'), await room('Secret')]
    const { scopeId } = await api.digitaltwin.createScope({ id: secret.id })
    const blind = await createRole(app, [
      { subject: 'DigitalTwin', actions: ['read', 'write', 'manage'], inverted: true },
      { subject: 'DigitalTwinStates', actions: ['read'], inverted: true },
    ])
    const editor = await createUser(app, account, [
      { roleId: await roleNamed(app, 'Operator') },
      { roleId: blind, scopeId },
    ])
    const narrow = await editor.api.ddr.create({
      dtwinId: building,
      title: 'Narrow',
      many: rooms,
      metrics: [own],
      conditions: above,
      actions: [alarm],
    })
    expect(narrow.twins).toEqual({ total: 1, beyond: 0 })
    expect((await editor.api.ddr.previewTwins({ dtwinId: building, many: rooms })).total).toBe(1)
    await set(secret.co2, 1300)
    expect(await openAlarms()).toEqual([])
    // A later look does not see more than the editor either; a switch of an exception changes nothing of that.
    await room('Another')
    await settle()
    expect(await twinsOf(narrow)).toEqual(['Another', 'Open'])
    await api.ddr.exceptTwin({ id: narrow.id, dtwinId: open.id, except: true })
    await settle()
    expect(await twinsOf(narrow)).toEqual(['Another', 'not Open'])

    const wide = await rule({ title: 'Wide', many: rooms })
    expect(wide.twins).toEqual({ total: 3, beyond: 0 })
    await set(secret.co2, 1400)
    await set(open.co2, 1500)
    const seen = await editor.api.ddr.executionHistory({ id: wide.id })
    expect(seen.items.map(({ twinTitle }) => twinTitle)).toEqual(['Open'])
    expect(seen.total).toBe(1)
    const { items } = await editor.api.ddr.twins({ id: wide.id })
    expect(items.map(({ twinTitle }) => twinTitle)).toEqual(['Another', 'Open'])
    expect(
      await errorOf(editor.api.ddr.exceptTwin({ id: wide.id, dtwinId: secret.id, except: true })),
    ).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
    const metrics: Related[] = [byKey({ of: 'children', across: 'count' })]
    const tested = await editor.api.ddr.testConditions({ dtwinId: building, metrics, conditions: above })
    expect(tested.inputs).toEqual({ co2: 1 })
  })

  test('is what its editor may change, where it sets states there', async () => {
    const [open, secret] = [await room('Open'), await room('Secret')]
    const { scopeId } = await api.digitaltwin.createScope({ id: secret.id })
    const readers = await createRole(app, [
      { subject: 'DigitalTwin', actions: ['write', 'manage'], inverted: true },
    ])
    const editor = await createUser(app, account, [
      { roleId: await roleNamed(app, 'Operator') },
      { roleId: readers, scopeId },
    ])
    const actions = [{ kind: 'set-state' as const, stateKey: 'mode', value: { value: 7 } }]
    const input = {
      dtwinId: building,
      title: 'Sets',
      many: rooms,
      metrics: [own],
      conditions: above,
      actions,
    }
    expect((await editor.api.ddr.create(input)).twins).toEqual({ total: 1, beyond: 0 })
    const alarms = { ...input, title: 'Alarms', actions: [alarm] }
    expect((await editor.api.ddr.create(alarms)).twins).toEqual({ total: 2, beyond: 0 })
    expect(open.id).not.toBe(secret.id)
  })

  test('are no twins of other accounts', async () => {
    const other = await createAccount(app)
    const foreign = await createTwin(app, other, { tags: ['shared'] })
    await createState(app, foreign.id, 'co2')
    const made = await rule({ many: { query: { tags: ['shared'] }, except: [] } })
    expect(made.twins).toEqual({ total: 0, beyond: 0 })
    expect(
      await errorOf(rule({ title: 'Other', many: { query: { twinId: foreign.id }, except: [] } })),
    ).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
  })
})
