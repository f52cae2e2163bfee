import { sql } from 'kysely'
import { accountsUp } from '../../platform/db/accountTree.ts'
import { type Executor, jsonb } from '../../platform/db/index.ts'

export interface AccountDetails {
  retentionMonths: number | null
  passwordPolicy: unknown
  terms: string | null
  consentSince: Date | null
  feedback: unknown
  domains: string[]
}

/** The fields `listAccounts` does not return. */
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

/** Serialises changes of the tree: two concurrent moves could create a cycle. */
export async function lockTree(tx: Executor): Promise<void> {
  await sql`select pg_advisory_xact_lock(${treeLock})`.execute(tx)
}

/** Whether an account is another one or below it. */
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

/** @param bounds columns of limits to change with it @returns false on a version conflict */
export async function updateAccount(
  tx: Executor,
  id: number,
  version: number,
  change: AccountChange,
  bounds: Omit<SettingChange, 'password_policy'>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('accounts')
    .set({
      ...bounds,
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
  return numUpdatedRows > 0n
}

/** Single settings of an account; null inherits. */
export interface SettingChange {
  retention_months?: number | null
  csv_export_limit?: number | null
  device_limit?: number | null
  template_limit?: number | null
  bulk_limit?: number | null
  file_megabytes?: number | null
  messages_per_second?: number | null
  rule_mail_limit?: number | null
  password_policy?: object | null
}

/** Changes single settings, or only increments the version. @returns false on a version conflict */
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

/** Moves an account and its scope below another one. @returns false on a version conflict */
export async function moveAccount(
  tx: Executor,
  moved: { id: number; version: number },
  to: { id: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('accounts')
    .set({ parent_id: to.id, updated_at: sql`now()`, version: moved.version + 1 })
    .where('id', '=', moved.id)
    .where('version', '=', moved.version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Deletes an empty account. */
export async function deleteAccount(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('accounts').where('id', '=', id).execute()
}

/** IANA name of the time zone of an existing account. */
export async function timeZoneOf(db: Executor, id: number): Promise<string> {
  const row = await db
    .selectFrom('accounts')
    .select('time_zone')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return row.time_zone
}

/** Sets whether an account requires a second factor of its users. @returns false on a version conflict */
export async function demandTwoFactor(
  tx: Executor,
  accountId: number,
  version: number,
  required: boolean,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('accounts')
    .set({ two_factor_required: required, updated_at: sql`now()`, version: version + 1 })
    .where('id', '=', accountId)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
