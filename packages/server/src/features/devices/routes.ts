import type { Context } from '../../platform/context.ts'
import { os } from '../../platform/http/implement.ts'
import type { SeriesFeature } from '../series/index.ts'
import {
  bothScopes,
  geoHistory,
  listTagsAndZones,
  readScopes,
  requireWrite,
  stateScopes,
} from '../twins/index.ts'
import { deviceDependencies, getDevice, requireDevice, setDeviceDisabled } from './devices.ts'
import { previewDriver } from './driverStates.ts'
import { geoRoutes } from './list/geo.ts'
import { listRoutes } from './list/routes.ts'
import { statisticsRoutes } from './list/statistics.ts'
import { listDataRoutes } from './store/dataRoutes.ts'
import { listPackets } from './store/devices.ts'

export interface DeviceTools {
  series: Pick<SeriesFeature, 'positions' | 'write'>
  /** Re-evaluates the health of devices that were disabled or enabled. */
  recomputeHealth(ids: readonly number[]): Promise<void>
}

/** The operations of virtual devices. */
export function deviceRoutes(ctx: Context, { recomputeHealth, series }: DeviceTools) {
  const { db } = ctx
  return {
    ...listRoutes(ctx),
    ...geoRoutes(ctx),
    tagsZones: os.virtualdevice.tagsZones.handler(({ context: { caller } }) =>
      listTagsAndZones(db, 'virtualDevice', readScopes(caller, 'virtualDevice')),
    ),
    get: os.virtualdevice.get.handler(({ input, context: { caller } }) =>
      getDevice(db, caller, input.id, { bare: input.options?.includes('bare') ?? false }),
    ),
    driverChange: os.virtualdevice.driverChange.handler(async ({ input, context: { caller } }) => {
      const row = await requireDevice(db, caller, input.id)
      requireWrite(caller, 'virtualDevice', row.scopeId)
      const { driverId = null, driverVersion = null } = input
      return previewDriver(db, caller, row, { driverId, driverVersion })
    }),
    setDisabled: os.virtualdevice.setDisabled.handler(async ({ input, context: { caller } }) => {
      await setDeviceDisabled(ctx, caller, input.id, input.flag)
      await recomputeHealth([input.id])
      return getDevice(db, caller, input.id)
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
    dataRoutes: os.virtualdevice.dataRoutes.handler(async ({ input, context: { caller } }) => {
      const { id, offset, limit } = input
      await requireDevice(db, caller, id)
      const [visible, writable] = [stateScopes(caller), bothScopes(caller, 'write')]
      return {
        ...(await listDataRoutes(db, { deviceId: id, visible, writable, offset, limit })),
        offset,
        limit,
      }
    }),
    geoHistory: os.virtualdevice.geoHistory.handler(async ({ input, context: { caller } }) => {
      await requireDevice(db, caller, input.id)
      return geoHistory(series, input, ctx.clock.now())
    }),
    ...statisticsRoutes(ctx),
  }
}
