import type { Context } from '../../platform/context.ts'
import { smartGroupRoutes, stateViewRoutes, twinViewRoutes, viewRoutes } from './routes.ts'
import { PacketClock } from './smart/clock.ts'

export { groupObjects } from './objects.store.ts'
export { findGroupWithin, type GroupRow } from './smart/groups.store.ts'
export { groupForChange, groupMembers, requireGroup } from './smart/groups.ts'
export { membersOf } from './smart/members.ts'
export { groupsOfDevices } from './smart/membership.ts'
export { countLow, type Members, sumPackets } from './smart/statistics.store.ts'
export { templatesOfGroup } from './templates.ts'

/** Saved filters of lists, and smart groups. */
export function registerGroups(ctx: Context) {
  const clock = new PacketClock(ctx)
  return {
    routes: {
      view: viewRoutes(ctx),
      stateView: stateViewRoutes(ctx),
      twinView: twinViewRoutes(ctx),
      smartGroup: smartGroupRoutes(ctx, clock),
    },
    start: async (): Promise<void> => clock.start(),
    /** Counts packets and compares devices with thresholds, as far as that is due. */
    drain: (): Promise<void> => clock.settle(),
    [Symbol.asyncDispose]: (): Promise<void> => clock.stop(),
  }
}
