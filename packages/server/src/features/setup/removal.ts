import * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { deleteEmptyAccount } from '../accounts/index.ts'
import type { ConnectorsFeature } from '../connectors/index.ts'
import { removeDevice } from '../devices/index.ts'
import { advance, type JobKind, type JobRecord } from '../jobs/index.ts'
import { deleteStates, deleteTwin, lockLinks } from '../twins/index.ts'
import {
  listComputed,
  listConnectors,
  listLastAccounts,
  listLeaves,
  readContents,
  readScopes,
  storeDecisions,
} from './store.ts'

/** Things per page of the job. */
const pageSize = 25

export const RemovalParams = z.object({ accountId: z.int() })
type RemovalParams = z.infer<typeof RemovalParams>

interface Tools {
  ctx: Context
  connectors: Pick<ConnectorsFeature, 'remove'>
}

/**
 * Deletes the demo city: what is computed from something else first, then devices, twins from the lowest on, connectors,
 * and the accounts with all that is left in them. Each step looks for what is still there, so it can be repeated.
 */
export function removalKind(tools: Tools): JobKind<RemovalParams> {
  const { db } = tools.ctx
  return {
    type: 'demo-remove',
    params: RemovalParams,
    page: async (job, { accountId }) => {
      if (!(await readContents(db, accountId))) return false
      const caller = callerOf(job, await readScopes(db, accountId))
      const deleted = await nextPage(tools, caller, accountId)
      if (deleted === null) return false
      await advance(db, job, { cursor: null, done: deleted, add: { done: deleted } })
      return true
    },
    finish: () => db.transaction().execute((tx) => storeDecisions(tx, { demoAccountId: null })),
  }
}

/** @returns how many things were deleted, of those that are counted; null: nothing is left */
async function nextPage(
  { ctx: { db }, connectors }: Tools,
  caller: Caller,
  accountId: number,
): Promise<number | null> {
  const computed = await listComputed(db, accountId, pageSize)
  if (computed.length > 0) {
    await db.transaction().execute(async (tx) => {
      await lockLinks(tx)
      await deleteStates(tx, computed)
    })
    return 0
  }
  const devices = await listLeaves(db, accountId, 'virtualDevice', pageSize)
  for (const id of devices) await db.transaction().execute((tx) => removeDevice(tx, caller, id))
  if (devices.length > 0) return devices.length
  const twins = await listLeaves(db, accountId, 'digitalTwin', pageSize)
  for (const id of twins) await db.transaction().execute((tx) => deleteTwin(tx, caller, id))
  if (twins.length > 0) return twins.length
  const found = await listConnectors(db, accountId, pageSize)
  for (const id of found) await connectors.remove(caller, id)
  if (found.length > 0) return found.length
  const accounts = await listLastAccounts(db, accountId, pageSize)
  for (const id of accounts) await db.transaction().execute((tx) => deleteEmptyAccount(tx, caller, id, 0))
  return accounts.length > 0 ? accounts.length : null
}

/**
 * Who asked for it, with every right in the demo city: system administrators may delete it whatever their roles there
 * are. The job itself ends when they are no longer system administrators.
 */
function callerOf({ userId, userName }: JobRecord, scopeIds: readonly number[]): Caller {
  return {
    kind: 'user',
    userId,
    name: userName,
    ip: '',
    rightsKey: '',
    can: () => true,
    scopeIds: () => scopeIds,
    grantedIn: () => scopeIds,
  }
}
