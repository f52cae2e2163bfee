import { activityCountMax, activityFileRowsMax } from '@leitstand/contract/activity'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { eventsOf } from '../../platform/events/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { tableReply } from '../../platform/tableFiles/index.ts'
import { objectChanged, objectDeleted } from '../../topics/index.ts'
import {
  countActivities,
  deleteOldActivities,
  deleteOrphanedActivities,
  insertActivities,
  readActivities,
  readCsvLimit,
  sightOf,
} from './store.ts'
import { activityTable } from './table.ts'

export { changesBetween } from './changes.ts'
export { readCsvLimit }

/** The retention of the log; `features/objects` is above this feature. */
export const activityRetention = {
  table: 'activities',
  time: 'at',
  kept: 'yearAtLeast',
  deleteOld: deleteOldActivities,
  deleteOrphaned: deleteOrphanedActivities,
} as const

export interface ActivityEntry {
  /** create, update, delete, or the verb of the operation */
  action: string
  /** noun, e.g. `VirtualDevice` */
  subject: string
  objectId: number | null
  objectTitle: string
  /** null: concerns the whole platform */
  accountId: number | null
  /** what changed, JSON; never passwords, tokens or keys */
  changes?: object | null | undefined
  /** false: the object stays as it is, e.g. a login, a downlink, a job about it; then it has no event */
  isChange?: false
}

type Actor = Pick<Caller, 'userId' | 'name' | 'ip' | 'impersonator' | 'application'>

/**
 * Records who did what, in the same transaction as the change, and appends the event of the change: this is
 * the one place that every change of an object passes.
 */
export async function recordActivity(tx: Executor, caller: Actor, entry: ActivityEntry): Promise<void> {
  await recordActivities(tx, caller, [entry])
}

/** Records several changes of one transaction. */
export async function recordActivities(
  tx: Executor,
  caller: Actor,
  entries: readonly ActivityEntry[],
): Promise<void> {
  const who = {
    userId: caller.userId,
    userName: caller.name,
    ip: caller.ip,
    impersonator: caller.impersonator ?? null,
    applicationName: caller.application?.name ?? null,
  }
  await insertActivities(
    tx,
    entries.map((entry) => ({ ...entry, ...who })),
  )
  await appendChanges(tx, entries)
}

async function appendChanges(tx: Executor, entries: readonly ActivityEntry[]): Promise<void> {
  const events = eventsOf(tx)
  if (!events.isWanted(objectChanged) && !events.isWanted(objectDeleted)) return
  await events.appendAll(
    tx,
    entries.flatMap(({ action, subject: kind, objectId: id, accountId, isChange = true }) => {
      if (id === null || !isChange) return []
      if (action === 'delete') return [objectDeleted.event(accountId, { kind, id })]
      return [objectChanged.event(accountId, { kind, id, action })]
    }),
  )
}

export function register(ctx: Context) {
  const seenBy = (caller: Caller) =>
    sightOf(ctx.db, caller.scopeIds('all', 'manage'), caller.can('super.system', 'manage'))
  const routes = {
    activityLog: {
      list: os.activityLog.list.handler(async ({ input, context: { caller } }) => {
        const sight = await seenBy(caller)
        const { offset, limit, before, ...filter } = input
        const items = await readActivities(ctx.db, sight, filter, { offset, limit, before })
        const counted = await countActivities(ctx.db, sight, filter, activityCountMax)
        const more = counted > activityCountMax
        return { items, total: more ? activityCountMax : counted, more, offset, limit }
      }),
      exportFile: os.activityLog.exportFile.handler(async ({ input, context: { caller } }) => {
        const { format, language, ...filter } = input
        const { userId, accountId } = caller
        const limit = await readCsvLimit(ctx.db, { userId, accountId })
        const rowsMax = Math.min(limit ?? activityFileRowsMax, activityFileRowsMax)
        const day = ctx.clock.now().toISOString().slice(0, 10)
        const sight = await seenBy(caller)
        const isCut = (await countActivities(ctx.db, sight, filter, rowsMax)) > rowsMax
        const table = activityTable(ctx.db, sight, filter, { language, rowsMax, isCut })
        return tableReply(format, `activity-${day}`, table)
      }),
    },
  }
  return { routes }
}
