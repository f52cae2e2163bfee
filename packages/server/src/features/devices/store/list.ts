import type { VirtualDeviceSummary } from '@leitstand/contract/virtualdevices'
import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { all, inScopes, ints, objectConditions } from '../../twins/index.ts'

type SummaryRow = Omit<VirtualDeviceSummary, 'lastSeen' | 'createdAt' | 'updatedAt'> & {
  lastSeen: Date | null
  createdAt: Date
  updatedAt: Date
}

/**
 * Loads devices for lists, in the order of the ids; those outside the scopes are missing.
 * @param twinScopeIds where the caller may see twins: a parent elsewhere is left out
 */
export async function loadDeviceSummaries(
  db: Executor,
  scopeIds: readonly number[],
  twinScopeIds: readonly number[],
  ids: readonly number[],
): Promise<VirtualDeviceSummary[]> {
  if (ids.length === 0) return []
  const parent = sql`id = t.parent_id and scope_id = any(${ints(twinScopeIds)})`
  // Names are looked up one by one: to plan so many joins would take longer than all these lookups.
  const { rows } = await sql<SummaryRow>`
    select t.id, t.title, t.icon, t.account_id as "accountId",
      (select name from accounts where id = t.account_id) as "accountName", t.scope_id as "scopeId",
      (select id from twins where ${parent}) as "parentId", (select title from twins where ${parent}) as "parentTitle",
      d.connector_id as "connectorId", (select name from connectors where id = d.connector_id) as "connectorName",
      (select kind from connectors where id = d.connector_id) as "connectorKind", d.external_id as "externalId",
      d.driver_id as "driverId", (select title from drivers where id = d.driver_id) as "driverTitle",
      d.operational_status as "operationalStatus", l.health, l.last_seen as "lastSeen", t.tags, t.zones, t.latitude,
      t.longitude, t.disabled, t.created_at as "createdAt", t.updated_at as "updatedAt"
    from unnest(${ints(ids)}) with ordinality as wanted (id, place)
    join twins t on t.id = wanted.id
    join virtual_devices d on d.twin_id = t.id
    join device_live l on l.twin_id = t.id
    where ${inScopes(scopeIds)}
    order by wanted.place`.execute(db)
  return rows.map((row) => ({
    ...row,
    lastSeen: row.lastSeen?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }))
}

/** Counts for the header of the list. */
export async function countDevices(
  db: Executor,
  scopeIds: readonly number[],
  accountIds: readonly number[] | undefined,
): Promise<{
  total: number
  neverSeen: number
  byHealth: { health: number; count: number }[]
  byConnector: { connectorId: number; name: string; count: number }[]
}> {
  const where = all([...objectConditions('virtualDevice', { accountIds }), inScopes(scopeIds)])
  const health = sql<{ health: number; count: number; never: number }>`
    select l.health, count(*) as count, count(*) filter (where l.last_seen is null) as never
    from twins t join device_live l on l.twin_id = t.id where ${where}
    group by l.health order by l.health`.execute(db)
  const connectors = sql<{ connectorId: number; name: string; count: number }>`
    select c.id as "connectorId", c.name, n.count from (
      select d.connector_id, count(*) as count from twins t join virtual_devices d on d.twin_id = t.id
      where ${where} group by d.connector_id) as n
    join connectors c on c.id = n.connector_id
    order by n.count desc, c.name limit 1000`.execute(db)
  const [levels, networks] = await Promise.all([health, connectors])
  return {
    total: levels.rows.reduce((sum, { count }) => sum + count, 0),
    neverSeen: levels.rows.reduce((sum, { never }) => sum + never, 0),
    byHealth: levels.rows.map(({ health: level, count }) => ({ health: level, count })),
    byConnector: networks.rows,
  }
}
