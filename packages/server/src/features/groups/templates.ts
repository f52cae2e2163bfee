import type { Context } from '../../platform/context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { countByTemplate, filterOf } from '../devices/index.ts'
import { readScopes } from '../twins/index.ts'
import { deviceViews } from './kinds.ts'
import { visibleView } from './views.ts'

/**
 * Device templates of the devices that match a saved filter, with their device counts.
 * @throws AppError DEVICE_VIEW_NOT_FOUND, NO_PERMISSION for a program
 */
export async function templatesOfView({ db, clock }: Context, caller: Caller, viewId: number) {
  const { filter } = await visibleView(db, caller, deviceViews, viewId)
  return countByTemplate(db, readScopes(caller, 'virtualDevice'), filterOf(filter, caller, clock.now()))
}
