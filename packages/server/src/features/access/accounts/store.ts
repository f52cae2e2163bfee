import { sql } from 'kysely'
import { accountsUp } from '../../../platform/db/accountTree.ts'
import { type Executor, jsonb } from '../../../platform/db/index.ts'

export interface AccountDetails {
  retentionMonths: number | null
  passwordPolicy: unknown
  terms: string | null
  consentSince: Date | null
  feedback: unknown
  domains: string[]
}

/** What `listAccounts` does not tell. */
export async function readDetails(db: Executor, id: number): Promise<AccountDetails> {
  const row = await db
    .selectFrom('accounts')
    .select([
      'retention_months as retentionMonths',
      'password_policy as passwordPolicy',
      'terms',
      'consent_since as consentSince',
      'feedback',
    ])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const domains = await db
    .selectFrom('account_domains')
    .select('domain')
    .where('account_id', '=', id)
    .orderBy('domain')
    .execute()
  return { ...row, domains: domains.map(({ domain }) => domain) }
}

/** First key of the advisory lock that serialises changes of the tree of accounts. */
const treeLock = 7_211_021

/** Waits for other changes of the tree; two moves at once could make a ring. */
export async function lockTree(tx: Executor): Promise<void> {
  await sql`select pg_advisory_xact_lock(${treeLock})`.execute(tx)
}

/** Whether an account lies below another one, or is that one. */
export async function isSameOrBelow(db: Executor, id: number, ancestorId: number): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ${accountsUp(id)} up where id = ${ancestorId}) as found`.execute(db)
  return rows[0]?.found ?? false
}

export interface AccountChange {
  name: string
  description: string
  timeZone: string
  passwordPolicy: object | null
  terms: string | null
  consentSince: Date | null
  feedback: object
}

/** Changes an account and the name of its scope. @returns false when the version has moved on */
export async function updateAccount(
  tx: Executor,
  id: number,
  version: number,
  change: AccountChange,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('accounts')
    .set({
      name: change.name,
      description: change.description,
      time_zone: change.timeZone,
      terms: change.terms,
      consent_since: change.consentSince,
      password_policy: change.passwordPolicy === null ? null : jsonb(change.passwordPolicy),
      feedback: jsonb(change.feedback),
      updated_at: sql`now()`,
      version: version + 1,
    })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return false
  await tx
    .updateTable('scopes')
    .set({ name: change.name })
    .where('account_id', '=', id)
    .where('twin_id', 'is', null)
    .execute()
  return true
}

/** Single settings of an account; null inherits. */
export interface SettingChange {
  retention_months?: number | null
  csv_export_limit?: number | null
  device_limit?: number | null
  template_limit?: number | null
  bulk_limit?: number | null
  file_megabytes?: number | null
  password_policy?: object | null
}

/** Changes single settings, or only moves the version on. @returns false when the version has moved on before */
export async function updateSettings(
  tx: Executor,
  id: number,
  version: number,
  { password_policy: policy, ...change }: SettingChange,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('accounts')
    .set({
      ...change,
      ...(policy === undefined ? {} : { password_policy: policy === null ? null : jsonb(policy) }),
      updated_at: sql`now()`,
      version: version + 1,
    })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Hangs an account and its scope below another one. @returns false when the version has moved on */
export async function moveAccount(
  tx: Executor,
  moved: { id: number; scopeId: number; version: number },
  to: { id: number; scopeId: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('accounts')
    .set({ parent_id: to.id, updated_at: sql`now()`, version: moved.version + 1 })
    .where('id', '=', moved.id)
    .where('version', '=', moved.version)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return false
  await tx.updateTable('scopes').set({ parent_id: to.scopeId }).where('id', '=', moved.scopeId).execute()
  return true
}

export interface DependencyRow {
  kind: 'tenant' | 'virtualDevice' | 'twin' | 'connector' | 'driver' | 'user'
  id: number
  title: string
}

/** How many dependencies are listed by name. */
export const dependenciesMax = 100

/**
 * What keeps an account from being deleted: accounts below it, devices, twins, connectors, drivers that devices or
 * templates of other accounts use, and users of it who have roles in other accounts.
 */
export async function readDependencies(
  db: Executor,
  id: number,
): Promise<{ items: DependencyRow[]; more: boolean; virtualDevices: number }> {
  const { rows } = await sql<DependencyRow>`
    select kind, id, title from (
      select 'tenant' as kind, id, name as title, 1 as place from accounts where parent_id = ${id}
      union all
      select case category when 'digitalTwin' then 'twin' else 'virtualDevice' end, id, title,
        case category when 'digitalTwin' then 3 else 2 end
      from twins where account_id = ${id}
      union all
      select 'connector', id, name, 4 from connectors where account_id = ${id}
      union all
      select 'driver', d.id, d.title, 5 from drivers d where d.account_id = ${id} and exists (
        select from virtual_devices v join twins t on t.id = v.twin_id
        where v.driver_id = d.id and t.account_id <> ${id}
        union all
        select from device_template_contents c join device_templates t on t.id = c.template_id
        where c.driver_id = d.id and t.account_id <> ${id})
      union all
      select 'user', u.id, u.username, 6 from users u where u.account_id = ${id} and exists (
        select from user_access a join scopes s on s.id = a.scope_id
        where a.user_id = u.id and s.account_id <> ${id})) as found
    order by place, title, id limit ${dependenciesMax + 1}`.execute(db)
  const counted = await db
    .selectFrom('twins')
    .select((all) => all.fn.countAll<number>().as('count'))
    .where('account_id', '=', id)
    .where('category', '<>', 'digitalTwin')
    .executeTakeFirstOrThrow()
  const more = rows.length > dependenciesMax
  return { items: rows.slice(0, dependenciesMax), more, virtualDevices: Number(counted.count) }
}

/** Deletes an account on which nothing depends, with its users, dashboards, templates and drivers. */
export async function deleteAccount(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('users').where('account_id', '=', id).execute()
  await tx.deleteFrom('dashboards').where('account_id', '=', id).execute()
  await tx.deleteFrom('device_templates').where('account_id', '=', id).execute()
  await tx.deleteFrom('drivers').where('account_id', '=', id).execute()
  await tx.deleteFrom('accounts').where('id', '=', id).execute()
}

/** IANA name of the time zone of an account that is there. */
export async function timeZoneOf(db: Executor, id: number): Promise<string> {
  const row = await db
    .selectFrom('accounts')
    .select('time_zone')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return row.time_zone
}
