import type { DriverAcceptance } from '@leitstand/contract/driverAcceptance'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import { viewOf } from '../../objects/index.ts'

/** Scopes in which the caller may see acceptances, change them, and count devices. */
export interface AcceptanceScopes {
  seen: readonly number[]
  editable: readonly number[]
  devices: readonly number[]
}

/** Accounts in the scopes that have accepted a version of a driver, by name. */
export async function listAcceptances(
  db: Executor,
  driverId: number,
  { seen, editable, devices }: AcceptanceScopes,
  page: { accountId?: number | undefined; offset: number; limit: number },
): Promise<{ items: DriverAcceptance[]; total: number }> {
  const { rows } = await sql<Omit<DriverAcceptance, 'acceptedAt'> & { acceptedAt: Date; total: number }>`
    select a.account_id as "accountId", o.name as "accountName", a.version_number as number,
      a.accepted_by as "acceptedBy", a.accepted_at as "acceptedAt",
      (select count(*)::int from ${viewOf('devices')} u
        where u.driver_id = a.driver_id and u.account_id = a.account_id and u.scope_id = ${anyOf(devices)}) as devices,
      exists (select from scopes s where s.account_id = a.account_id and s.twin_id is null
        and s.id = ${anyOf(editable)}) as editable,
      count(*) over ()::int as total
    from driver_acceptances a join accounts o on o.id = a.account_id
    where a.driver_id = ${driverId} and (${page.accountId ?? null}::int is null or a.account_id = ${page.accountId ?? null})
      and a.account_id in (select account_id from scopes where id = ${anyOf(seen)})
    order by o.name collate natural_order, a.account_id offset ${page.offset} limit ${page.limit}`.execute(db)
  return {
    items: rows.map(({ total: _, acceptedAt, ...row }) => ({ ...row, acceptedAt: acceptedAt.toISOString() })),
    total: rows[0]?.total ?? 0,
  }
}

/** The version an account has accepted, locked; undefined: none. */
export async function lockAcceptance(
  tx: Executor,
  accountId: number,
  driverId: number,
): Promise<number | undefined> {
  const row = await tx
    .selectFrom('driver_acceptances')
    .select('version_number')
    .where('account_id', '=', accountId)
    .where('driver_id', '=', driverId)
    .forUpdate()
    .executeTakeFirst()
  return row?.version_number
}

/** Accepts a version for an account and replaces the previous one. */
export async function writeAcceptance(
  tx: Executor,
  { accountId, driverId, number }: { accountId: number; driverId: number; number: number },
  by: { name: string; at: Date },
): Promise<void> {
  await sql`
    insert into driver_acceptances (account_id, driver_id, version_number, accepted_by, accepted_at)
    values (${accountId}, ${driverId}, ${number}, ${by.name}, ${by.at})
    on conflict (account_id, driver_id) do update set version_number = excluded.version_number,
      accepted_by = excluded.accepted_by, accepted_at = excluded.accepted_at`.execute(tx)
}

/** Whether a version of a driver was ever published; other accounts cannot use drafts. */
export async function wasPublished(db: Executor, driverId: number, number: number): Promise<boolean> {
  const row = await db
    .selectFrom('driver_versions')
    .select('published_at')
    .where('driver_id', '=', driverId)
    .where('number', '=', number)
    .executeTakeFirst()
  return row !== undefined && row.published_at !== null
}
