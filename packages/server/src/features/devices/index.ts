import type { Context } from '../../platform/context.ts'
import { os } from '../../platform/http/implement.ts'
import { figureNow, SystemFigures } from './figures/index.ts'
import { type DeviceTools, deviceRoutes } from './routes.ts'

export { needsOneAccount } from './changes.ts'
export {
  changeableDevice,
  createDevices,
  deleteDevice,
  editDevice,
  getDevice,
  missingProperties,
  removableDevice,
  removeDevice,
  requireConnector,
  requireDevice,
  type Shared,
  synchronizeDevice,
  updateDevice,
} from './devices.ts'
export { lockStatesOfDevice } from './driverStates.ts'
export { filterOf } from './list/filter.ts'
export { listDevices } from './list/routes.ts'
export { deviceObjects } from './objects.store.ts'
export { type ConnectorRow, findTaken } from './store/devices.ts'
export { linkToTemplate, noteTemplateErrors, unlinkFromTemplate } from './store/links.ts'
export { lockLive, setHealth, setHealthMemories, setLastErrors, touchDevices } from './store/live.ts'
export { countByTemplate, type DeviceFilter, devicesIn, listDeviceIds } from './store/page.ts'
export { hasScopeIn } from './store/statistics.ts'

/** Virtual devices. */
export function registerDevices(ctx: Context, tools: DeviceTools) {
  const figures = new SystemFigures(ctx, tools.series)
  return {
    routes: {
      virtualdevice: deviceRoutes(ctx, tools),
      systemFigure: {
        value: os.systemFigure.value.handler(async ({ input, context: { caller } }) => ({
          value: await figureNow(ctx, caller, input),
        })),
      },
    },
    /** Stores figures of the platform that have changed; also runs every minute and after changes. */
    lookAtFigures: (): Promise<void> => figures.look(),
    start: async (): Promise<void> => figures.start(),
    [Symbol.asyncDispose]: (): Promise<void> => figures.stop(),
  }
}
