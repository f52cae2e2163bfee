import type { Context } from '../../platform/context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { bothScopes, listTagsAndZones, readScopes } from '../twins/index.ts'
import {
  createDevice,
  deleteDevice,
  deviceDependencies,
  getDevice,
  requireDevice,
  setDeviceDisabled,
  updateDevice,
} from './devices.ts'
import { listPackets } from './store/devices.ts'
import { countDevices, loadDeviceSummaries } from './store/list.ts'
import { type DeviceFilter, listDeviceIds } from './store/page.ts'

/** The operations of virtual devices. */
export function deviceRoutes(
  ctx: Context,
  { remakeHealth }: { remakeHealth: (ids: readonly number[]) => Promise<void> },
) {
  const { db } = ctx
  return {
    list: os.virtualdevice.list.handler(async ({ input, context: { caller } }) => {
      const scopes = bothScopes(caller, 'read')
      const range = { offset: input.offset, limit: input.limit, orderBy: input.order_by }
      const { ids, total } = await listDeviceIds(
        db,
        scopes.virtualDevice,
        filterOf(input, caller, ctx.clock.now()),
        range,
      )
      const page = { total, offset: input.offset, limit: input.limit }
      if (input.ids_only) return { ...page, items: [], ids }
      return { ...page, items: await loadDeviceSummaries(db, scopes.virtualDevice, scopes.digitalTwin, ids) }
    }),
    tagsZones: os.virtualdevice.tagsZones.handler(({ context: { caller } }) =>
      listTagsAndZones(db, 'virtualDevice', readScopes(caller, 'virtualDevice')),
    ),
    get: os.virtualdevice.get.handler(({ input, context: { caller } }) => getDevice(db, caller, input.id)),
    create: os.virtualdevice.create.handler(async ({ input, context: { caller } }) => {
      const id = await createDevice(ctx, caller, input)
      return getDevice(db, caller, id)
    }),
    update: os.virtualdevice.update.handler(async ({ input, context: { caller } }) => {
      await updateDevice(ctx, caller, input)
      await remakeHealth([input.id])
      return getDevice(db, caller, input.id)
    }),
    setDisabled: os.virtualdevice.setDisabled.handler(async ({ input, context: { caller } }) => {
      await setDeviceDisabled(ctx, caller, input.id, input.flag)
      await remakeHealth([input.id])
      return getDevice(db, caller, input.id)
    }),
    delete: os.virtualdevice.delete.handler(async ({ input, context: { caller } }) => {
      await deleteDevice(ctx, caller, input.id)
      return { ok: true as const }
    }),
    dependencies: os.virtualdevice.dependencies.handler(({ input, context: { caller } }) =>
      deviceDependencies(db, caller, input.id),
    ),
    packets: os.virtualdevice.packets.handler(async ({ input, context: { caller } }) => {
      await requireDevice(db, caller, input.id)
      const { limit, errorsOnly, before, beforeId } = input
      const position = before === undefined ? null : { time: new Date(before), id: beforeId ?? null }
      const items = await listPackets(db, input.id, { limit: limit + 1, errorsOnly, before: position })
      return { items: items.slice(0, limit), more: items.length > limit }
    }),
    statistics: os.virtualdevice.statistics.handler(({ input, context: { caller } }) =>
      countDevices(db, readScopes(caller, 'virtualDevice'), input.account_ids),
    ),
  }
}

interface ListInput {
  search_items?: string | undefined
  account_ids?: number[] | undefined
  connector_ids?: number[] | undefined
  driver_ids?: number[] | undefined
  tags?: string[] | undefined
  zones?: string[] | undefined
  operational_status?: number[] | undefined
  health?: number[] | undefined
  last_seen_older_minutes?: number | undefined
  key_value?: string | undefined
  reference_id?: string | undefined
  parent_id?: number | undefined
  disabled?: boolean | undefined
  favorites: boolean
  ids?: number[] | undefined
}

/** The parameters of the specification in our words. */
function filterOf(input: ListInput, caller: Caller, now: Date): DeviceFilter {
  const olderMinutes = input.last_seen_older_minutes
  return {
    search: input.search_items,
    accountIds: input.account_ids,
    connectorIds: input.connector_ids,
    driverIds: input.driver_ids,
    tags: input.tags,
    zones: input.zones,
    operationalStatus: input.operational_status,
    health: input.health,
    lastSeenBefore: olderMinutes === undefined ? undefined : new Date(now.getTime() - olderMinutes * 60_000),
    keyValue: input.key_value,
    referenceId: input.reference_id,
    parentId: input.parent_id,
    disabled: input.disabled,
    ids: input.ids,
    ...(input.favorites ? { favoritesOf: caller.userId } : {}),
  }
}
