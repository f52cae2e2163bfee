import type { Context } from '../../platform/context.ts'
import type { JobsFeature } from '../jobs/index.ts'
import type { PeopleFeature } from '../people/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import { registerBulk } from './bulk/index.ts'
import { registerHealth } from './health/index.ts'
import { deviceRoutes } from './routes.ts'
import { viewRoutes } from './views/routes.ts'

export { renewed, resultOf, settle, settleNext } from './bulk/jobs.ts'
export { importTable } from './bulk/routes.ts'
export {
  changeableDevice,
  createDevices,
  deleteDevice,
  getDevice,
  missingProperties,
  removableDevice,
  removeDevice,
  requireConnector,
  requireDevice,
  type Shared,
  synchronizeDevice,
} from './devices.ts'
export { lockStatesOfDevice } from './driverStates.ts'
export { driverKey, evaluatedTime, followHealth, type HealthPacket, ownKey } from './health/index.ts'
export { lockLive } from './health/store.ts'
export { deviceObjects } from './objects.store.ts'
export { templatesOfView } from './views/templates.ts'

export type DevicesFeature = ReturnType<typeof register>

/** Virtual devices and their health. */
export function register(
  ctx: Context,
  {
    jobs,
    people,
    series,
  }: { jobs: JobsFeature; people: Pick<PeopleFeature, 'callerOf'>; series: Pick<SeriesFeature, 'positions'> },
) {
  const { clock, remake, routes } = registerHealth(ctx)
  const bulk = registerBulk(ctx, { jobs, people, remakeHealth: remake })
  return {
    routes: {
      virtualdevice: {
        ...deviceRoutes(ctx, { remakeHealth: remake, series }),
        bulkUpdate: bulk.update,
        ...routes,
      },
      view: viewRoutes(ctx),
      bulk: bulk.routes,
    },
    remakeHealth: remake,
    start: async (): Promise<void> => clock.start(),
    /** Looks at every device the clock brings now, or whose health is to be made anew. */
    drain: (): Promise<void> => clock.settle(),
    [Symbol.asyncDispose]: (): Promise<void> => clock.stop(),
  }
}
