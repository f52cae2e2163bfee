import {
  DashboardSettings,
  type DashboardSummary,
  type Widget,
  WidgetDefinition,
} from '@leitstand/contract/dashboards'
import type { Search } from '@leitstand/contract/search'
import { sql } from 'kysely'
import * as z from 'zod'
import { int4Array } from '../../../platform/db/arrays.ts'
import { anyOf, type Executor, jsonb } from '../../../platform/db/index.ts'
import { matches } from '../../../platform/db/textFilter.ts'
import { recordUses } from '../../objects/index.ts'
import { usesOfWidget } from '../widgets/index.ts'

/** Schema of the settings column. */
const StoredSettings = DashboardSettings.extend({ description: z.string().default('') })

export interface BoardRow {
  id: number
  name: string
  description: string
  accountId: number
  accountName: string
  scopeId: number
  parentTwinId: number | null
  settings: z.infer<typeof DashboardSettings>
  widgetCount: number
  updatedAt: Date
  version: number
}

const base = (db: Executor) =>
  db.selectFrom('dashboards').innerJoin('accounts', 'accounts.id', 'dashboards.account_id')

const columns = [
  'dashboards.id',
  'dashboards.name',
  'dashboards.account_id',
  'accounts.name as account_name',
  'dashboards.scope_id',
  'dashboards.parent_twin_id',
  'dashboards.settings',
  'dashboards.updated_at',
  'dashboards.version',
] as const

const widgetCount = sql<number>`(select count(*) from widgets where dashboard_id = dashboards.id)`

export interface BoardFilter {
  search: Search | null
  accountIds?: readonly number[] | undefined
  /** only favourites of this user */
  favoritesOf: number | null
  orderBy: 'name' | '-name' | 'updatedAt' | '-updatedAt'
  offset: number
  limit: number
}

/** Dashboards of these scopes. */
export async function listBoards(
  db: Executor,
  scopeIds: readonly number[],
  filter: BoardFilter,
): Promise<{ items: DashboardSummary[]; total: number }> {
  let query = base(db).where('dashboards.scope_id', '=', anyOf(scopeIds))
  if (filter.search) query = query.where(matches([sql`dashboards.search`], filter.search))
  if (filter.accountIds) query = query.where('dashboards.account_id', '=', anyOf(filter.accountIds))
  if (filter.favoritesOf !== null) {
    query = query.where('dashboards.id', 'in', (from) =>
      from
        .selectFrom('favorites')
        .select('object_id')
        .where('type', '=', 'dashboard')
        .where('user_id', '=', filter.favoritesOf),
    )
  }
  const column = filter.orderBy.endsWith('name')
    ? sql`dashboards.name collate natural_order`
    : sql`dashboards.updated_at`
  const rows = await query
    .select(columns)
    .select(widgetCount.as('widget_count'))
    .orderBy(column, filter.orderBy.startsWith('-') ? 'desc' : 'asc')
    .orderBy('dashboards.id')
    .offset(filter.offset)
    .limit(filter.limit)
    .execute()
  const { total } = await query
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { items: rows.map(toBoard).map(toSummary), total }
}

/** A dashboard of these scopes; `lock` locks it until the transaction ends. */
export async function findBoard(
  db: Executor,
  id: number,
  scopeIds: readonly number[],
  options: { lock?: boolean } = {},
): Promise<BoardRow | undefined> {
  let query = base(db).where('dashboards.id', '=', id).where('dashboards.scope_id', '=', anyOf(scopeIds))
  if (options.lock) query = query.forUpdate('dashboards')
  const row = await query.select(columns).select(widgetCount.as('widget_count')).executeTakeFirst()
  return row && toBoard(row)
}

function toBoard(row: {
  id: number
  name: string
  account_id: number
  account_name: string
  scope_id: number
  parent_twin_id: number | null
  settings: unknown
  widget_count: number
  updated_at: Date
  version: number
}): BoardRow {
  const { description, ...settings } = StoredSettings.parse(row.settings)
  return {
    id: row.id,
    name: row.name,
    description,
    accountId: row.account_id,
    accountName: row.account_name,
    scopeId: row.scope_id,
    parentTwinId: row.parent_twin_id,
    settings,
    widgetCount: row.widget_count,
    updatedAt: row.updated_at,
    version: row.version,
  }
}

/** The fields of a dashboard that lists show. */
export function toSummary(board: BoardRow): DashboardSummary {
  return {
    id: board.id,
    name: board.name,
    description: board.description,
    accountId: board.accountId,
    accountName: board.accountName,
    parentDtwinId: board.parentTwinId,
    widgetCount: board.widgetCount,
    updatedAt: board.updatedAt.toISOString(),
  }
}

/** Where widgets look by default: the twin of the dashboard, else its account. */
export interface BoardPlace {
  accountId: number
  parentTwinId: number | null
}

export async function readPlace(db: Executor, id: number): Promise<BoardPlace | undefined> {
  return db
    .selectFrom('dashboards')
    .select(['account_id as accountId', 'parent_twin_id as parentTwinId'])
    .where('id', '=', id)
    .executeTakeFirst()
}

export interface BoardFields {
  name: string
  description: string
  parentTwinId: number | null
  settings: z.infer<typeof DashboardSettings>
}

/** A trigger derives the scope of the row from account and twin. @returns the id */
export async function insertBoard(
  tx: Executor,
  account: { id: number; scopeId: number },
  fields: BoardFields,
  at: Date,
): Promise<number> {
  const { id } = await tx
    .insertInto('dashboards')
    .values({
      account_id: account.id,
      scope_id: account.scopeId,
      created_at: at,
      updated_at: at,
      ...toColumns(fields),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Changes a dashboard that is locked. */
export async function updateBoard(tx: Executor, id: number, fields: BoardFields, at: Date): Promise<void> {
  await tx
    .updateTable('dashboards')
    .set({ ...toColumns(fields), updated_at: at, version: sql`version + 1` })
    .where('id', '=', id)
    .execute()
}

/** Records that a widget has changed. */
export async function touchBoard(tx: Executor, id: number, at: Date): Promise<void> {
  await tx
    .updateTable('dashboards')
    .set({ updated_at: at, version: sql`version + 1` })
    .where('id', '=', id)
    .execute()
}

export async function deleteBoard(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('dashboards').where('id', '=', id).execute()
}

function toColumns({ name, description, parentTwinId, settings }: BoardFields) {
  return { name, parent_twin_id: parentTwinId, settings: jsonb({ ...settings, description }) }
}

/** Widgets in their order. */
export async function readWidgets(db: Executor, dashboardId: number): Promise<Widget[]> {
  const rows = await db
    .selectFrom('widgets')
    .select(['id', 'position', 'config'])
    .where('dashboard_id', '=', dashboardId)
    .orderBy('position')
    .orderBy('id')
    .execute()
  return rows.map((row, index) => ({
    id: row.id,
    order: index,
    definition: WidgetDefinition.parse(row.config),
  }))
}

/** Appends widgets. @returns their ids, in the same order */
export async function insertWidgets(
  tx: Executor,
  dashboardId: number,
  definitions: readonly WidgetDefinition[],
): Promise<number[]> {
  if (definitions.length === 0) return []
  const { rows } = await sql<{ id: number; position: number }>`
    insert into widgets (dashboard_id, position, config)
    select ${dashboardId}, first + place - 1, config
    from (select coalesce(max(position) + 1, 0) as first from widgets where dashboard_id = ${dashboardId}) as p,
      jsonb_array_elements(${jsonb(definitions)}) with ordinality as d (config, place)
    returning id, position`.execute(tx)
  const ids = rows.toSorted((a, b) => a.position - b.position).map(({ id }) => id)
  await recordUsesOf(
    tx,
    ids.map((id, index) => ({ id, definition: definitions[index] as WidgetDefinition })),
  )
  return ids
}

/** Configures widgets. */
export async function updateWidgets(
  tx: Executor,
  widgets: readonly Pick<Widget, 'id' | 'definition'>[],
): Promise<void> {
  if (widgets.length === 0) return
  await sql`
    update widgets w set config = d.config
    from jsonb_to_recordset(${jsonb(widgets.map(({ id, definition }) => ({ id, config: definition })))})
      as d (id int, config jsonb)
    where w.id = d.id`.execute(tx)
  await recordUsesOf(tx, widgets)
}

function recordUsesOf(tx: Executor, widgets: readonly Pick<Widget, 'id' | 'definition'>[]): Promise<void> {
  const uses = widgets.map(({ id, definition }) => ({ id, uses: usesOfWidget(definition) }))
  return recordUses(tx, 'widget', uses)
}

/** The references of the next widgets, by id. */
export async function readDefinitions(db: Executor, after: number, limit: number) {
  const rows = await db
    .selectFrom('widgets')
    .select(['id', 'config'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id, config }) => ({ id, uses: usesOfWidget(WidgetDefinition.parse(config)) }))
}

export async function deleteWidgets(tx: Executor, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom('widgets').where('id', '=', anyOf(ids)).execute()
}

/** Gives the widgets of a dashboard the positions 0, 1, 2, … in this order. */
export async function placeWidgets(
  tx: Executor,
  dashboardId: number,
  order: readonly number[],
): Promise<void> {
  await sql`
    update widgets w set position = o.place - 1
    from unnest(${[...order]}::int[]) with ordinality as o (id, place)
    where w.id = o.id and w.dashboard_id = ${dashboardId}`.execute(tx)
}

/** Deletes the dashboards of an account. */
export async function deleteBoardsOf(tx: Executor, accountId: number): Promise<void> {
  await tx.deleteFrom('dashboards').where('account_id', '=', accountId).execute()
}

/** Moves dashboards into the scopes of their twins. */
export async function followTwins(tx: Executor, twinIds: readonly number[]): Promise<void> {
  await sql`
    update dashboards d set scope_id = t.scope_id from twins t
    where t.id = d.parent_twin_id and t.id = any(${int4Array(twinIds)}::int4[]) and t.scope_id <> d.scope_id`.execute(
    tx,
  )
}
