import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { createAccount, FakeClock, startApp, type TestApp } from '../../../test/kit.ts'
import { createConnector, createDevice, createState, createTwin } from '../../../test/pipeline.ts'
import { writeValues, wrongRollups } from '../../../test/rollups.ts'
import { MonthPartitions } from '../../platform/db/months.ts'
import { retainedMonths, retainedRecords } from '../objects/index.ts'

const clock = new FakeClock('2026-11-20T12:00:00.000Z')
let app: TestApp
let root: Tenant
let short: Tenant

interface Tenant {
  accountId: number
  scopeId: number
  state: number
  /** its values are in compacted days */
  compacted: number
  device: number
  connectorId: number
  rule: number
}

beforeAll(async () => {
  app = await startApp({ clock })
  root = await tenant(app.rootAccountId, app.rootScopeId)
  const account = await createAccount(app, { name: 'Short' })
  await app.ctx.db.updateTable('accounts').set({ retention_months: 6 }).where('id', '=', account.id).execute()
  short = await tenant(account.id, account.scopeId)
})

async function tenant(accountId: number, scopeId: number): Promise<Tenant> {
  const connector = await createConnector(app, accountId, scopeId)
  const device = await createDevice(app, connector, `device-${accountId}`)
  const state = await createState(app, device, { key: 'value' })
  const compacted = await createState(app, device, { key: 'compacted' })
  const rule = await app.api.ddr.create({
    dtwinId: device,
    title: 'High',
    metrics: [{ alias: 'value', stateId: state }],
    conditions: { op: 'gt', left: { metric: 'value' }, right: { value: 1_000 } },
    actions: [{ kind: 'alarm', severity: 'warning', message: 'High' }],
  })
  return { accountId, scopeId, state, compacted, device, connectorId: connector.id, rule: rule.id }
}

const at = (iso: string) => new Date(iso)
/**
 * Too old for all accounts, too old for six months, kept by all; the first and the last are boundary cases.
 */
const days = ['2024-10-31', '2024-11-18', '2024-11-19', '2026-05-18', '2026-05-19', '2026-11-19']

/** Three values an hour for two hours of each day, and a packet; rolled up. */
async function fill(owner: Tenant): Promise<void> {
  const times = days.flatMap((day) =>
    [0, 20, 40, 1380, 1400, 1420].map((minute) => at(day).getTime() + minute * 60_000),
  )
  await writeValues(
    app,
    times.map((time, index) => ({ stateId: owner.state, value: index / 4, time: new Date(time) })),
  )
  await app.app.series.prepareMonths('packets', days.map(at))
  await new MonthPartitions(app.ctx.db).prepare('rule_executions', days.map(at))
  await new MonthPartitions(app.ctx.db).prepare('value_days', days.map(at))
  await new MonthPartitions(app.ctx.db).prepare('packet_days', days.map(at))
  for (const day of days)
    await sql`insert into packet_days (device_id, first_at, last_at, first_id, count, errors, packets)
      values (${owner.device}, ${at(day)}, ${at(day)}, 1, 1, 0, '[]')`.execute(app.ctx.db)
  for (const day of days)
    await sql`insert into value_days (state_id, first_time, step, factor, smalls)
      values (${owner.compacted}, ${at(day)}, 60000000, 1, '{1,2,3}')`.execute(app.ctx.db)
  for (const day of days)
    await sql`
      insert into packets (received_at, time, account_id, connector_id, device_id, payload, encoding, meta, duration_us)
      values (${at(day)}, ${at(day)}, ${owner.accountId}, ${owner.connectorId}, ${owner.device}, '00', 'hex', '{}', 0)`.execute(
      app.ctx.db,
    )
  for (const [index, day] of days.entries())
    await sql`
      insert into rule_executions (rule_id, twin_id, event_id, at, result, inputs, branch, duration_us)
      values (${owner.rule}, ${owner.device}, ${index}, ${at(day)}, 'fired', '{}', '{}', 1)`.execute(
      app.ctx.db,
    )
  await app.app.series.rollUp()
}

async function daysWith(table: string, time: string, owner: string, id: number): Promise<string[]> {
  const { rows } = await sql<{ day: string }>`
    select distinct to_char(${sql.ref(time)} at time zone 'UTC', 'YYYY-MM-DD') as day from ${sql.table(table)}
    where ${sql.ref(owner)} = ${id} order by 1`.execute(app.ctx.db)
  return rows.map(({ day }) => day)
}

async function everywhere(owner: Tenant): Promise<string[][]> {
  return [
    await daysWith('state_values', 'time', 'state_id', owner.state),
    await daysWith('value_days', 'first_time', 'state_id', owner.compacted),
    await daysWith('state_rollups_1h', 'start', 'state_id', owner.state),
    await daysWith('state_rollups_1d', 'start', 'state_id', owner.state),
    await daysWith('packets', 'received_at', 'device_id', owner.device),
    await daysWith('packet_days', 'first_at', 'device_id', owner.device),
    await daysWith('rule_executions', 'at', 'rule_id', owner.rule),
  ]
}

async function partitionNames(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relname ~ '^(state_values|value_days|state_rollups_..|packets|packet_days|rule_executions)_2024_..$' and relkind = 'r'
    order by 1`.execute(app.ctx.db)
  return rows.map(({ name }) => name)
}

describe('retention', () => {
  it('drops the months beyond the longest and deletes what is too old for an account with a shorter one', async () => {
    await fill(root)
    await fill(short)
    expect((await partitionNames()).filter((name) => name.endsWith('2024_10'))).toHaveLength(8)
    await app.app.retention.apply()

    expect(await partitionNames()).toEqual([
      'packet_days_2024_11',
      'packets_2024_11',
      'rule_executions_2024_11',
      'state_rollups_1d_2024_11',
      'state_rollups_1h_2024_11',
      'state_rollups_5m_2024_11',
      'state_values_2024_11',
      'value_days_2024_11',
    ])
    expect(await everywhere(root)).toEqual(Array(7).fill(days.slice(2)))
    expect(await everywhere(short)).toEqual(Array(7).fill(days.slice(4)))
    expect(await wrongRollups(app.ctx.db, [root.state, short.state])).toEqual([])
  })

  it('says so in the activity log and in the metrics', async () => {
    const { items } = await app.api.activityLog.list({ offset: 0, limit: 100, subject: 'Retention' })
    expect(items.map(({ objectTitle }) => objectTitle).toSorted()).toEqual([
      'Leitstand',
      'Short',
      'packet_days_2024_10',
      'packets_2024_10',
      'rule_executions_2024_10',
      'state_rollups_1d_2024_10',
      'state_rollups_1h_2024_10',
      'state_rollups_5m_2024_10',
      'state_values_2024_10',
      'value_days_2024_10',
    ])
    expect(items.find(({ objectId }) => objectId === short.accountId)).toMatchObject({
      userName: 'retention',
      accountId: short.accountId,
      changes: { months: 6, before: '2026-05-19T00:00:00.000Z' },
    })
    const metrics = await (await fetch(`${app.url}/metrics`)).text()
    expect(metrics).toContain('leitstand_retention_partitions_dropped_total{table="state_values"} 1')
    expect(metrics).toMatch(/leitstand_retention_rows_deleted_total\{table="packets"\} 4\n/)
  })

  it('keeps current values, and takes values of a month it has dropped when they are written all the same', async () => {
    await app.app.series.write([{ stateId: root.state, value: 7, time: at('2024-10-15T00:00:00Z') }])
    expect(await partitionNames()).toContain('state_values_2024_10')
    await app.app.series.rollUp()
    expect(await wrongRollups(app.ctx.db, [root.state])).toEqual([])
    await app.app.retention.apply()
    expect(await partitionNames()).not.toContain('state_values_2024_10')
    const current = await app.ctx.db
      .selectFrom('state_current')
      .select('num')
      .where('state_id', '=', root.state)
      .execute()
    expect(current).toEqual([{ num: 7 }])
  })

  it('deletes old letters and mails, and alarms, health and downlinks that are over', async () => {
    const { accountId, device: twinId, connectorId } = short
    const [old, recent] = [at('2026-05-18T23:00:00Z'), at('2026-05-19T01:00:00Z')]
    for (const [result, time] of [
      ['not_met', old],
      ['aborted', recent],
    ] as const)
      await sql`insert into rule_quiet (rule_id, twin_id, result, event_id, at, inputs, branch, duration_us)
        values (${short.rule}, ${twinId}, ${result}, 1, ${time}, '{}', '{}', 1)`.execute(app.ctx.db)
    for (const time of [old, recent]) {
      await sql`insert into dead_letters (received_at, account_id, connector_id, reason, body)
        values (${time}, ${accountId}, ${connectorId}, 'PACKET_INVALID', '{}')`.execute(app.ctx.db)
      await sql`insert into mails (account_id, recipients, subject, body, status, created_at)
        values (${accountId}, '{}', 'x', 'x', 'sent', ${time})`.execute(app.ctx.db)
      for (const resolved of [time, null])
        await sql`insert into alarms (account_id, twin_id, severity, message, raised_at, resolved_at)
          values (${accountId}, ${twinId}, 'error', 'x', ${time}, ${resolved})`.execute(app.ctx.db)
      await sql`insert into device_health_log (twin_id, entry, type, since, until)
        values (${twinId}, 'low', 'warning', ${old}, ${time})`.execute(app.ctx.db)
      for (const state of ['requested', 'sent'])
        await sql`insert into downlinks (twin_id, account_id, connector_id, name, port, payload, confirmed, gateways,
            state, requested_by, requested_at, valid_until, next_attempt_at)
          values (${twinId}, ${accountId}, ${connectorId}, '', 1, '\\x00', false, '{}', ${state}, 'x', ${time},
            '2100-01-01', '2100-01-01')`.execute(app.ctx.db)
    }
    await sql`insert into device_health_log (twin_id, entry, type, since)
      values (${twinId}, 'low', 'warning', ${old})`.execute(app.ctx.db)
    await app.app.retention.apply()
    const health = await app.ctx.db
      .selectFrom('device_health_log')
      .select('until')
      .where('twin_id', '=', twinId)
      .orderBy('id')
      .execute()
    expect(health).toEqual([{ until: recent }, { until: null }])
    const counts: Record<string, number> = {}
    for (const table of ['dead_letters', 'mails', 'alarms', 'downlinks'] as const) {
      const rows = await app.ctx.db
        .selectFrom(table)
        .select('id')
        .where('account_id', '=', accountId)
        .execute()
      counts[table] = rows.length
    }
    expect(counts).toEqual({ dead_letters: 1, mails: 1, alarms: 3, downlinks: 3 })
    const quiet = await app.ctx.db
      .selectFrom('rule_quiet')
      .select('result')
      .where('rule_id', '=', short.rule)
      .execute()
    expect(quiet).toEqual([{ result: 'aborted' }])
  })

  it('keeps the activity log as long as values, and a year at least; that of nobody as long as any', async () => {
    const entry = (accountId: number | null, time: string) =>
      sql`insert into activities (at, account_id, user_name, action, subject, object_title)
        values (${at(time)}, ${accountId}, 'x', 'update', 'Kept', ${time.slice(0, 10)})`.execute(app.ctx.db)
    for (const accountId of [root.accountId, short.accountId, null, 999_999])
      for (const time of ['2024-11-18T12:00:00Z', '2025-11-18T12:00:00Z', '2026-05-01T12:00:00Z'])
        await entry(accountId, time)
    await app.app.retention.apply()
    const left = async (accountId: number | null) =>
      (
        await sql<{ day: string }>`select object_title as day from activities
          where subject = 'Kept' and account_id is not distinct from ${accountId} order by 1`.execute(
          app.ctx.db,
        )
      ).rows.map(({ day }) => day)
    expect(await left(root.accountId)).toEqual(['2025-11-18', '2026-05-01'])
    // Values go after six months.
    expect(await left(short.accountId)).toEqual(['2026-05-01'])
    expect(await left(null)).toEqual(['2025-11-18', '2026-05-01'])
    expect(await left(999_999)).toEqual(['2025-11-18', '2026-05-01'])
  })

  it('deletes what belongs to states and devices that are gone', async () => {
    const gone = await createState(app, await createTwin(app, root), { key: 'gone' })
    const [time, fresh] = [at('2026-11-18T10:00:00Z'), at('2026-11-20T11:00:00Z')]
    await writeValues(app, [
      { stateId: gone, value: 1, time },
      { stateId: gone, value: 2, time: fresh },
    ])
    await app.app.series.rollUp()
    await app.ctx.db.deleteFrom('states').where('id', '=', gone).execute()
    await app.app.retention.apply()
    expect(await daysWith('state_values', 'time', 'state_id', gone)).toEqual(['2026-11-20'])
    expect(await daysWith('state_rollups_1d', 'start', 'state_id', gone)).toEqual([])
    expect(await daysWith('state_values', 'time', 'state_id', root.state)).toEqual(days.slice(2))
  })

  it('leaves a month for later that is in use, and does the rest', async () => {
    await writeValues(app, [{ stateId: root.state, value: 1, time: at('2024-09-01T00:00:00Z') }])
    await writeValues(app, [{ stateId: short.state, value: 1, time: at('2025-09-01T00:00:00Z') }])
    await app.ctx.db.transaction().execute(async (tx) => {
      await sql`select count(*) from state_values`.execute(tx)
      await expect(app.app.retention.apply()).rejects.toThrow('state_values_2024_09')
    })
    expect(await daysWith('state_values', 'time', 'state_id', short.state)).not.toContain('2025-09-01')
    await app.app.retention.apply()
    expect(await partitionNames()).not.toContain('state_values_2024_09')
  })

  it('covers every table with monthly partitions, and each age is a column', async () => {
    const { rows } = await sql<{ table: string }>`
      select distinct p.relname as table from pg_inherits i
      join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
      where c.relname ~ '_[0-9]{4}_[0-9]{2}$' order by 1`.execute(app.ctx.db)
    const months = retainedMonths()
    expect(rows.map(({ table }) => table)).toEqual(months.map(({ table }) => table).toSorted())
    const columns = [...months, ...retainedRecords()].flatMap(({ table, time }) => `${table}.${time}`)
    const found = await sql<{ name: string }>`
      select table_name || '.' || column_name as name from information_schema.columns
      where data_type = 'timestamp with time zone'`.execute(app.ctx.db)
    expect(found.rows.map(({ name }) => name)).toEqual(expect.arrayContaining(columns))
  })

  it('deletes from the tables that docs/architecture.md lists', () => {
    const docs = readFileSync(join(import.meta.dirname, '../../../../../docs/architecture.md'), 'utf8')
    const listed = [
      ...docs.matchAll(/^\| `(\w+)`(, by month)? +\| `(\w+)` +\| values(, a year at least)? +\|$/gm),
    ]
    expect(listed.map(([, table, month, time, year]) => [table, !!month, time, !!year]).toSorted()).toEqual(
      [...retainedMonths(), ...retainedRecords()]
        .map((each) => [each.table, 'drop' in each, each.time, each.kept === 'yearAtLeast'])
        .toSorted(),
    )
  })
})
