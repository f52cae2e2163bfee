import type { ObjectUsers, UserKind } from '@leitstand/contract/objects'
import type { Context } from '../../platform/context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import type { ObjectKind } from './kinds.ts'
import { requireThing, usersOf } from './users.store.ts'

interface Question {
  input: { id: number; userKind?: UserKind | undefined; offset: number; limit: number }
  context: { caller: Caller }
}

/** "What uses this?", for each kind that can be used. */
export function objectRoutes({ db }: Context) {
  const users =
    (kind: ObjectKind) =>
    async ({ input: { id, ...page }, context: { caller } }: Question): Promise<ObjectUsers> => {
      await requireThing(db, caller, kind, id)
      const found = await usersOf(db, caller, { kind, id }, page)
      const counted = found.groups.filter(
        (group) => page.userKind === undefined || group.kind === page.userKind,
      )
      const total = counted.reduce((sum, { count }) => sum + count, 0)
      return { ...found, total, offset: page.offset, limit: page.limit }
    }
  return {
    usersOfTwin: os.objects.usersOfTwin.handler(users('digitalTwin')),
    usersOfDevice: os.objects.usersOfDevice.handler(users('virtualDevice')),
    usersOfState: os.objects.usersOfState.handler(users('state')),
    usersOfDriver: os.objects.usersOfDriver.handler(users('driver')),
    usersOfConnector: os.objects.usersOfConnector.handler(users('connector')),
    usersOfTemplate: os.objects.usersOfTemplate.handler(users('deviceTemplate')),
    usersOfGroup: os.objects.usersOfGroup.handler(users('smartGroup')),
    usersOfDashboard: os.objects.usersOfDashboard.handler(users('dashboard')),
  }
}
