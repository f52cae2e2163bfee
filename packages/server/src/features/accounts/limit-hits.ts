import type { Context } from '../../platform/context.ts'
import { os } from '../../platform/http/implement.ts'
import { requireAccount } from './account.ts'
import { timeZoneOf } from './store.ts'

/** Which limits an account has reached. */
export function limitHitRoutes({ db, limitHits }: Context) {
  return {
    limitHits: os.tenant.limitHits.handler(async ({ input: { id, from, to }, context: { caller } }) => {
      await requireAccount(db, id, caller.scopeIds('all', 'manage'))
      const range = { from: dateOf(from), to: dateOf(to) }
      return { items: await limitHits.of(id, await timeZoneOf(db, id), range) }
    }),
  }
}

function dateOf(time: string | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time)
}
