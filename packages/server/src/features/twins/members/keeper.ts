import type { Context } from '../../../platform/context.ts'
import type { SeriesFeature } from '../../series/index.ts'
import { lockLinks } from '../store/links.ts'
import { AccountKeeper } from './accountKeeper.ts'
import { refreshMembers } from './index.ts'
import { accountsWithQueries, queriesOf } from './store.ts'

/** Keeps the members of aggregates by query up to date with the twins and states there are. */
export function keepMembers(ctx: Context, series: Pick<SeriesFeature, 'noteSources'>): AccountKeeper {
  const { db } = ctx
  return new AccountKeeper(ctx, {
    failure: 'members of aggregates could not be looked up; tried again soon',
    accounts: (among) => accountsWithQueries(db, among),
    refresh: async (accountId) => {
      // One by one: while a query is looked at, nobody else can change what is computed from what.
      for (const { stateId } of await queriesOf(db, accountId)) {
        const done = await db.transaction().execute(async (tx) => {
          await lockLinks(tx)
          const [query] = await queriesOf(tx, accountId, stateId)
          const hasChanged = query !== undefined && (await refreshMembers(tx, query))
          return series.noteSources(tx, hasChanged ? [stateId] : [])
        })
        await done()
      }
    },
  })
}
