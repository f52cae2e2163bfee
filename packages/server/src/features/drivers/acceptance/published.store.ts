import type { UnacceptedDriver } from '@leitstand/contract/driverAcceptance'
import { sql } from 'kysely'
import { int4Array, int8Array } from '../../../platform/db/arrays.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { offeredTo } from '../sight.store.ts'

/** A driver that a device of an account uses. */
export interface DriverUse {
  accountId: number
  driverId: number
}

/** int8: a caller may name a driver beyond the range of our ids, which does not exist. */
const usesOf = (uses: readonly DriverUse[]) => sql`
  (select distinct account_id, driver_id from unnest(${int4Array(uses.map(({ accountId }) => accountId))}::int4[],
    ${int8Array(uses.map(({ driverId }) => driverId))}::int8[]) as given (account_id, driver_id)) as u
  join drivers d on d.id = u.driver_id`

/**
 * Uses `u` of drivers `d` that need acceptance: not delivered, of another account that offers them, published
 * and not accepted yet.
 */
const isUnaccepted = sql`d.account_id <> u.account_id and d.library_key is null and d.published_version is not null
  and not exists (select from driver_acceptances a where a.account_id = u.account_id and a.driver_id = d.id)
  and ${offeredTo(sql`u.account_id`)}`

/** Drivers that accounts have to accept before their devices use them, in the published version, by title. */
export async function listUnaccepted(
  db: Executor,
  uses: readonly DriverUse[],
): Promise<(UnacceptedDriver & { usedBy: number })[]> {
  if (uses.length === 0) return []
  const { rows } = await sql<UnacceptedDriver & { usedBy: number }>`
    /* prepared: drivers.listUnaccepted */
    select u.account_id as "usedBy", d.id, d.title, d.published_version as number,
      (select o.name from accounts o where o.id = d.account_id) as "accountName"
    from ${usesOf(uses)} where ${isUnaccepted} order by d.title collate natural_order, d.id, u.account_id`.execute(
    db,
  )
  return rows
}
