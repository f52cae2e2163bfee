import type { HealthConfig } from '@leitstand/contract/health'
import { sql } from 'kysely'
import { type Executor, jsonb } from '../../platform/db/index.ts'

/**
 * Sets the health configuration of a device from its template; null: uses that of its driver.
 * @param revision below 0; shared by devices with the same configuration, so that it is prepared only once
 * @returns whether the configuration changed
 */
export async function setTemplateConfig(
  tx: Executor,
  deviceId: number,
  config: HealthConfig | null,
  revision: number,
  now: Date,
): Promise<boolean> {
  if (config === null) {
    const { numDeletedRows } = await tx
      .deleteFrom('device_health_configs')
      .where('twin_id', '=', deviceId)
      .executeTakeFirst()
    return numDeletedRows > 0n
  }
  const { rows } = await sql`
    insert into device_health_configs as o (twin_id, config, from_template, revision, updated_at)
    values (${deviceId}, ${jsonb({ ...config, applyToAllVD: false })}, true, ${revision}, ${now})
    on conflict (twin_id) do update set config = excluded.config, from_template = true,
      updated_at = excluded.updated_at, revision = excluded.revision
    where (o.config, o.from_template) is distinct from (excluded.config, true)
    returning 1`.execute(tx)
  return rows.length > 0
}

/** Turns the health configuration from a template into the own one of the device. */
export async function releaseTemplateConfig(tx: Executor, deviceId: number): Promise<void> {
  await tx
    .updateTable('device_health_configs')
    .set({ from_template: false })
    .where('twin_id', '=', deviceId)
    .execute()
}
