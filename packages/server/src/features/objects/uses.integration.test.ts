import { sql } from 'kysely'
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
import { createConnector, createDevice, createDriver, createState } from '../../../test/pipeline.ts'
import { checkUses } from './index.ts'

let app: TestApp
let north: { id: number; scopeId: number }
let api: Api

beforeAll(async () => {
  app = await startApp()
  north = await createAccount(app, { name: 'North' })
  api = (await createUser(app, north, [{ roleId: await roleNamed(app, 'Account administrator') }])).api
})

const conditions = { op: 'gt', left: { metric: 'v' }, right: { value: 1 } } as const
const alarm = { kind: 'alarm', severity: 'warning', message: 'high' } as const
const size = { columns: 6, minHeightPx: 280 } as const
const brief = ({ items }: { items: { kind: string; title: string; notes: string[] }[] }) =>
  items.map(({ kind, title, notes }) => `${kind} ${title} (${notes.join(', ')})`)

async function newState(title: string, key = 'v') {
  const twin = await api.digitaltwin.create({ title, accountId: north.id })
  const state = await api.state.create({ dtwinId: twin.id, key, title: key, source: 'none' })
  return { twinId: twin.id, id: state.id }
}

/** A state, and one of everything that can use it. */
async function usedState(title: string) {
  const state = await newState(title)
  const other = await newState(`${title} other`)
  const target = await newState(`${title} target`)
  const rule = await api.ddr.create({
    dtwinId: other.twinId,
    title: 'Too high',
    metrics: [{ alias: 'v', stateId: state.id }],
    conditions,
    actions: [alarm, { kind: 'set-state', stateId: target.id, value: { metric: 'v' } }],
  })
  const sum = await api.state.create({
    dtwinId: other.twinId,
    key: 'sum',
    title: 'Sum',
    source: 'aggregate',
    sourceSettings: { stateIds: [state.id], method: 'sum' },
  })
  const board = await api.dashboards.create({ accountId: north.id, name: `${title} board` })
  const shown = await api.dashboards.addWidget({
    id: board.id,
    definition: { type: 'value', title: '', size, valueOptions: { stateIds: [state.id] } },
  })
  const widgetId = shown.widgets[0]?.id ?? 0
  return { state, other, target, rule, sum, board, widgetId }
}

describe('what uses a thing', () => {
  test('a state: states computed from it, rules that look at it or set it, dashboards', async () => {
    const { state, target, sum, rule, other } = await usedState('Boiler')
    const found = await api.objects.usersOfState({ id: state.id })
    expect(found).toMatchObject({ total: 3, hidden: false, offset: 0, limit: 20 })
    expect(found.items).toEqual([
      {
        kind: 'state',
        id: sum.id,
        title: 'Boiler other · Sum',
        notes: ['source'],
        owner: { kind: 'digitalTwin', id: other.twinId },
      },
      {
        kind: 'rule',
        id: rule.id,
        title: 'Boiler other · Too high',
        notes: ['reads'],
        owner: { kind: 'digitalTwin', id: other.twinId },
      },
      { kind: 'dashboard', id: expect.any(Number), title: 'Boiler board', notes: ['shows'], owner: null },
    ])
    expect(found.groups).toEqual([
      { kind: 'state', count: 1, more: false },
      { kind: 'rule', count: 1, more: false },
      { kind: 'dashboard', count: 1, more: false },
    ])
    expect(brief(await api.objects.usersOfState({ id: target.id }))).toEqual([
      'rule Boiler other · Too high (sets)',
    ])
  })

  test('a twin: what lies below it and what uses its states, not what it has of its own', async () => {
    const { state } = await usedState('Hall')
    await api.digitaltwin.create({ title: 'Corner', parentId: state.twinId })
    await api.dashboards.create({ accountId: north.id, name: 'Hall wall', parentDtwinId: state.twinId })
    await api.ddr.create({
      dtwinId: state.twinId,
      title: 'Own',
      metrics: [{ alias: 'v', stateId: state.id }],
      conditions,
      actions: [alarm],
    })
    expect(brief(await api.objects.usersOfTwin({ id: state.twinId }))).toEqual([
      'digitalTwin Corner (child)',
      'state Hall other · Sum (source)',
      'rule Hall other · Too high (reads)',
      'dashboard Hall board (shows)',
      'dashboard Hall wall (belongs)',
    ])
  })

  test('drivers, connectors and templates: page by page, and one kind alone', async () => {
    const connector = await createConnector(app, north.id, north.scopeId)
    const driverId = await createDriver(app, 'return {}')
    for (const n of [1, 2, 10]) {
      const device = await api.virtualdevice.create({
        connectorId: connector.id,
        title: `Meter ${n}`,
        externalId: `meter-${n}`,
        driverId,
        acceptDriver: 1,
      })
      expect(device.driverId).toBe(driverId)
    }
    expect(brief(await api.objects.usersOfDriver({ id: driverId }))).toEqual([
      'virtualDevice Meter 1 (driver)',
      'virtualDevice Meter 2 (driver)',
      'virtualDevice Meter 10 (driver)',
    ])
    const second = await api.objects.usersOfConnector({ id: connector.id, offset: 1, limit: 1 })
    expect(second).toMatchObject({ total: 3, offset: 1, limit: 1, items: [{ title: 'Meter 2' }] })
    const rules = await api.objects.usersOfConnector({ id: connector.id, userKind: 'rule' })
    expect(rules).toMatchObject({ total: 0, items: [], groups: [{ kind: 'virtualDevice', count: 3 }] })
  })

  test('names only what the caller may see, and says that there is more', async () => {
    const { state, board } = await usedState('Secret')
    const { api: seer } = await createUser(app, north, [
      { roleId: await createRole(app, [{ subject: 'DigitalTwinStates', actions: ['read'] }]) },
    ])
    const found = await seer.objects.usersOfState({ id: state.id })
    expect(brief(found)).toEqual(['state Secret other · Sum (source)'])
    expect(found).toMatchObject({ total: 1, hidden: true })
    const { api: painter } = await createUser(app, north, [
      { roleId: await createRole(app, [{ subject: 'Dashboards', actions: ['read'] }]) },
    ])
    expect(await errorOf(painter.objects.usersOfState({ id: state.id }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
    expect(await painter.objects.usersOfDashboard({ id: board.id })).toMatchObject({
      total: 0,
      hidden: false,
    })
    const south = await createAccount(app, { name: 'South' })
    const stranger = await createUser(app, south, [{ roleId: await roleNamed(app, 'Account administrator') }])
    expect(await errorOf(stranger.api.objects.usersOfState({ id: state.id }))).toMatchObject({
      code: 'DTWIN_STATE_NOT_FOUND',
    })
  })

  test('a state that a template says names the template', async () => {
    const connector = await createConnector(app, north.id, north.scopeId)
    const driver = await createDriver(app, 'return {}')
    const { id: templateId } = await app.ctx.db
      .insertInto('device_templates')
      .values({ account_id: north.id, scope_id: north.scopeId, title: 'Room' })
      .returning('id')
      .executeTakeFirstOrThrow()
    const content = { template_id: templateId, driver_id: driver, connector_id: connector.id, settings: '{}' }
    await app.ctx.db
      .insertInto('device_template_contents')
      .values({ ...content, stage: 'draft' })
      .execute()
    const device = await createDevice(app, connector, 'room-1')
    const state = await createState(app, device, { key: 'level' })
    await sql`update virtual_devices set template_id = ${templateId} where twin_id = ${device}`.execute(
      app.ctx.db,
    )
    await sql`update states set fixed = true where id = ${state}`.execute(app.ctx.db)
    expect(brief(await api.objects.usersOfState({ id: state }))).toEqual(['deviceTemplate Room (fixed)'])
    expect(await api.objects.usersOfDevice({ id: device })).toMatchObject({ total: 0 })
    expect(await api.objects.usersOfTemplate({ id: templateId })).toMatchObject({
      total: 1,
      items: [{ kind: 'virtualDevice', id: device, notes: ['template'] }],
    })
    expect(brief(await api.objects.usersOfConnector({ id: connector.id }))).toContain(
      'deviceTemplate Room (connector)',
    )
  })
})

describe('the record of uses', () => {
  const recorded = async (kind: string, id: number) => {
    const rows = await app.ctx.db
      .selectFrom('uses')
      .select(['used_kind', 'used_id', 'note'])
      .where('user_kind', '=', kind)
      .where('user_id', '=', id)
      .orderBy('used_id')
      .execute()
    return rows.map((row) => `${row.used_kind} ${row.used_id} ${row.note}`)
  }

  test('follows definitions, and goes with what uses', async () => {
    const { state, other, target, rule, board, widgetId } = await usedState('Pump')
    const { version, id } = rule
    const { title, active, throttleHours } = rule
    await api.ddr.update({
      id,
      version,
      title,
      active,
      throttleHours,
      metrics: [{ alias: 'v', stateId: target.id }],
      conditions,
      actions: [alarm],
    })
    expect(await recorded('rule', id)).toEqual([`state ${target.id} reads`])
    await api.dashboards.configWidget({
      id: board.id,
      widgetId,
      definition: { type: 'twin-table', title: '', size, twinTableOptions: { twinIds: [other.twinId] } },
    })
    expect(await recorded('widget', widgetId)).toEqual([`twin ${other.twinId} shows`])
    expect(brief(await api.objects.usersOfState({ id: state.id }))).toEqual([
      'state Pump other · Sum (source)',
    ])
    await api.dashboards.delete({ id: board.id })
    expect(await recorded('widget', widgetId)).toEqual([])
    await api.digitaltwin.delete({ id: other.twinId })
    expect(await recorded('rule', id)).toEqual([])
    expect(await checkUses(app.ctx.db)).toEqual([])
  })

  test('is compared with the definitions: missing and stale rows are reported', async () => {
    const { state, rule, sum, widgetId } = await usedState('Broken')
    expect(await checkUses(app.ctx.db)).toEqual([])
    await sql`delete from uses where user_kind = 'rule' and user_id = ${rule.id} and note = 'reads'`.execute(
      app.ctx.db,
    )
    await sql`insert into uses values ('widget', ${widgetId}, 'state', ${state.id + 1}, 'shows')`.execute(
      app.ctx.db,
    )
    await sql`insert into uses values ('widget', 2000000000, 'twin', ${state.twinId}, 'shows')`.execute(
      app.ctx.db,
    )
    await sql`delete from state_links where state_id = ${sum.id}`.execute(app.ctx.db)
    expect(await checkUses(app.ctx.db)).toEqual([
      { problem: 'missing', user: 'state', id: sum.id, kind: 'state', used: state.id, note: 'source' },
      { problem: 'missing', user: 'rule', id: rule.id, kind: 'state', used: state.id, note: 'reads' },
      { problem: 'stale', user: 'widget', id: widgetId, kind: 'state', used: state.id + 1, note: 'shows' },
      {
        problem: 'stale',
        user: 'widget',
        id: 2_000_000_000,
        kind: 'twin',
        used: state.twinId,
        note: 'shows',
      },
    ])
    expect(await checkUses(app.ctx.db, 2)).toHaveLength(2)
  })
})
