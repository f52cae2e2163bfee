import type { Context } from '../../platform/context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { countByTemplate, filterOf } from '../devices/index.ts'
import { readScopes } from '../twins/index.ts'
import { requireGroup } from './smart/groups.ts'
import { selectionOf } from './smart/members.ts'

/**
 * Device templates of the devices of a smart group, with their device counts.
 * @throws AppError SMART_GROUP_NOT_FOUND
 */
export async function templatesOfGroup({ db, clock }: Context, caller: Caller, groupId: number) {
  const selection = await selectionOf(db, await requireGroup(db, caller, groupId))
  return countByTemplate(db, readScopes(caller, 'virtualDevice'), filterOf(selection, caller, clock.now()))
}
