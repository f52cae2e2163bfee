import { keyLimits, logMonthsDefault, type MyDoor } from '@leitstand/contract/keys'
import { parseSearch } from '@leitstand/contract/search'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { type Caller, system } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { tableReply } from '../../platform/tableFiles/index.ts'
import { requireAccount } from '../accounts/index.ts'
import { recordActivity } from '../activity/index.ts'
import type { PeopleFeature } from '../people/index.ts'
import { activate, requireActivation } from './activate.ts'
import { type Door, listDoors, titlesAbove } from './doors.store.ts'
import { countKeys, type KeyFilter, listHolders, listKeys, shownValidity } from './keys.store.ts'
import { changeKey, giveKey, removeKey, revokeKey, targetOf } from './keys.ts'
import { listGroups, listLocks, readLogMonths, writeLogMonths } from './locks.store.ts'
import {
  addGroup,
  addLock,
  changeGroup,
  changeLock,
  type LockParts,
  removeGroup,
  removeLock,
} from './locks.ts'
import { countLog, deleteOldLog, type LogFilter, lastOf, listLog } from './log.store.ts'
import { announce, Opener, type OpenerParts } from './opener.ts'
import { sightOf } from './policy.ts'
import { keyTable, logTable } from './table.ts'

export { keyObjects } from './objects.store.ts'

const cleanQueue = 'keys.log'
const cleanCron = '41 2 * * *'
const batchRows = 5_000

type Parts = LockParts & OpenerParts & { people: Pick<PeopleFeature, 'factor'> }

/** What callers filter keys by. */
interface AskedKeys extends Omit<KeyFilter, 'search' | 'withOwn' | 'id'> {
  search?: string | undefined
}

/** What callers filter the log by. */
interface AskedLog extends Omit<LogFilter, 'search' | 'from' | 'until' | 'id'> {
  search?: string | undefined
  from?: string | undefined
  until?: string | undefined
}

/** Virtual keys: who may open which lock when, opening it, and the log of that. */
export function registerKeys(ctx: Context, parts: Parts) {
  const { db, clock } = ctx
  const opener = new Opener(ctx, parts)
  const { factor } = parts.people
  const caller = system('retention')
  ctx.live.topic('activations', {
    hears: (follower, { scopeId }) => sightOf(follower).use.includes(scopeId),
    authorise: async (follower) => sightOf(follower).use.length > 0,
  })

  /** Deletes what accounts no longer keep, in batches. */
  const clean = async () => {
    let count = batchRows
    while (count === batchRows)
      count = await db.transaction().execute(async (tx) => {
        const gone = await deleteOldLog(tx, { now: clock.now(), months: logMonthsDefault, limit: batchRows })
        for (const [accountId, rows] of gone)
          await recordActivity(tx, caller, {
            action: 'delete',
            subject: 'Retention',
            objectId: accountId,
            objectTitle: 'lock_activations',
            accountId,
            changes: { rows },
            isChange: false,
          })
        return [...gone.values()].reduce((sum, rows) => sum + rows, 0)
      })
  }
  ctx.jobs.work(cleanQueue, clean, { pollSeconds: 60 })
  ctx.jobs.schedule(cleanQueue, cleanCron)

  const keyFilter = ({ search, ...asked }: AskedKeys): KeyFilter => ({
    ...asked,
    search: parseSearch(search),
  })
  const logFilter = ({ search, from, until, ...asked }: AskedLog): LogFilter => ({
    ...asked,
    search: parseSearch(search),
    from: from === undefined ? undefined : new Date(from),
    until: until === undefined ? undefined : new Date(until),
  })
  const day = () => clock.now().toISOString().slice(0, 10)

  const keyRoutes = {
    list: os.isfmAccessMgmt.list.handler(async ({ input, context }) => {
      const { offset, limit, order_by: orderBy, ...asked } = input
      const [sight, filter, now] = [sightOf(context.caller), keyFilter(asked), clock.now()]
      const items = await listKeys(db, sight, filter, { orderBy, offset, limit, now })
      return { items, total: await countKeys(db, sight, filter, now), offset, limit }
    }),
    exportFile: os.isfmAccessMgmt.exportFile.handler(async ({ input, context }) => {
      const { format, language, order_by: orderBy, ...asked } = input
      const [sight, filter, now] = [sightOf(context.caller), keyFilter(asked), clock.now()]
      const isCut = (await countKeys(db, sight, filter, now)) > keyLimits.fileRowsMax
      const read = (page: { offset: number; limit: number }) =>
        listKeys(db, sight, filter, { ...page, orderBy, now })
      return tableReply(format, `keys-${day()}`, keyTable({ language, isCut, read }))
    }),
    ofUser: os.isfmAccessMgmt.ofUser.handler(async ({ input, context }) => {
      const { userId, validity, offset, limit } = input
      const [sight, now] = [sightOf(context.caller), clock.now()]
      const filter = { userIds: [userId], validity, withOwn: true }
      const items = await listKeys(db, sight, filter, { orderBy: '-createdAt', offset, limit, now })
      return { items, total: await countKeys(db, sight, filter, now), offset, limit }
    }),
    mine: os.isfmAccessMgmt.mine.handler(async ({ context }) => ({ items: await doorsOf(context.caller) })),
    create: os.isfmAccessMgmt.create.handler(({ input, context }) => giveKey(ctx, context.caller, input)),
    update: os.isfmAccessMgmt.update.handler(({ input, context }) => changeKey(ctx, context.caller, input)),
    revoke: os.isfmAccessMgmt.revoke.handler(({ input, context }) =>
      revokeKey(ctx, context.caller, input.id),
    ),
    delete: os.isfmAccessMgmt.delete.handler(async ({ input, context }) => {
      await removeKey(ctx, context.caller, input.id)
      return { ok: true } as const
    }),
    holders: os.isfmAccessMgmt.holders.handler(async ({ input, context }) => {
      const { lockId = null, groupId = null, offset, limit } = input
      const search = parseSearch(input.search)
      const isForOne = lockId !== null || groupId !== null
      const who = isForOne
        ? await targetOf(db, context.caller, { lockId, groupId })
        : { scopeIds: null, visible: sightOf(context.caller).manage, self: context.caller.userId }
      return { ...(await listHolders(db, { ...who, search, offset, limit })), offset, limit }
    }),
  }

  /** The doors of a caller, each with the key that opens it soonest. */
  async function doorsOf(of: Caller): Promise<MyDoor[]> {
    const [sight, now] = [sightOf(of), clock.now()]
    if (of.userId === null) throw new AppError('NO_PERMISSION')
    const best = new Map<number, Door & { shown: ReturnType<typeof shownValidity> }>()
    for (const door of await listDoors(db, sight, now)) {
      const shown = shownValidity(door.validity, now)
      const other = best.get(door.lockId)
      if (other === undefined || (other.shown.closed !== null && shown.closed === null))
        best.set(door.lockId, { ...door, shown })
    }
    const doors = [...best.values()]
    const above = await titlesAbove(
      db,
      sight,
      doors.map(({ twinId }) => twinId),
    )
    const last = await lastOf(db, of.userId, [...best.keys()])
    return doors
      .sort((one, other) => Number(one.shown.closed !== null) - Number(other.shown.closed !== null))
      .map((door) => ({
        id: door.keyId,
        lockId: door.lockId,
        twinId: door.twinId,
        title: door.title,
        above: above.get(door.twinId) ?? [],
        ...door.shown,
        reports: door.report !== null,
        needsCode: door.needsCode,
        withinMetres: door.withinMetres,
        throttleSeconds: door.throttleSeconds,
        last: last.get(door.lockId) ?? null,
      }))
  }

  const logRoutes = {
    activateLock: os.isfmAccessMgmt.activateLock.handler(async ({ input, context }) => {
      const { activation, scopeId, isNew } = await activate(ctx, { factor }, context.caller, input)
      if (isNew) {
        announce(ctx, activation.id, scopeId)
        opener.wake()
      }
      return activation
    }),
    activation: os.isfmAccessMgmt.activation.handler(({ input, context }) =>
      requireActivation(db, context.caller, input.id),
    ),
    log: os.isfmAccessMgmt.log.handler(async ({ input, context }) => {
      const { offset, limit, ...asked } = input
      const [sight, filter] = [sightOf(context.caller), logFilter(asked)]
      const items = await listLog(db, sight, filter, { offset, limit })
      return { items, total: await countLog(db, sight, filter), offset, limit }
    }),
    logFile: os.isfmAccessMgmt.logFile.handler(async ({ input, context }) => {
      const { format, language, ...asked } = input
      const [sight, filter] = [sightOf(context.caller), logFilter(asked)]
      const isCut = (await countLog(db, sight, filter)) > keyLimits.fileRowsMax
      const read = (page: { offset: number; limit: number }) => listLog(db, sight, filter, page)
      return tableReply(format, `door-openings-${day()}`, logTable({ language, isCut, read }))
    }),
    settings: os.isfmAccessMgmt.settings.handler(async ({ input: { accountId }, context }) => {
      await requireAccount(db, accountId, sightOf(context.caller).manage)
      return { logMonths: (await readLogMonths(db, accountId)) ?? logMonthsDefault }
    }),
    setSettings: os.isfmAccessMgmt.setSettings.handler(async ({ input, context }) => {
      const { accountId, logMonths } = input
      await db.transaction().execute(async (tx) => {
        const { name } = await requireAccount(tx, accountId, sightOf(context.caller).manage)
        await writeLogMonths(tx, accountId, logMonths)
        await recordActivity(tx, context.caller, {
          action: 'update',
          subject: 'Tenant',
          objectId: accountId,
          objectTitle: name,
          accountId,
          changes: { lockLogMonths: logMonths },
        })
      })
      return { logMonths }
    }),
  }

  const lockRoutes = {
    locks: os.isfmAccessMgmt.locks.handler(async ({ input, context }) => {
      const { offset, limit, search, ...asked } = input
      const filter = { ...asked, search: parseSearch(search) }
      const page = { offset, limit, now: clock.now() }
      return { ...(await listLocks(db, sightOf(context.caller), filter, page)), offset, limit }
    }),
    createLock: os.isfmAccessMgmt.createLock.handler(({ input, context }) =>
      addLock(ctx, parts, context.caller, input),
    ),
    updateLock: os.isfmAccessMgmt.updateLock.handler(({ input, context }) =>
      changeLock(ctx, parts, context.caller, input),
    ),
    deleteLock: os.isfmAccessMgmt.deleteLock.handler(async ({ input, context }) => {
      await removeLock(ctx, context.caller, input.id)
      return { ok: true } as const
    }),
    groups: os.isfmAccessMgmt.groups.handler(async ({ input, context }) => {
      const { offset, limit, search, ...asked } = input
      const filter = { ...asked, search: parseSearch(search) }
      return { ...(await listGroups(db, sightOf(context.caller), filter, { offset, limit })), offset, limit }
    }),
    createGroup: os.isfmAccessMgmt.createGroup.handler(({ input, context }) =>
      addGroup(ctx, context.caller, input),
    ),
    updateGroup: os.isfmAccessMgmt.updateGroup.handler(({ input, context }) =>
      changeGroup(ctx, context.caller, input),
    ),
    deleteGroup: os.isfmAccessMgmt.deleteGroup.handler(async ({ input, context }) => {
      await removeGroup(ctx, context.caller, input.id)
      return { ok: true } as const
    }),
  }

  return {
    routes: { isfmAccessMgmt: { ...keyRoutes, ...logRoutes, ...lockRoutes } },
    start: async (): Promise<void> => opener.start(),
    /** Sends commands that are due, and looks what became of those that were sent. */
    drain: (): Promise<void> => opener.settle(),
    /** Deletes what accounts no longer keep of the log; it runs automatically once a day. */
    clean,
    [Symbol.asyncDispose]: (): Promise<void> => opener.stop(),
  }
}
