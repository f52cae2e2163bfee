import type { DomainProof } from '@leitstand/contract/domains'
import { sql } from 'kysely'
import type { Db, Executor } from '../../../platform/db/index.ts'
import type { Look } from './proof.ts'

/** A domain an account claims. */
export interface Claim {
  id: number
  accountId: number
  domain: string
  token: string
  claimedAt: Date
  provenAt: Date | null
  method: string | null
  failingSince: Date | null
  lapsedAt: Date | null
  checkedAt: Date | null
  foundDns: string | null
  foundFile: string | null
}

const columns = [
  'id',
  'account_id as accountId',
  'domain',
  'token',
  'claimed_at as claimedAt',
  'proven_at as provenAt',
  'method',
  'failing_since as failingSince',
  'lapsed_at as lapsedAt',
  'checked_at as checkedAt',
  'found_dns as foundDns',
  'found_file as foundFile',
] as const

/** All claims of an account by name. */
export function readClaims(db: Executor, accountId: number): Promise<Claim[]> {
  return db
    .selectFrom('account_domains')
    .select(columns)
    .where('account_id', '=', accountId)
    .orderBy('domain')
    .execute()
}

export function readClaim(db: Executor, accountId: number, domain: string): Promise<Claim | undefined> {
  return db
    .selectFrom('account_domains')
    .select(columns)
    .where('account_id', '=', accountId)
    .where('domain', '=', domain)
    .executeTakeFirst()
}

/** The claim that has proven a domain. */
export function readHolder(db: Executor, domain: string): Promise<Claim | undefined> {
  return db
    .selectFrom('account_domains')
    .select(columns)
    .where('domain', '=', domain)
    .where('proven_at', 'is not', null)
    .executeTakeFirst()
}

/** All claims of a domain, locked until the end of the transaction. */
export function lockClaims(tx: Executor, domain: string): Promise<Claim[]> {
  return tx
    .selectFrom('account_domains')
    .select(columns)
    .where('domain', '=', domain)
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Proven claims that were not checked since a time, in the order of their ids. */
export function readDueClaims(db: Db, before: Date, afterId: number, limit: number): Promise<Claim[]> {
  return db
    .selectFrom('account_domains')
    .select(columns)
    .where('proven_at', 'is not', null)
    .where('id', '>', afterId)
    .where((row) => row.or([row('checked_at', 'is', null), row('checked_at', '<', before)]))
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** All claimed domains, with their accounts. */
export function readAllClaimed(
  db: Db,
): Promise<{ id: number; accountId: number; domain: string; name: string }[]> {
  return db
    .selectFrom('account_domains')
    .innerJoin('accounts', 'accounts.id', 'account_domains.account_id')
    .select([
      'account_domains.id',
      'account_domains.account_id as accountId',
      'account_domains.domain',
      'accounts.name',
    ])
    .orderBy('account_domains.id')
    .execute()
}

export async function insertClaim(
  tx: Executor,
  claim: { accountId: number; domain: string; token: string; at: Date },
): Promise<void> {
  await tx
    .insertInto('account_domains')
    .values({
      account_id: claim.accountId,
      domain: claim.domain,
      token: claim.token,
      claimed_at: claim.at,
    })
    .execute()
}

export async function deleteClaim(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('account_domains').where('id', '=', id).execute()
}

/** The change of a claim after a check of its proof. */
export interface ClaimChange {
  provenAt: Date | null
  method: DomainProof | null
  failingSince: Date | null
  lapsedAt: Date | null
}

/** @param found absent: another claim was checked, and this one lapsed */
export async function updateClaim(
  tx: Executor,
  id: number,
  change: ClaimChange,
  found?: Look & { at: Date },
): Promise<void> {
  await tx
    .updateTable('account_domains')
    .set({
      proven_at: change.provenAt,
      method: change.method,
      failing_since: change.failingSince,
      lapsed_at: change.lapsedAt,
      ...(found ? { checked_at: found.at, found_dns: found.dns, found_file: found.file } : {}),
    })
    .where('id', '=', id)
    .execute()
}

/** The account that has proven a domain, otherwise the topmost one. */
export async function accountOfDomain(db: Executor, domain: string | null): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select coalesce((select account_id from account_domains where domain = ${domain} and proven_at is not null),
      (select id from accounts where parent_id is null)) as id`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('there is no account')
  return row.id
}

/** The domains an account has proven, by name. */
export async function provenDomainsOf(db: Executor, accountId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('account_domains')
    .select('domain')
    .where('account_id', '=', accountId)
    .where('proven_at', 'is not', null)
    .orderBy('domain')
    .execute()
  return rows.map(({ domain }) => domain)
}

/** Empty when the account no longer exists. */
export async function readAccountName(db: Executor, accountId: number): Promise<string> {
  const row = await db.selectFrom('accounts').select('name').where('id', '=', accountId).executeTakeFirst()
  return row?.name ?? ''
}
