import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'

/** Locks the row of a device before anything else of it: whoever stores packets does it in this order, too. */
export async function lockLive(tx: Executor, deviceId: number): Promise<void> {
  await sql`select from device_live where twin_id = ${deviceId} for update`.execute(tx)
}
