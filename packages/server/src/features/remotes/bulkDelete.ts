import * as z from 'zod'
import { processRows, retryParams, rowResult } from '../batches/index.ts'
import { removableDevice, removeDevice } from '../devices/index.ts'
import { advanceRows, type JobKind, nextRows } from '../jobs/index.ts'
import { Errand, type PeopleFeature } from '../people/index.ts'
import { deleteThere, type Tools } from './remotes.ts'

const Params = z.object({ errand: Errand })

/**
 * Devices per page. Kept small because each one waits for its network server and a cancelled job ends after a
 * page.
 */
const pageSize = 5

/**
 * Deletes devices on their network servers first, then here, one at a time. Devices whose connector has no
 * access to a network server are only deleted here.
 */
export function bulkDeleteKind({
  ctx,
  connectors,
  callerOf,
}: Pick<Tools, 'ctx' | 'connectors'> & Pick<PeopleFeature, 'callerOf'>): JobKind<z.infer<typeof Params>> {
  return {
    type: 'virtualdevice-bulk-delete-remotely',
    params: Params,
    renew: retryParams,
    page: async (job, { errand }) => {
      const rows = await nextRows(ctx.db, job.id, pageSize)
      if (rows.length === 0) return false
      const caller = await callerOf(errand)
      for (const row of rows) {
        const id = row.objectId ?? 0
        let remotely = false
        await processRows(
          ctx,
          job,
          [row],
          async (tx) => {
            await removeDevice(tx, caller, id, { remotely })
            return [rowResult(row, 'done')]
          },
          async () => {
            const device = await removableDevice(ctx, caller, id)
            remotely = await connectors.remote.has(device.connectorId)
            if (remotely) await deleteThere({ ctx, connectors }, caller, device)
          },
        )
      }
      await advanceRows(ctx.db, job)
      return true
    },
  }
}
