import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createRole,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { createState, createTwin, writeValues } from '../../../test/twins.ts'
import { jsonb } from '../../platform/db/index.ts'
import { checkUses } from '../objects/index.ts'

let app: TestApp
let account: { id: number; scopeId: number }
let south: { id: number; scopeId: number }
let api: Api
let connectorId: number

beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app, { name: 'North' })
  south = await createAccount(app, { name: 'South' })
  api = (await createUser(app, account, [{ roleId: await roleNamed(app, 'Operator') }])).api
  const row = await app.ctx.db
    .insertInto('connectors')
    .values({
      account_id: account.id,
      scope_id: account.scopeId,
      name: 'Net',
      kind: 'mqtt-in',
      settings: jsonb({}),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  connectorId = row.id
})

type NewState = Parameters<Api['state']['create']>[0]
type NewRule = Parameters<Api['ddr']['create']>[0]
const state = (dtwinId: number, key: string, more: object = {}, by = api) =>
  by.state.create({ dtwinId, key, title: key, source: 'none', ...more } as NewState)
const rule = (dtwinId: number, title: string, stateId: number, more: object = {}, by = api) =>
  by.ddr.create({
    dtwinId,
    title,
    metrics: [{ alias: 'a', stateId, operation: 'latest' }],
    conditions: { op: 'gt', left: { metric: 'a' }, right: { value: 30 } },
    actions: [{ kind: 'alarm', severity: 'warning', message: 'hot' }],
    ...more,
  } as NewRule)
const room = (title: string, more: object = {}) =>
  api.digitaltwin.create({ accountId: account.id, title, ...more })

/** A room with a measured state, one computed from it, one with an address, and a rule. */
async function pattern() {
  const twin = await room('Pattern', { type: 'room', floorName: 'Ground' })
  const warm = await state(twin.id, 'warm', { unit: '°C', upperBound: 30 })
  const twice = await state(twin.id, 'twice', {
    source: 'aggregate',
    sourceSettings: { stateIds: [warm.id] },
  })
  const bound = await state(twin.id, 'bound', {
    source: 'connector',
    sourceSettings: { connectorId, identifier: `pattern-${twin.id}` },
  })
  await rule(twin.id, 'Too warm', warm.id)
  return { twin, warm, twice, bound }
}

const statesOf = async (id: number) =>
  new Map((await api.digitaltwin.states({ id })).items.map((each) => [each.key, each]))
const rulesOf = async (dtwinId: number) =>
  new Map((await api.ddr.list({ dtwinId })).items.map((each) => [each.title, each]))

async function synchronised(id: number, ids: number[], parts: object = {}) {
  const job = await api.twinCopy.synchronize({ id, selection: { ids }, ...parts })
  await app.drain()
  const { items } = await api.job.rows({ id: job.id, limit: 1000 })
  return items.map(({ title, state: result, faults }) => [title, result, faults[0]?.code])
}

describe('synchronising', () => {
  test('shows first what it adds, changes and removes, then does that, and then finds nothing', async () => {
    const { twin } = await pattern()
    const empty = await room('Empty')
    const used = await room('Used')
    const warm = await state(used.id, 'warm', { unit: 'F' })
    const old = await state(used.id, 'old')
    const held = await state(used.id, 'held')
    const listening = { connectorId, identifier: `used-${used.id}` }
    await state(used.id, 'bound', { source: 'connector', sourceSettings: listening })
    await rule(used.id, 'Too warm', warm.id, { throttleHours: 5 })
    await rule(used.id, 'Own', old.id)
    await state((await room('Reader')).id, 'mean', {
      source: 'aggregate',
      sourceSettings: { stateIds: [held.id] },
    })
    await writeValues(app, [{ stateId: warm.id, value: 21, time: '2026-06-15T12:00:00.000Z' }])

    const selection = { ids: [used.id, twin.id, empty.id] }
    const parts = { removeOthers: true, typeFields: true }
    const preview = await api.twinCopy.synchronizePreview({ id: twin.id, selection, ...parts })
    expect(preview).toMatchObject({ total: 2, refused: [], hiddenRules: 0 })
    expect(preview.items).toEqual([
      {
        id: empty.id,
        title: 'Empty',
        states: { added: ['warm', 'twice', 'bound'], changed: [], removed: [] },
        rules: { added: ['Too warm'], changed: [], removed: [] },
        fields: ['type', 'floorName'],
      },
      {
        id: used.id,
        title: 'Used',
        states: { added: ['twice'], changed: ['warm', 'bound'].slice(0, 1), removed: ['old', 'held'] },
        rules: { added: [], changed: ['Too warm'], removed: ['Own'] },
        fields: ['type', 'floorName'],
      },
    ])
    expect((await statesOf(empty.id)).size).toBe(0)

    expect(await synchronised(twin.id, selection.ids, parts)).toEqual([
      ['Empty', 'done', undefined],
      ['Used', 'done', undefined],
    ])
    const added = await statesOf(empty.id)
    expect(added.get('bound')).toMatchObject({ source: 'none' })
    expect(added.get('twice')).toMatchObject({
      source: 'aggregate',
      sourceSettings: { stateIds: [added.get('warm')?.id] },
    })
    expect((await rulesOf(empty.id)).get('Too warm')).toMatchObject({
      metrics: [{ stateId: added.get('warm')?.id }],
    })
    const changed = await statesOf(used.id)
    // Other twins compute from it.
    expect([...changed.keys()].toSorted()).toEqual(['bound', 'held', 'twice', 'warm'])
    expect(changed.get('warm')).toMatchObject({ id: warm.id, unit: '°C', upperBound: 30, value: 21 })
    expect(changed.get('bound')).toMatchObject({ source: 'connector', sourceSettings: listening })
    await app.app.series.settle()
    expect((await statesOf(used.id)).get('twice')?.value).toBe(21)
    expect([...(await rulesOf(used.id)).keys()]).toEqual(['Too warm'])
    expect((await rulesOf(used.id)).get('Too warm')).toMatchObject({
      throttleHours: 0,
      metrics: [{ stateId: warm.id }],
    })
    expect(await api.digitaltwin.get({ id: used.id })).toMatchObject({ type: 'room', floorName: 'Ground' })
    expect(await checkUses(app.ctx.db)).toEqual([])
    const log = await app.api.activityLog.list({ subject: 'DigitalTwin', objectId: used.id, limit: 1 })
    expect(log.items).toMatchObject([
      { action: 'twin-sync', changes: { like: 'Pattern', deletedStates: ['old'] } },
    ])

    expect(await synchronised(twin.id, [empty.id])).toEqual([['Empty', 'unchanged', undefined]])
  })

  test('keeps the history of a state whose type changes, and has no current value until the next', async () => {
    const { twin } = await pattern()
    const other = await room('Other')
    const text = await state(other.id, 'warm', { valueType: 'text' })
    await writeValues(app, [{ stateId: text.id, value: 'mild', time: '2026-06-15T12:00:00.000Z' }])
    await synchronised(twin.id, [other.id])
    expect((await statesOf(other.id)).get('warm')).toMatchObject({
      id: text.id,
      valueType: 'number',
      value: null,
    })
    const { rows } = await app.ctx.pool.query('select txt from state_values where state_id = $1', [text.id])
    expect(rows).toEqual([{ txt: 'mild' }])
  })

  test('works for all twins of a filter', async () => {
    const { twin } = await pattern()
    const hall = await room('Hall')
    const desks = [
      await api.digitaltwin.create({ parentId: hall.id, title: 'Desk 1' }),
      await api.digitaltwin.create({ parentId: hall.id, title: 'Desk 2' }),
    ]
    const selection = { filter: { parentId: hall.id } }
    const preview = await api.twinCopy.synchronizePreview({ id: twin.id, selection, offset: 1, limit: 1 })
    expect(preview).toMatchObject({ total: 2, items: [{ id: desks[1]?.id }] })
    const { id } = await api.twinCopy.synchronize({ id: twin.id, selection })
    await app.drain()
    expect(await api.job.get({ id })).toMatchObject({ state: 'done', result: { done: 2 } })
  })

  test('is refused as a whole unless all twins may be changed, and names those that may not', async () => {
    const { twin } = await pattern()
    const theirs = await createTwin(app, south, { title: 'Theirs' })
    const own = await room('Own')
    const reads = await createRole(app, [{ subject: 'DigitalTwin', actions: ['read'] }])
    const guest = await createUser(app, account, [
      { roleId: await roleNamed(app, 'Operator') },
      { roleId: reads, scopeId: south.scopeId },
    ])
    const selection = { ids: [own.id, theirs.id] }
    const refused = [{ id: theirs.id, title: 'Theirs' }]
    expect(await guest.api.twinCopy.synchronizePreview({ id: twin.id, selection })).toMatchObject({ refused })
    expect(await errorOf(guest.api.twinCopy.synchronize({ id: twin.id, selection }))).toMatchObject({
      code: 'NO_PERMISSION',
      data: { items: refused },
    })
    // Twins one may not even see are not there.
    expect(await errorOf(api.twinCopy.synchronize({ id: twin.id, selection }))).toMatchObject({
      code: 'DTWIN_NOT_FOUND',
    })
    expect(
      await errorOf(api.twinCopy.synchronize({ id: theirs.id, selection: { ids: [own.id] } })),
    ).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
    expect((await statesOf(own.id)).size).toBe(0)
  })

  test('does not take over rules and sources the caller may not see', async () => {
    const twin = await room('Secretive')
    const secret = await createState(app, (await createTwin(app, south)).id, 'secret')
    const own = await state(twin.id, 'own')
    const leak = { source: 'aggregate', sourceSettings: { stateIds: [secret] } }
    await state(twin.id, 'leak', leak, app.api)
    await rule(twin.id, 'Hidden', secret, {}, app.api)
    await rule(twin.id, 'Shown', own.id)
    const other = await room('Other')
    const kept = await state(other.id, 'kept')
    await rule(other.id, 'Hidden', kept.id)
    const selection = { ids: [other.id] }
    expect(
      await api.twinCopy.synchronizePreview({ id: twin.id, selection, removeOthers: true }),
    ).toMatchObject({ hiddenRules: 1, items: [{ rules: { added: ['Shown'], changed: [], removed: [] } }] })
    await synchronised(twin.id, selection.ids)
    expect((await statesOf(other.id)).get('leak')).toMatchObject({ source: 'none' })
    expect((await rulesOf(other.id)).get('Hidden')).toMatchObject({ metrics: [{ stateId: kept.id }] })
  })

  test('fails for a twin that does not fit, and leaves that as it is: AGGREGATE_LOOP, DTWIN_SYNC_FAILED', async () => {
    const { twin } = await pattern()
    const loop = await room('Loop')
    const twice = await state(loop.id, 'twice')
    await state(loop.id, 'warm', { source: 'aggregate', sourceSettings: { stateIds: [twice.id] } })
    const fine = await room('Fine')
    expect(await synchronised(twin.id, [loop.id, fine.id])).toEqual([
      ['Loop', 'failed', 'AGGREGATE_LOOP'],
      ['Fine', 'done', undefined],
    ])
    expect([...(await statesOf(loop.id)).keys()]).toEqual(['twice', 'warm'])

    const corners: [number, number][] = [
      [7, 51],
      [8, 51],
      [8, 52],
      [7, 51],
    ]
    const geoPolygon = { type: 'Polygon' as const, coordinates: [corners] }
    const zone = await room('Zone', { type: 'zone', geoPolygon })
    expect(await synchronised(zone.id, [fine.id], { typeFields: true })).toEqual([
      ['Fine', 'failed', 'DTWIN_SYNC_FAILED'],
    ])
    const tooMany = { ids: Array.from({ length: 5_001 }, (_, at) => at + 1) }
    expect(await errorOf(api.twinCopy.synchronize({ id: twin.id, selection: tooMany }))).toMatchObject({
      code: 'PARAMETER_VALIDATION_ERROR',
    })
  })
})
