import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { accountsTotal, devicesTotal, seedCity, timed } from '../../../test/city.ts'
import { startApp, type TestApp } from '../../../test/kit.ts'
import { checkUses } from './index.ts'

/** A tenth of it unless times are measured (`TIMES=1`). */
const devices = process.env.TIMES ? devicesTotal : devicesTotal / 10

/** "Used by" where a driver has 100 000 devices, with 50 000 rules, 20 000 widgets and 20 templates. */
let app: TestApp
let ids: {
  driver: number
  connector: number
  template: number
  zone: number
  device: number
  state: number
  watched: number
  board: number
}
const boards = 2_000
const rules = devices / 2

beforeAll(async () => {
  app = await startApp()
  const account = await seedCity(app, devices)
  await addUsers(account)
}, 300_000)

/** Copies of a rule, a dashboard and a template that the API has created. */
async function addUsers(account: { id: number }) {
  const { db } = app.ctx
  const { api } = app
  const first = await db
    .selectFrom('virtual_devices')
    .selectAll()
    .orderBy('twin_id')
    .executeTakeFirstOrThrow()
  const zone = await db
    .selectFrom('twins')
    .select('id')
    .where('account_id', '=', account.id)
    .where('type', '=', 'zone')
    .executeTakeFirstOrThrow()
  const [device, watched] = await db
    .selectFrom('states')
    .innerJoin('twins', 'twins.id', 'states.twin_id')
    .select(['states.id', 'twin_id as twinId'])
    .where('twins.account_id', '=', account.id)
    .where('key', '=', 'temperature')
    .orderBy('states.id')
    .limit(2)
    .execute()
  if (!device || !watched) throw new Error('there are no states')
  const rule = await api.ddr.create({
    dtwinId: zone.id,
    title: 'Too high',
    metrics: [{ alias: 'v', stateId: device.id }],
    conditions: { op: 'gt', left: { metric: 'v' }, right: { value: 1 } },
    actions: [{ kind: 'alarm', severity: 'warning', message: 'high' }],
  })
  const board = await api.dashboards.create({ accountId: account.id, name: 'Board', parentDtwinId: zone.id })
  await api.dashboards.addWidget({
    id: board.id,
    definition: {
      type: 'value',
      title: '',
      size: { columns: 6, minHeightPx: 280 },
      valueOptions: { stateIds: [device.id] },
    },
  })
  await db.transaction().execute(async (tx) => {
    await sql`
      with made as (
        insert into rules (twin_id, account_id, title, metrics, conditions, actions)
        select s.twin_id, s.account_id, 'Rule', jsonb_set(r.metrics, '{0,stateId}', to_jsonb(s.id)), r.conditions, r.actions
        from (select min(s.id) as id, twin_id, t.account_id from states s join twins t on t.id = s.twin_id
          where t.category = 'virtualDevice' group by twin_id, t.account_id order by twin_id limit ${rules}) as s,
          rules r where r.id = ${rule.id}
        returning id, (metrics #>> '{0,stateId}')::int as state_id)
      insert into uses (user_kind, user_id, used_kind, used_id, note) select 'rule', id, 'state', state_id, 'reads' from made`.execute(
      tx,
    )
    await sql`insert into dashboards (account_id, scope_id, name, parent_twin_id)
      select d.account_id, d.scope_id, 'Board ' || n, d.parent_twin_id
      from dashboards d, generate_series(2, ${boards}) as n where d.id = ${board.id}`.execute(tx)
    // One state is on every dashboard.
    await sql`
      with made as (
        insert into widgets (dashboard_id, position, config)
        select d.id, n, jsonb_set(w.config, '{valueOptions,stateIds}', jsonb_build_array(${watched.id}::int + n))
        from dashboards d, generate_series(0, 9) as n, widgets w
        where w.dashboard_id = ${board.id} and d.id <> ${board.id}
        returning id, (config #>> '{valueOptions,stateIds,0}')::int as state_id)
      insert into uses (user_kind, user_id, used_kind, used_id, note)
      select 'widget', id, 'state', state_id, 'shows' from made`.execute(tx)
    await sql`insert into device_templates (account_id, scope_id, title, publication)
      select account_id, id, 'Template', 1 from scopes where parent_id is not null`.execute(tx)
    await sql`insert into device_template_contents (template_id, stage, driver_id, connector_id, settings)
      select t.id, 'productive', ${first.driver_id}, c.id, '{}'
      from device_templates t join connectors c on c.account_id = t.account_id`.execute(tx)
    await sql`update virtual_devices v set template_id = t.id, template_publication = 1
      from device_templates t where t.account_id = v.account_id`.execute(tx)
    await sql`update states set fixed = true where key = 'humidity'`.execute(tx)
    // An aggregate over 500 states of each account.
    await sql`
      with made as (
        insert into states (twin_id, key, title, source, source_settings)
        select id, 'sum', 'Sum', 'aggregate', '{}' from twins where type = 'zone' returning id, twin_id)
      insert into state_links (state_id, source_state_id)
      select m.id, s.id from made m cross join lateral (
        select s.id from states s join twins t on t.id = s.twin_id
        where t.parent_id = m.twin_id and t.category = 'virtualDevice' order by s.id limit 500) as s`.execute(
      tx,
    )
    await sql`update states s set source_settings = jsonb_build_object('method', 'sum', 'stateIds',
        (select jsonb_agg(source_state_id) from state_links where state_id = s.id)) where key = 'sum'`.execute(
      tx,
    )
  })
  await sql`vacuum analyze`.execute(db)
  const template = await db
    .selectFrom('device_templates')
    .select('id')
    .where('account_id', '=', account.id)
    .executeTakeFirstOrThrow()
  const connector = await db
    .selectFrom('connectors')
    .select('id')
    .where('account_id', '=', account.id)
    .executeTakeFirstOrThrow()
  ids = {
    driver: first.driver_id ?? 0,
    connector: connector.id,
    template: template.id,
    zone: zone.id,
    device: device.twinId,
    state: device.id,
    watched: watched.id,
    board: board.id,
  }
}

const summed = ({ groups }: { groups: { kind: string; count: number; more: boolean }[] }) =>
  Object.fromEntries(groups.map(({ kind, count, more }) => [kind, more ? 'more' : count]))

test('what uses an object, where there are many', async () => {
  const { objects } = app.api
  const perAccount = devices / accountsTotal
  // At most 2 000 of each kind are counted.
  const ofAccount = perAccount > 2_000 ? 'more' : perAccount
  const driver = await timed('used by: driver of 100 000 devices', () =>
    objects.usersOfDriver({ id: ids.driver }),
  )
  expect(summed(driver)).toEqual({ virtualDevice: 'more', deviceTemplate: accountsTotal })
  const connector = await timed(`used by: connector of ${perAccount} devices`, () =>
    objects.usersOfConnector({ id: ids.connector }),
  )
  expect(summed(connector)).toEqual({ virtualDevice: ofAccount, deviceTemplate: 1 })
  const template = await timed(`used by: template of ${perAccount} devices`, () =>
    objects.usersOfTemplate({ id: ids.template }),
  )
  expect(summed(template)).toEqual({ virtualDevice: ofAccount })
  const twin = await timed(`used by: twin with ${perAccount} devices and ${boards} dashboards below`, () =>
    objects.usersOfTwin({ id: ids.zone }),
  )
  expect(summed(twin)).toEqual({ digitalTwin: 1_000, virtualDevice: ofAccount, dashboard: boards })
  const device = await timed('used by: device', () => objects.usersOfDevice({ id: ids.device }))
  expect(device.total).toBeGreaterThan(0)
  const state = await timed('used by: state', () => objects.usersOfState({ id: ids.state }))
  expect(state.total).toBeGreaterThan(0)
  const watched = await timed(`used by: state on ${boards - 1} dashboards`, () =>
    objects.usersOfState({ id: ids.watched }),
  )
  expect(summed(watched)).toMatchObject({ dashboard: boards - 1 })
  const board = await timed('used by: dashboard', () => objects.usersOfDashboard({ id: ids.board }))
  expect(board.total).toBe(0)
})

test('what prevents a deletion, where there is much of it', async () => {
  const { api } = app
  const twin = await timed('dependencies: twin', () => api.digitaltwin.dependencies({ id: ids.zone }))
  expect(twin.items.length).toBe(100)
  const device = await timed('dependencies: device', () => api.virtualdevice.dependencies({ id: ids.device }))
  expect(device.items.length).toBeGreaterThan(0)
  const account = await timed('dependencies: account', () => api.tenant.dependencies({ id: 2 }))
  expect(account.items.length).toBeGreaterThan(0)
})

test('the recorded references are those of the definitions', async () => {
  const differences = await timed('check of uses', () => checkUses(app.ctx.db))
  expect(differences).toEqual([])
})
