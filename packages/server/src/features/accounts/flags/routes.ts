import type { Context } from '../../../platform/context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { os } from '../../../platform/http/implement.ts'
import { note, requireAccount } from '../account.ts'
import { listFlagged, readFlags, saveFlag } from './store.ts'

/** Feature flags of accounts, set by administrators of the installation. */
export function flagRoutes({ db }: Pick<Context, 'db'>) {
  const accountOf = (caller: Caller, id: number) =>
    requireAccount(db, id, caller.scopeIds('super.system', 'manage'))
  return {
    list: os.flags.list.handler(async ({ input: { id }, context: { caller } }) => {
      const { name } = await accountOf(caller, id)
      return { name, items: await readFlags(db, id) }
    }),
    accounts: os.flags.accounts.handler(async ({ input, context: { caller } }) => {
      const { offset, limit, search, setHere } = input
      const scopeIds = caller.scopeIds('super.system', 'manage')
      return { ...(await listFlagged(db, scopeIds, { offset, limit, search, setHere })), offset, limit }
    }),
    set: os.flags.set.handler(async ({ input: { id, flag, enabled }, context: { caller } }) => {
      const account = await accountOf(caller, id)
      await db.transaction().execute(async (tx) => {
        const before = (await readFlags(tx, id)).find((one) => one.flag === flag)?.own ?? null
        await saveFlag(tx, id, flag, enabled)
        await note(tx, caller, 'update', account, { [`flag.${flag}`]: [before, enabled] })
      })
      return { name: account.name, items: await readFlags(db, id) }
    }),
  }
}
