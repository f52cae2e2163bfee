import { deviceFileRowsMax } from '@leitstand/contract/virtualdevices'
import type { Context } from '../../../platform/context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { os } from '../../../platform/http/implement.ts'
import { tableReply } from '../../../platform/tableFiles/index.ts'
import { readCsvLimit } from '../../activity/index.ts'
import { bothScopes, readScopes } from '../../twins/index.ts'
import { listGroups, loadDeviceSummaries } from '../store/list.ts'
import { listDeviceIds } from '../store/page.ts'
import { filterOf, type Selection, scopesOf } from './filter.ts'
import { deviceTable } from './table.ts'

/** A page of the devices of a selection that the caller may read. */
export async function listDevices(
  { db, clock }: Context,
  caller: Caller,
  input: Selection & {
    offset: number
    limit: number
    order_by: string
    ids_only?: boolean
    include_identifiers?: boolean
    include_properties?: boolean
    include_drivers?: boolean
  },
) {
  const { offset, limit, order_by: orderBy, ids_only: idsOnly, ...asked } = input
  const filter = filterOf(asked, caller, clock.now())
  const found = await listDeviceIds(db, await scopesOf(db, caller, asked), filter, { offset, limit, orderBy })
  const page = { total: found.total, offset, limit }
  if (idsOnly) return { ...page, items: [], ids: found.ids }
  const scopes = bothScopes(caller, 'read')
  const items = await loadDeviceSummaries(db, scopes.virtualDevice, scopes.digitalTwin, found.ids, {
    identifiers: asked.include_identifiers ?? false,
    properties: asked.include_properties ?? false,
    drivers: asked.include_drivers ?? false,
  })
  return { ...page, items }
}

/** Device lists as rows and as a file, and their filter values. */
export function listRoutes(ctx: Context) {
  const { db, clock } = ctx
  const idsOf = async (
    caller: Caller,
    asked: Selection,
    page: { offset: number; limit: number; orderBy: string },
  ) => listDeviceIds(db, await scopesOf(db, caller, asked), filterOf(asked, caller, clock.now()), page)
  return {
    list: os.virtualdevice.list.handler(({ input, context: { caller } }) => listDevices(ctx, caller, input)),
    exportFile: os.virtualdevice.exportFile.handler(async ({ input, context: { caller } }) => {
      const { format, language, columns, order_by: orderBy, ...asked } = input
      const { userId, accountId } = caller
      const limit = await readCsvLimit(db, { userId, accountId })
      const rowsMax = Math.min(limit ?? deviceFileRowsMax, deviceFileRowsMax)
      // One extra row shows whether the file is incomplete.
      const { ids } = await idsOf(caller, asked, { offset: 0, limit: rowsMax + 1, orderBy })
      const day = clock.now().toISOString().slice(0, 10)
      const table = deviceTable(db, bothScopes(caller, 'read'), ids, { language, rowsMax, wanted: columns })
      return tableReply(format, `devices-${day}`, table)
    }),
    groups: os.virtualdevice.groups.handler(async ({ input, context: { caller } }) => ({
      items: await listGroups(db, readScopes(caller, 'virtualDevice'), input.account_ids),
    })),
    fetchByBridgeType: os.virtualdevice.fetchByBridgeType.handler(async ({ input, context: { caller } }) => {
      const { type, offset, limit } = input
      const { ids, total } = await idsOf(
        caller,
        { bridge_types: [type] },
        { offset, limit, orderBy: 'title' },
      )
      const scopes = bothScopes(caller, 'read')
      const items = await loadDeviceSummaries(db, scopes.virtualDevice, scopes.digitalTwin, ids)
      return { items, total, offset, limit }
    }),
  }
}
