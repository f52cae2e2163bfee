import { type RawBuilder, sql } from 'kysely'
import { accountsUp } from '../../platform/db/accountTree.ts'
import { anyOf, type Executor } from '../../platform/db/index.ts'

/** Viewer of drivers: sees public ones, and those of the accounts of these scopes and their ancestors. */
export interface DriverViewer {
  /** scopes in which the caller may see drivers */
  scopeIds: readonly number[]
}

/**
 * Drivers available to a viewer. A driver with visibility `account` is for its account and descendants, so
 * viewers get those of the accounts of their scopes and of all ancestors.
 */
export function openTo({ scopeIds }: DriverViewer): RawBuilder<boolean> {
  return sql<boolean>`(d.visibility = 'everyone' or d.account_id in (
    with recursive up as (
      select a.id, a.parent_id from scopes s join accounts a on a.id = s.account_id where s.id = ${anyOf(scopeIds)}
      union
      select p.id, p.parent_id from accounts p join up on p.id = up.parent_id)
    select id from up))`
}

/** The newest version of a driver `d` that accounts of these scopes have accepted; null: none. */
function acceptedBy({ scopeIds }: DriverViewer): RawBuilder<number | null> {
  return sql<
    number | null
  >`(select max(x.version_number) from driver_acceptances x join scopes s on s.account_id = x.account_id
    where x.driver_id = d.id and s.id = ${anyOf(scopeIds)})`
}

/** Visible drivers: those available, and those accepted while they were available. */
export function visibleTo(viewer: DriverViewer): RawBuilder<boolean> {
  return sql<boolean>`(${openTo(viewer)} or ${acceptedBy(viewer)} is not null)`
}

/**
 * Visible versions `v` of a visible driver: if it is no longer available, none newer than the accepted one.
 */
export function versionVisibleTo(viewer: DriverViewer): RawBuilder<boolean> {
  return sql<boolean>`(${openTo(viewer)} or v.number <= ${acceptedBy(viewer)})`
}

/** Drivers `d` that are available to an account: public ones, and those of the account and its ancestors. */
const availableTo = (accountId: number | RawBuilder<number>) =>
  sql<boolean>`(d.visibility = 'everyone' or d.account_id in (select id from ${accountsUp(accountId)} up))`

/** The version of a driver `d` that an account has accepted; null: none. */
const acceptedIn = (accountId: number | RawBuilder<number>) =>
  sql<number | null>`(select x.version_number from driver_acceptances x
    where x.driver_id = d.id and x.account_id = ${accountId})`

/**
 * Drivers `d` that devices of an account can use: those available, and those the account accepted while they
 * were available.
 */
export function offeredTo(accountId: number | RawBuilder<number>): RawBuilder<boolean> {
  return sql<boolean>`(${availableTo(accountId)} or ${acceptedIn(accountId)} is not null)`
}

/**
 * Versions `v` of drivers `d` that devices of an account can name: all of its own, the published ones of others.
 * If the driver is no longer available, none newer than the accepted one.
 */
export function versionOfferedTo(accountId: number): RawBuilder<boolean> {
  return sql<boolean>`(d.account_id = ${accountId} or (v.published_at is not null
    and (${availableTo(accountId)} or v.number <= ${acceptedIn(accountId)})))`
}

/** Whether devices of an account can use a driver in this version; null: in the one that runs there. */
export async function isDriverOffered(
  db: Executor,
  driverId: number,
  accountId: number,
  number: number | null = null,
): Promise<boolean> {
  const { rows } = await sql<{ offered: boolean }>`
    /* prepared: drivers.isOffered */
    select exists (select from drivers d where d.id = ${driverId} and ${offeredTo(accountId)}
      and (${number}::int is null or exists (select from driver_versions v
        where v.driver_id = d.id and v.number = ${number} and ${versionOfferedTo(accountId)}))) as offered`.execute(
    db,
  )
  return rows[0]?.offered ?? false
}

/** The account of the caller: of the key or application, else of the user. */
export async function findAccountOf(
  db: Executor,
  { accountId, userId }: { accountId?: number; userId: number | null },
): Promise<number> {
  if (accountId !== undefined) return accountId
  const row = await db
    .selectFrom('users')
    .select('account_id')
    .where('id', '=', userId ?? 0)
    .executeTakeFirstOrThrow()
  return row.account_id
}

/** Visible drivers that devices of an account can use, with one of these ids or lower-case titles. */
export async function findUsable(
  db: Executor,
  viewer: DriverViewer,
  accountId: number,
  names: readonly string[],
): Promise<{ id: number; title: string }[]> {
  if (names.length === 0) return []
  const { rows } = await sql<{ id: number; title: string }>`
    select d.id, lower(d.title) as title from drivers d
    where (lower(d.title) = any(${[...names]}::text[]) or d.id::text = any(${[...names]}::text[]))
      and ${offeredTo(accountId)} and ${visibleTo(viewer)}`.execute(db)
  return rows
}
