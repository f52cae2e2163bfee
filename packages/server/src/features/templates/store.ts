import type { ErrorCode } from '@leitstand/contract/errors'
import { parseSearch } from '@leitstand/contract/search'
import {
  type DeviceTemplateSummary,
  type LinkedDevice,
  TemplateContent,
  type TemplateStage,
} from '@leitstand/contract/templates'
import { type RawBuilder, sql } from 'kysely'
import { accountsBelow, accountsUp } from '../../platform/db/accountTree.ts'
import { anyOf, type Executor, jsonb } from '../../platform/db/index.ts'
import { matches, searchedId } from '../../platform/db/textFilter.ts'
import { noteTemplateErrors } from '../devices/index.ts'

/** The unique index on titles within an account. */
export const titleIndex = 'device_templates_title'

/** A template as shown in lists, with the fields its status is derived from. */
export interface TemplateRow
  extends Omit<
    DeviceTemplateSummary,
    'stage' | 'syncState' | 'editable' | 'publishedAt' | 'createdAt' | 'updatedAt'
  > {
  publication: number | null
  publishedAt: Date | null
  createdAt: Date
  updatedAt: Date
  /** the draft differs from the published content */
  isChanged: boolean
  /** the job that synchronises devices has not finished */
  isRunning: boolean
  /** devices in sync with the published content */
  syncedCount: number
  jobId: number | null
}

const columns = sql`t.id, t.title, t.description, c.settings ->> 'icon' as icon, t.account_id as "accountId",
  a.name as "accountName", t.scope_id as "scopeId", c.driver_id as "driverId", d.title as "driverTitle",
  c.connector_id as "connectorId", k.name as "connectorName", t.publication, t.published_at as "publishedAt",
  t.created_at as "createdAt", t.updated_at as "updatedAt", t.version, t.sync_job_id as "jobId",
  (c.driver_id, c.driver_version, c.connector_id, c.settings)
    is distinct from (p.driver_id, p.driver_version, p.connector_id, p.settings) as "isChanged",
  exists (select from background_jobs j where j.id = t.sync_job_id and j.state in ('created', 'inprogress'))
    as "isRunning",
  n."deviceCount", n."failedCount", n."syncedCount"`

const from = sql`device_templates t
  join accounts a on a.id = t.account_id
  join device_template_contents c on c.template_id = t.id and c.stage = 'draft'
  left join device_template_contents p on p.template_id = t.id and p.stage = 'productive'
  join drivers d on d.id = c.driver_id
  left join connectors k on k.id = c.connector_id`

const counts = sql`cross join lateral (
  select count(*)::int as "deviceCount", count(v.template_error)::int as "failedCount",
    (count(*) filter (where v.template_publication = t.publication and v.template_error is null))::int as "syncedCount"
  from virtual_devices v where v.template_id = t.id) n`

export interface TemplateFilter {
  search?: string | undefined
  accountIds?: readonly number[] | undefined
  driverIds?: readonly number[] | undefined
  connectorIds?: readonly number[] | undefined
  /** true: only published templates; false: only the others */
  productive?: boolean | undefined
  orderBy: string
  offset: number
  limit: number
}

const orderColumns: Record<string, RawBuilder<unknown>> = {
  title: sql`t.title collate natural_order`,
  driver: sql`d.title collate natural_order`,
  account: sql`a.name collate natural_order`,
  createdAt: sql`t.created_at`,
  updatedAt: sql`t.updated_at`,
  id: sql`t.id`,
}

/** A page of the templates in these scopes. */
export async function listTemplates(
  db: Executor,
  scopeIds: readonly number[],
  filter: TemplateFilter,
): Promise<{ items: TemplateRow[]; total: number }> {
  const conditions = [sql<boolean>`t.scope_id = ${anyOf(scopeIds)}`]
  const search = parseSearch(filter.search)
  if (search) {
    const found = matches([sql`t.search`, sql`d.search`], search)
    conditions.push(sql<boolean>`(${found} or t.id = ${searchedId(filter.search)})`)
  }
  if (filter.accountIds) conditions.push(sql<boolean>`t.account_id = ${anyOf(filter.accountIds)}`)
  if (filter.driverIds) conditions.push(sql<boolean>`c.driver_id = ${anyOf(filter.driverIds)}`)
  if (filter.connectorIds) conditions.push(sql<boolean>`c.connector_id = ${anyOf(filter.connectorIds)}`)
  if (filter.productive !== undefined)
    conditions.push(sql<boolean>`(t.publication is not null) = ${filter.productive}`)
  const where = sql.join(conditions, sql` and `)
  const order = orderColumns[filter.orderBy.replace('-', '')] ?? orderColumns.title
  const direction = filter.orderBy.startsWith('-') ? sql`desc` : sql`asc`
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from ${from} where ${where}`.execute(db)
  // Count devices only for the rows of the page.
  const { rows } = await sql<TemplateRow>`
    select ${columns} from (
      select t.id as page_id, row_number() over (order by ${order} ${direction}, t.id ${direction}) as place
      from ${from} where ${where} order by place limit ${filter.limit} offset ${filter.offset}) as page
    join (${from}) on t.id = page.page_id ${counts} order by page.place`.execute(db)
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}

/** A template in one of these scopes; `lock` locks it until the end of the transaction. */
export async function findTemplate(
  db: Executor,
  scopeIds: readonly number[],
  id: number,
  options: { lock?: boolean } = {},
): Promise<TemplateRow | undefined> {
  if (options.lock) await sql`select from device_templates where id = ${id} for no key update`.execute(db)
  const { rows } = await sql<TemplateRow>`
    select ${columns} from ${from} ${counts}
    where t.id = ${id} and t.scope_id = ${anyOf(scopeIds)}`.execute(db)
  return rows[0]
}

/** The given templates that are in these scopes. */
export async function nameTemplates(
  db: Executor,
  scopeIds: readonly number[],
  ids: readonly number[],
): Promise<Map<number, { id: number; title: string; accountId: number }>> {
  const rows = await db
    .selectFrom('device_templates')
    .select(['id', 'title', 'account_id as accountId'])
    .where('id', '=', anyOf(ids))
    .where('scope_id', '=', anyOf(scopeIds))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** The content of a template; undefined where it was never published. */
export async function loadContent(
  db: Executor,
  templateId: number,
  stage: TemplateStage,
): Promise<TemplateContent | undefined> {
  const row = await db
    .selectFrom('device_template_contents')
    .selectAll()
    .where('template_id', '=', templateId)
    .where('stage', '=', stage)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { driver_id: driverId, driver_version: driverVersion, connector_id: connectorId, settings } = row
  return TemplateContent.parse({ ...(settings as object), driverId, driverVersion, connectorId })
}

/** Stores content as the draft of a template. */
export async function writeDraft(tx: Executor, templateId: number, content: TemplateContent): Promise<void> {
  const { driverId, driverVersion, connectorId, ...settings } = content
  const values = {
    driver_id: driverId,
    driver_version: driverVersion,
    connector_id: connectorId,
    settings: jsonb(settings),
  }
  await tx
    .insertInto('device_template_contents')
    .values({ template_id: templateId, stage: 'draft', ...values })
    .onConflict((conflict) => conflict.columns(['template_id', 'stage']).doUpdateSet(values))
    .execute()
}

/** @throws the database's error on `titleIndex` when the account has another template with this title */
export async function insertTemplate(
  tx: Executor,
  template: { accountId: number; scopeId: number; title: string; description: string },
  now: Date,
): Promise<number> {
  const { id } = await tx
    .insertInto('device_templates')
    .values({
      account_id: template.accountId,
      scope_id: template.scopeId,
      title: template.title,
      description: template.description,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** @throws the database's error on `titleIndex` when the account has another template with this title */
export async function updateTemplate(
  tx: Executor,
  id: number,
  { title, description }: { title: string; description: string },
  now: Date,
): Promise<void> {
  await tx
    .updateTable('device_templates')
    .set({ title, description, updated_at: now, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
}

export async function deleteTemplate(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('device_templates').where('id', '=', id).execute()
}

/** The first few devices of a template in these scopes, by title. */
export async function listExamples(
  db: Executor,
  templateId: number,
  deviceScopeIds: readonly number[],
  limit: number,
): Promise<{ id: number; title: string }[]> {
  const { rows } = await sql<{ id: number; title: string }>`
    select t.id, t.title from virtual_devices v join twins t on t.id = v.twin_id
    where v.template_id = ${templateId} and v.scope_id = ${anyOf(deviceScopeIds)}
    order by t.title collate natural_order, t.id limit ${limit}`.execute(db)
  return rows
}

/**
 * A connector that a template can use for devices of an account: one of the account, or of an account above
 * it in these scopes. Locked until the end of the transaction.
 */
export async function findUsableConnector(
  tx: Executor,
  accountId: number,
  scopeIds: readonly number[],
  id: number,
): Promise<{ id: number } | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from connectors where id = ${id} and (account_id = ${accountId}
      or (scope_id = ${anyOf(scopeIds)} and account_id in (select id from ${accountsUp(accountId)} up)))
    for key share`.execute(tx)
  return rows[0]
}

/** Whether devices of a connector other than this one are linked to a template. */
export async function hasOtherConnector(
  db: Executor,
  templateId: number,
  connectorId: number | null,
): Promise<boolean> {
  const row = await db
    .selectFrom('virtual_devices')
    .select('twin_id')
    .where('template_id', '=', templateId)
    .where('connector_id', 'is distinct from', connectorId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The scope of a device linked to a template; undefined when it is not linked, or deleted. */
export async function findLinkedScope(
  db: Executor,
  templateId: number,
  deviceId: number,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('virtual_devices')
    .select('scope_id')
    .where('twin_id', '=', deviceId)
    .where('template_id', '=', templateId)
    .executeTakeFirst()
  return row?.scope_id
}

/** Copies the draft to the published content. */
export async function publishDraft(tx: Executor, id: number, now: Date): Promise<void> {
  await sql`
    insert into device_template_contents as c
      (template_id, stage, driver_id, driver_version, connector_id, settings)
    select template_id, 'productive', driver_id, driver_version, connector_id, settings
    from device_template_contents where template_id = ${id} and stage = 'draft'
    on conflict (template_id, stage) do update set driver_id = excluded.driver_id,
      driver_version = excluded.driver_version, connector_id = excluded.connector_id, settings = excluded.settings`.execute(
    tx,
  )
  await sql`
    update device_templates set publication = coalesce(publication, 0) + 1, published_at = ${now}, updated_at = ${now},
      version = version + 1
    where id = ${id}`.execute(tx)
}

/** Devices of a template that are out of sync with the published content, by id. */
export async function listBehind(db: Executor, id: number): Promise<{ id: number; title: string }[]> {
  const { rows } = await sql<{ id: number; title: string }>`
    select w.id, w.title from device_templates t join virtual_devices v on v.template_id = t.id
      join twins w on w.id = v.twin_id
    where t.id = ${id} and (v.template_publication is distinct from t.publication or v.template_error is not null)
    order by w.id`.execute(db)
  return rows
}

/** Records the job that synchronises the devices of a template. */
export async function notePublication(tx: Executor, id: number, jobId: number): Promise<void> {
  await tx.updateTable('device_templates').set({ sync_job_id: jobId }).where('id', '=', id).execute()
}

/** Records on devices why a job could not synchronise them. */
export async function noteFailures(
  db: Executor,
  templateId: number,
  jobId: number,
  rows: readonly number[],
): Promise<void> {
  const { rows: failed } = await sql<{ deviceId: number; code: ErrorCode }>`
    select object_id as "deviceId", faults -> 0 ->> 'code' as code from background_job_rows
    where job_id = ${jobId} and row = ${anyOf(rows)} and state = 'failed' and object_id is not null`.execute(
    db,
  )
  await noteTemplateErrors(db, templateId, failed)
}

type LinkedRow = Omit<LinkedDevice, 'lastSeen' | 'syncedAt'> & {
  lastSeen: Date | null
  syncedAt: Date | null
}

const linkedState = sql`case when v.template_error is not null then 'failed'
  when v.template_publication = t.publication then 'synced' else 'behind' end`

/** Devices of a template in these scopes, by title. */
export async function listLinked(
  db: Executor,
  templateId: number,
  deviceScopeIds: readonly number[],
  filter: {
    search?: string | undefined
    states?: readonly LinkedDevice['syncState'][] | undefined
    offset: number
    limit: number
  },
): Promise<{ items: LinkedDevice[]; total: number }> {
  const conditions = [
    sql<boolean>`v.template_id = ${templateId}`,
    sql<boolean>`v.scope_id = ${anyOf(deviceScopeIds)}`,
  ]
  const search = parseSearch(filter.search)
  if (search) conditions.push(matches([sql`w.search`, sql`v.search`], search))
  if (filter.states) conditions.push(sql<boolean>`(${linkedState}) = any(${[...filter.states]}::text[])`)
  const where = sql.join(conditions, sql` and `)
  const linked = sql`virtual_devices v join device_templates t on t.id = v.template_id`
  const titled = sql`${linked} join twins w on w.id = v.twin_id`
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from ${search ? titled : linked} where ${where}`.execute(db)
  const { rows } = await sql<LinkedRow>`
    select w.id, w.title, v.external_id as "externalId", l.health, l.last_seen as "lastSeen",
      ${linkedState} as "syncState", v.template_error as error, v.template_synced_at as "syncedAt"
    from ${titled} join device_live l on l.twin_id = v.twin_id where ${where}
    order by w.title collate natural_order, w.id limit ${filter.limit} offset ${filter.offset}`.execute(db)
  const items = rows.map((row) => ({
    ...row,
    lastSeen: row.lastSeen?.toISOString() ?? null,
    syncedAt: row.syncedAt?.toISOString() ?? null,
  }))
  return { items, total: counted.rows[0]?.total ?? 0 }
}

/** Deletes the templates of an account. */
export async function deleteTemplatesOf(tx: Executor, accountId: number): Promise<void> {
  await tx.deleteFrom('device_templates').where('account_id', '=', accountId).execute()
}

/** Number of device templates of an account and of all accounts below it. */
export async function countTemplates(db: Executor, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from device_templates
    where account_id in (select id from ${accountsBelow(accountId)} below)`.execute(db)
  return rows[0]?.count ?? 0
}
