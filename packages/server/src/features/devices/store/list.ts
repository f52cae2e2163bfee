import type { VirtualDevice, VirtualDeviceSummary } from '@leitstand/contract/virtualdevices'
import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { type Views, viewOf } from '../../objects/index.ts'
import { ancestorsOf, inScopes, ints } from '../../twins/index.ts'
import { partsOf } from './tables.ts'

/** A row of the database: times are dates. */
type RowOf<T> = Omit<T, keyof Times> & Times
interface Times {
  lastSeen: Date | null
  createdAt: Date
  updatedAt: Date
}

/** Optional parts of list rows. */
export interface Includes {
  identifiers?: boolean
  properties?: boolean
  drivers?: boolean
}

/** Columns of the requested optional parts. */
function included({ identifiers, properties, drivers }: Includes) {
  return sql`
    ${
      identifiers
        ? sql`, (select coalesce(jsonb_agg(jsonb_build_object('name', r.name, 'value', r.value)
            order by r.name, r.value), '[]') from twin_references r where r.twin_id = t.id) as "referenceIds"`
        : sql``
    }
    ${
      properties
        ? sql`, t.key_values as "keyValues", t.description, t.address, t.floor_number as "floorNumber"`
        : sql``
    }
    ${
      drivers
        ? sql`, (select jsonb_build_object('id', x.id, 'title', x.title, 'manufacturer', x.manufacturer,
            'model', x.model, 'version', coalesce(d.driver_version, driver_version_in(x.id, d.account_id)))
            from drivers x where x.id = d.driver_id) as driver`
        : sql``
    }`
}

/**
 * Loads devices for lists, in the order of the ids; those outside the scopes are missing.
 * @param twinScopeIds scopes in which the caller may read twins; parents elsewhere are left out
 */
export async function loadDeviceSummaries(
  db: Executor,
  scopeIds: readonly number[],
  twinScopeIds: readonly number[],
  ids: readonly number[],
  includes: Includes = {},
): Promise<VirtualDeviceSummary[]> {
  if (ids.length === 0) return []
  const parts = Object.entries(includes).flatMap(([part, isIncluded]) => (isIncluded ? [part] : []))
  const name = sql.raw(['devices.summaries', ...parts.sort()].join('.'))
  // The ids are in a subquery to hide their number from the planner, which would otherwise create a new plan for
  // each number.
  const { rows } = await sql<RowOf<VirtualDeviceSummary>>`
    /* prepared: ${name} */
    select ${summaryColumns(ints(twinScopeIds))}
      ${included(includes)}
    from unnest((select ${ints(ids)})) with ordinality as wanted (id, place)
    join twins t on t.id = wanted.id
    join virtual_devices d on d.twin_id = t.id
    join device_live l on l.twin_id = t.id
    where ${inScopes(scopeIds)}
    order by wanted.place`.execute(db)
  return rows.map(withTexts)
}

/**
 * Columns of a device in lists, from `twins t`, `virtual_devices d` and `device_live l`. Names come from
 * subqueries, because planning that many joins takes longer than the look-ups.
 */
function summaryColumns(twinScopeIds: RawBuilder<number[]>): RawBuilder<unknown> {
  const parent = sql`id = t.parent_id and scope_id = any(${twinScopeIds})`
  const connector = (column: keyof Views['connectors']) =>
    sql`(select ${sql.ref(column)} from ${viewOf('connectors')} c where c.id = d.connector_id)`
  return sql`t.id, t.title, t.icon, t.account_id as "accountId",
    (select name from accounts where id = t.account_id) as "accountName", t.scope_id as "scopeId",
    (select id from twins where ${parent}) as "parentId", (select title from twins where ${parent}) as "parentTitle",
    d.connector_id as "connectorId", ${connector('name')} as "connectorName",
    ${connector('kind')} as "connectorKind", ${connector('preset')} as preset, ${connector('remote')} as remote,
    d.external_id as "externalId",
    d.driver_id as "driverId", (select title from drivers where id = d.driver_id) as "driverTitle",
    d.template_id as "templateId", (select title from ${viewOf('deviceTemplates')} p where p.id = d.template_id) as "templateTitle",
    d.operational_status as "operationalStatus", l.health, l.last_seen as "lastSeen", t.tags, t.zones, d.groups,
    t.latitude, t.longitude, t.disabled, t.created_at as "createdAt", t.updated_at as "updatedAt"`
}

function withTexts<T extends Times>(row: T) {
  return {
    ...row,
    lastSeen: row.lastSeen?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/**
 * Loads a device for its page; undefined outside the scopes.
 * @param twinScopeIds scopes in which the caller may read twins; parents and ancestors elsewhere are left out
 * @param options.bare without its ancestors
 */
export async function loadDevicePage(
  db: Executor,
  scopeIds: readonly number[],
  twinScopeIds: readonly number[],
  id: number,
  { bare }: { bare: boolean },
): Promise<Omit<VirtualDevice, 'editable'> | undefined> {
  // The scopes are in a subquery to hide them from the planner: a plan for them takes longer than the look-ups.
  const hidden = (ids: readonly number[]) => sql<number[]>`(select ${ints(ids)})::int[]`
  const { rows } = await sql<RowOf<Omit<VirtualDevice, 'editable'>>>`
    /* prepared: devices.page${sql.raw(bare ? '.bare' : '')} */
    select ${summaryColumns(hidden(twinScopeIds))} ${included({ identifiers: true, properties: true })},
      t.floor_name as "floorName", d.driver_version as "driverVersion", l.packets as "packetCount", l.last_error as "lastError",
      coalesce((select p.properties from ${viewOf('deviceTemplates')} p where p.id = d.template_id), '[]')
        as "requiredProperties",
      ${bare ? sql`'[]'::json` : ancestorsOf(sql`t.id`, hidden(twinScopeIds))} as ancestors, t.version
    from twins t join virtual_devices d on d.twin_id = t.id join device_live l on l.twin_id = t.id
    where t.id = ${id} and t.scope_id = any(${hidden(scopeIds)})`.execute(db)
  return rows.map(withTexts)[0]
}

/** Groups in use with their device counts, by account; at most 1 000. */
export async function listGroups(
  db: Executor,
  scopeIds: readonly number[],
  accountIds: readonly number[] | undefined,
): Promise<{ accountId: number; name: string; count: number }[]> {
  const { from, where } = partsOf({ scopeIds, accountIds, held: [] }, ['device'])
  // Most devices share their groups, so count equal arrays before unnesting them.
  const { rows } = await sql<{ accountId: number; name: string; count: number }>`
    with alike as (
      select d.account_id, d.groups, count(*) as count from ${from} where ${where} and d.groups <> '{}'
      group by d.account_id, d.groups)
    select a.account_id as "accountId", g.name, sum(a.count)::int as count
    from alike a cross join lateral unnest(a.groups) as g (name)
    group by a.account_id, g.name
    order by g.name collate natural_order, g.name, a.account_id limit 1000`.execute(db)
  return rows
}
