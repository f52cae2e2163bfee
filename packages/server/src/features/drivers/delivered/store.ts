import { sql } from 'kysely'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import { type DriverMeta, deliveredBy, insertVersions, metaColumns, type VersionContent } from '../store.ts'

/** An installed delivered driver. */
export interface InstalledDriver {
  id: number
  libraryKey: string
  /** newest delivered version; null if it has been deleted */
  delivered: number | null
  /** the published version was written here */
  modified: boolean
}

/** All installed delivered drivers, without their content. */
export async function listInstalled(db: Executor): Promise<InstalledDriver[]> {
  const { rows } = await sql<InstalledDriver>`
    select d.id, d.library_key as "libraryKey",
      (select max(v.number) from driver_versions v where v.driver_id = d.id and v.delivered) as delivered,
      exists (select from driver_versions v
        where v.driver_id = d.id and v.number = d.published_version and not v.delivered) as modified
    from drivers d where d.library_key is not null`.execute(db)
  return rows
}

/** Contents of versions, by driver. */
export async function readContents(
  db: Executor,
  versions: readonly { driverId: number; number: number }[],
): Promise<Map<number, VersionContent>> {
  const { rows } = await sql<{ driverId: number; content: VersionContent }>`
    select v.driver_id as "driverId",
      jsonb_build_object('parser', v.parser, 'script', v.script, 'calculated', v.calculated, 'variables', v.variables,
        'golden', v.golden, 'health', v.health, 'downlinks', v.downlinks) as content
    from driver_versions v
    join unnest(${versions.map(({ driverId }) => driverId)}::int[], ${versions.map(({ number }) => number)}::int[])
      as wanted(driver_id, number) on wanted.driver_id = v.driver_id and wanted.number = v.number`.execute(db)
  return new Map(rows.map((row) => [row.driverId, row.content]))
}

/** The id of the installed driver of a key. */
export async function findInstalled(db: Executor, libraryKey: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('drivers')
    .select('id')
    .where('library_key', '=', libraryKey)
    .executeTakeFirst()
  return row?.id
}

/** Whether any driver ever existed, because deleted drivers must not be reinstalled automatically. */
export async function hadDrivers(db: Executor): Promise<boolean> {
  const { rows } = await sql<{ had: boolean }>`
    select exists (select from drivers) or pg_sequence_last_value(pg_get_serial_sequence('drivers', 'id')) is not null
      as had`.execute(db)
  return rows[0]?.had ?? false
}

/**
 * Installs delivered drivers, each with a published first version.
 * @returns their ids by key
 */
export async function insertDelivered(
  tx: Executor,
  owner: { accountId: number; scopeId: number },
  drivers: readonly { libraryKey: string; meta: DriverMeta; content: VersionContent }[],
  now: Date,
): Promise<Map<string, number>> {
  const rows = await tx
    .insertInto('drivers')
    .values(
      drivers.map(({ libraryKey, meta }) => ({
        ...metaColumns(meta),
        account_id: owner.accountId,
        scope_id: owner.scopeId,
        library_key: libraryKey,
        created_at: now,
        updated_at: now,
      })),
    )
    .returning(['id', 'library_key'])
    .execute()
  const ids = new Map(rows.map((row) => [row.library_key ?? '', row.id]))
  const versions = drivers.flatMap(({ libraryKey, content }) => {
    const driverId = ids.get(libraryKey)
    return driverId === undefined ? [] : [{ driverId, content }]
  })
  await insertVersions(tx, versions, { note: '', createdBy: deliveredBy, delivered: true, now })
  const driverIds = [...ids.values()]
  await sql`update driver_versions set published_at = ${now} where driver_id = ${anyOf(driverIds)}`.execute(
    tx,
  )
  await sql`update drivers set published_version = 1 where id = ${anyOf(driverIds)}`.execute(tx)
  return ids
}
