import type { Context } from '../../platform/context.ts'
import { os } from '../../platform/http/implement.ts'
import { listDevices } from '../devices/index.ts'
import { deviceViews, stateViews, twinViews } from './kinds.ts'
import type { PacketClock } from './smart/clock.ts'
import {
  changeGroup,
  createGroup,
  deleteGroup,
  findGroups,
  requireGroup,
  toSmartGroup,
} from './smart/groups.ts'
import { selectionOf } from './smart/members.ts'
import { deviceStatistics, lowDevices, packetStatistics } from './smart/statistics.ts'
import { viewsOf } from './views.ts'

/** Saved filters of the device list. */
export function viewRoutes(ctx: Context) {
  const views = viewsOf(ctx, deviceViews)
  return {
    list: os.view.list.handler(({ input, context: { caller } }) => views.list(caller, input)),
    get: os.view.get.handler(({ input, context: { caller } }) => views.get(caller, input.id)),
    create: os.view.create.handler(({ input, context: { caller } }) => views.create(caller, input)),
    update: os.view.update.handler(({ input, context: { caller } }) => views.update(caller, input)),
    delete: os.view.delete.handler(({ input, context: { caller } }) => views.delete(caller, input.id)),
  }
}

/** Saved filters of the overview of states. */
export function stateViewRoutes(ctx: Context) {
  const views = viewsOf(ctx, stateViews)
  return {
    list: os.stateView.list.handler(({ input, context: { caller } }) => views.list(caller, input)),
    get: os.stateView.get.handler(({ input, context: { caller } }) => views.get(caller, input.id)),
    create: os.stateView.create.handler(({ input, context: { caller } }) => views.create(caller, input)),
    update: os.stateView.update.handler(({ input, context: { caller } }) => views.update(caller, input)),
    delete: os.stateView.delete.handler(({ input, context: { caller } }) => views.delete(caller, input.id)),
  }
}

/** Saved filters of the list of twins. */
export function twinViewRoutes(ctx: Context) {
  const views = viewsOf(ctx, twinViews)
  return {
    list: os.twinView.list.handler(({ input, context: { caller } }) => views.list(caller, input)),
    get: os.twinView.get.handler(({ input, context: { caller } }) => views.get(caller, input.id)),
    create: os.twinView.create.handler(({ input, context: { caller } }) => views.create(caller, input)),
    update: os.twinView.update.handler(({ input, context: { caller } }) => views.update(caller, input)),
    delete: os.twinView.delete.handler(({ input, context: { caller } }) => views.delete(caller, input.id)),
  }
}

/** Smart groups; changes wake the clock, which compares their devices with the new threshold. */
export function smartGroupRoutes(ctx: Context, clock: Pick<PacketClock, 'wake'>) {
  const { db } = ctx
  const get = async (caller: Parameters<typeof requireGroup>[1], id: number) =>
    toSmartGroup(caller, await requireGroup(db, caller, id))
  return {
    list: os.smartGroup.list.handler(({ input, context: { caller } }) => findGroups(ctx, caller, input)),
    get: os.smartGroup.get.handler(({ input, context: { caller } }) => get(caller, input.id)),
    create: os.smartGroup.create.handler(async ({ input, context: { caller } }) => {
      const id = await createGroup(ctx, caller, input)
      clock.wake()
      return get(caller, id)
    }),
    update: os.smartGroup.update.handler(async ({ input, context: { caller } }) => {
      await changeGroup(ctx, caller, input)
      clock.wake()
      return get(caller, input.id)
    }),
    delete: os.smartGroup.delete.handler(async ({ input, context: { caller } }) => {
      await deleteGroup(ctx, caller, input.id)
      clock.wake()
      return { ok: true as const }
    }),
    execute: os.smartGroup.execute.handler(async ({ input, context: { caller } }) => {
      const { id, search, ...page } = input
      const filters = await selectionOf(db, await requireGroup(db, caller, id))
      return listDevices(ctx, caller, { filters, within: search, ...page })
    }),
    packetStatistics: os.smartGroup.packetStatistics.handler(({ input, context: { caller } }) =>
      packetStatistics(ctx, caller, input.id),
    ),
    deviceStatistics: os.smartGroup.deviceStatistics.handler(({ input, context: { caller } }) =>
      deviceStatistics(ctx, caller, input.id),
    ),
    lowDevices: os.smartGroup.lowDevices.handler(({ input, context: { caller } }) =>
      lowDevices(ctx, caller, input),
    ),
  }
}
