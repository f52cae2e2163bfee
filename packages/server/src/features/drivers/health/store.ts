import type { HealthSync } from '@leitstand/contract/health'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import { viewOf } from '../../objects/index.ts'

/**
 * Re-evaluates the health of all devices of a driver in the background. Devices in these scopes lose their
 * own configuration.
 */
export async function requestSync(
  tx: Executor,
  driverId: number,
  takeOverScopes: readonly number[],
): Promise<void> {
  await sql`
    insert into driver_health_syncs (driver_id, take_over_scopes) values (${driverId}, ${[...takeOverScopes]}::int[])
    on conflict (driver_id) do update set after_twin_id = 0,
      take_over_scopes = driver_health_syncs.take_over_scopes || excluded.take_over_scopes`.execute(tx)
}

/** Stores the progress of refreshing the devices of a driver; null: done. */
export async function advanceSync(tx: Executor, driverId: number, afterTwinId: number | null): Promise<void> {
  if (afterTwinId === null)
    await sql`delete from driver_health_syncs where driver_id = ${driverId}`.execute(tx)
  else
    await sql`update driver_health_syncs set after_twin_id = ${afterTwinId} where driver_id = ${driverId}`.execute(
      tx,
    )
}

/**
 * Ends refreshes without further devices. The installation of the library alone requests one for each of its
 * drivers.
 */
export async function endFinishedSyncs(tx: Executor): Promise<void> {
  await sql`
    delete from driver_health_syncs s where not exists (
      select from ${viewOf('devices')} d
      where d.driver_id = s.driver_id and d.id > s.after_twin_id)`.execute(tx)
}

/** Devices that lose their own configuration: in these scopes, and of this account unless it is null. */
export interface TakeOver {
  scopeIds: readonly number[]
  accountId: number | null
}

/** Calls `requestSync` if the version that was published or accepted requires it. */
export async function takeOverIfAsked(
  tx: Executor,
  driverId: number,
  number: number,
  { scopeIds, accountId }: TakeOver,
): Promise<void> {
  const { rows } = await sql<{ asked: boolean; takeOver: number[] }>`
    select coalesce((health ->> 'applyToAllVD')::boolean, false) as asked, array(
      select id from scopes where id = ${anyOf(scopeIds)}
        and (${accountId}::int is null or account_id = ${accountId})) as "takeOver"
    from driver_versions
    where driver_id = ${driverId} and number = ${number}`.execute(tx)
  const [row] = rows
  if (row?.asked) await requestSync(tx, driverId, row.takeOver)
}

/** Progress of devices of a driver in these scopes in using its configuration. */
export async function readSync(
  db: Executor,
  driverId: number,
  deviceScopeIds: readonly number[],
): Promise<HealthSync> {
  const { rows } = await sql<HealthSync>`
    select count(*)::int as devices, (count(o.device_id) filter (where not o.from_template))::int as own,
      exists (select from driver_health_syncs where driver_id = ${driverId}) or exists (
        select from ${viewOf('healthRefreshes')} f join ${viewOf('devices')} v on v.id = f.device_id
        where v.driver_id = ${driverId}) as running
    from ${viewOf('devices')} d left join ${viewOf('healthConfigs')} o on o.device_id = d.id
    where d.driver_id = ${driverId} and d.scope_id = ${anyOf(deviceScopeIds)}`.execute(db)
  return rows[0] ?? { devices: 0, own: 0, running: false }
}
