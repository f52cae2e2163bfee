import { type ConnectorKind, type ConnectorState, connectorKinds } from '@leitstand/contract/bridge'
import { parseSearch } from '@leitstand/contract/search'
import { sql } from 'kysely'
import { type Executor, jsonb } from '../../../platform/db/index.ts'
import { matches } from '../../../platform/db/textFilter.ts'
import type { ConnectorRow, StoredSettings } from '../types.ts'

/**
 * A complete connector except for what belongs to the running server (its addresses). Settings contain
 * secrets.
 */
export interface ConnectorRecord extends ConnectorRow {
  readonly accountName: string
  readonly description: string
  readonly stateAt: Date
  readonly lastMessageAt: Date | null
  readonly lastRefusedAt: Date | null
  readonly deviceCount: number
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly scopeId: number
}

const columns = sql`
  c.id, c.account_id as "accountId", a.name as "accountName", c.scope_id as "scopeId", c.name, c.description, c.kind,
  c.enabled, c.settings, c.state, c.state_message as "stateMessage", c.state_at as "stateAt",
  c.created_at as "createdAt", c.updated_at as "updatedAt", c.version,
  (select max(at) from connector_traffic t where t.connector_id = c.id) as "lastMessageAt",
  (select max(last_at) from connector_refusals r where r.connector_id = c.id) as "lastRefusedAt",
  (select count(*)::int from virtual_devices d where d.connector_id = c.id) as "deviceCount"`

/** Ignores rows of kinds that this version does not know (after a downgrade). */
const kindKnown = sql`kind = any(${[...connectorKinds]}::text[])`

/**
 * Who may see which connectors: managers see all in their scopes, others those of accounts they have a scope
 * in.
 */
export interface Viewer {
  readonly manage: readonly number[]
  readonly pick: readonly number[]
}

const visible = (viewer: Viewer) => sql`(c.scope_id = any(${[...viewer.manage]}::int[])
  or c.account_id in (select account_id from scopes where id = any(${[...viewer.pick]}::int[])))`

const orders = {
  name: sql`lower(c.name)`,
  kind: sql`c.kind`,
  state: sql`c.state`,
  createdAt: sql`c.created_at`,
} as const

export interface ListFilter {
  readonly search?: string | undefined
  readonly accountIds?: readonly number[] | undefined
  readonly kinds?: readonly ConnectorKind[] | undefined
  readonly orderBy: keyof typeof orders | `-${keyof typeof orders}`
  readonly offset: number
  readonly limit: number
}

export async function listConnectors(
  db: Executor,
  viewer: Viewer,
  filter: ListFilter,
): Promise<{ items: ConnectorRecord[]; total: number }> {
  const conditions = [visible(viewer), kindKnown]
  const search = parseSearch(filter.search)
  if (search) conditions.push(matches([sql`c.search`], search))
  if (filter.accountIds) conditions.push(sql`c.account_id = any(${[...filter.accountIds]}::int[])`)
  if (filter.kinds) conditions.push(sql`c.kind = any(${[...filter.kinds]}::text[])`)
  const where = sql.join(conditions, sql` and `)
  const descending = filter.orderBy.startsWith('-')
  const order = orders[filter.orderBy.replace(/^-/, '') as keyof typeof orders]
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from connectors c where ${where}`.execute(db)
  const { rows } = await sql<ConnectorRecord>`
    select ${columns} from connectors c join accounts a on a.id = c.account_id where ${where}
    order by ${order} ${descending ? sql`desc` : sql`asc`}, c.id
    limit ${filter.limit} offset ${filter.offset}`.execute(db)
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}

/** A connector in one of the scopes, or undefined. */
export async function findConnector(
  db: Executor,
  scopeIds: readonly number[],
  id: number,
  { lock = false } = {},
): Promise<ConnectorRecord | undefined> {
  const { rows } = await sql<ConnectorRecord>`
    select ${columns} from connectors c join accounts a on a.id = c.account_id
    where c.id = ${id} and c.scope_id = any(${[...scopeIds]}::int[]) and ${kindKnown}
    ${lock ? sql`for update of c` : sql``}`.execute(db)
  return rows[0]
}

/** Those of the connectors that a caller may see. */
export async function visibleOf(db: Executor, viewer: Viewer, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    select c.id from connectors c where c.id = any(${[...ids]}::int[]) and ${visible(viewer)} and ${kindKnown}`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** Connectors to run; without ids, all of them. */
export async function readConnectors(db: Executor, ids?: readonly number[]): Promise<ConnectorRow[]> {
  const { rows } = await sql<ConnectorRow>`
    select id, account_id as "accountId", name, kind, enabled, settings, state,
      state_message as "stateMessage", version
    from connectors where ${kindKnown} ${ids === undefined ? sql`` : sql`and id = any(${[...ids]}::int[])`}
    order by id`.execute(db)
  return rows
}

export interface NewConnector {
  readonly accountId: number
  readonly scopeId: number
  readonly name: string
  readonly description: string
  readonly kind: ConnectorKind
  readonly enabled: boolean
  readonly settings: StoredSettings
}

export async function insertConnector(tx: Executor, connector: NewConnector): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into connectors (account_id, scope_id, name, description, kind, enabled, settings, state)
    values (${connector.accountId}, ${connector.scopeId}, ${connector.name}, ${connector.description}, ${connector.kind},
      ${connector.enabled}, ${jsonb(connector.settings)}, ${connector.enabled ? 'waiting' : 'disabled'})
    returning id`.execute(tx)
  return rows[0]?.id as number
}

/** @returns false when the version has changed */
export async function updateConnector(
  tx: Executor,
  id: number,
  version: number,
  change: Pick<NewConnector, 'name' | 'description' | 'enabled' | 'settings'>,
): Promise<boolean> {
  const result = await sql`
    update connectors set name = ${change.name}, description = ${change.description}, enabled = ${change.enabled},
      settings = ${jsonb(change.settings)}, updated_at = now(), version = version + 1
    where id = ${id} and version = ${version}`.execute(tx)
  return (result.numAffectedRows ?? 0n) > 0n
}

/** Stores the same settings in another form, unless they have changed in the meantime. */
export async function replaceSettings(
  db: Executor,
  id: number,
  before: StoredSettings,
  settings: StoredSettings,
): Promise<void> {
  await sql`
    update connectors set settings = ${jsonb(settings)} where id = ${id} and settings = ${jsonb(before)}`.execute(
    db,
  )
}

export async function deleteConnector(tx: Executor, id: number): Promise<void> {
  await sql`delete from connectors where id = ${id}`.execute(tx)
}

/** Number of devices of a connector, and of twin states that listen to it. */
export async function countUses(db: Executor, id: number): Promise<{ devices: number; states: number }> {
  const { rows } = await sql<{ devices: number; states: number }>`
    select (select count(*)::int from virtual_devices where connector_id = ${id}) as devices,
      (select count(*)::int from states where connector_id = ${id}) as states`.execute(db)
  return rows[0] ?? { devices: 0, states: 0 }
}

/**
 * Records the state of a running connector. This is not a configuration change, so the version stays the
 * same.
 * @returns the account of the connector; undefined: nothing has changed
 */
export async function updateState(
  tx: Executor,
  id: number,
  state: ConnectorState,
  message: string,
  at: Date,
): Promise<number | undefined> {
  const { rows } = await sql<{ accountId: number }>`
    update connectors set state = ${state}, state_message = ${message}, state_at = ${at}
    where id = ${id} and (state, state_message) is distinct from (${state}, ${message})
    returning account_id as "accountId"`.execute(tx)
  return rows[0]?.accountId
}

/** Increments the version after related data has changed, so that processes reload the connector. */
export async function moveVersionOn(tx: Executor, id: number): Promise<void> {
  await sql`update connectors set version = version + 1, updated_at = now() where id = ${id}`.execute(tx)
}
