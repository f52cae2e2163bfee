import type { ErrorCode } from '@leitstand/contract/errors'
import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { ints } from '../../twins/index.ts'
import { setColumns } from './devices.ts'

/** Stores that a device matches a publication of a template. */
export async function linkToTemplate(
  tx: Executor,
  deviceId: number,
  link: {
    templateId: number
    publication: number
    driverId: number | null
    driverVersion: number | null
  },
  now: Date,
): Promise<void> {
  await setColumns(tx, deviceId, {
    template_id: link.templateId,
    template_publication: link.publication,
    template_synced_at: now,
    template_error: null,
    driver_id: link.driverId,
    driver_version: link.driverVersion,
  })
}

/** Unlinks a device from its template. */
export async function unlinkFromTemplate(tx: Executor, deviceId: number): Promise<void> {
  await tx
    .updateTable('virtual_devices')
    .set({ template_id: null, template_publication: null, template_synced_at: null, template_error: null })
    .where('twin_id', '=', deviceId)
    .execute()
}

/** Stores why devices could not be synchronised with their template; skips devices no longer linked to it. */
export async function noteTemplateErrors(
  db: Executor,
  templateId: number,
  failed: readonly { deviceId: number; code: ErrorCode }[],
): Promise<void> {
  await sql`
    update virtual_devices v set template_error = jsonb_build_object('code', f.code)
    from unnest(${ints(failed.map(({ deviceId }) => deviceId))}, ${failed.map(({ code }) => code)}::text[])
      as f (twin_id, code)
    where f.twin_id = v.twin_id and v.template_id = ${templateId}`.execute(db)
}
