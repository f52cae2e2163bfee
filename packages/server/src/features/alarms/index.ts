import type { Alarm, AlarmComment } from '@leitstand/contract/alarms'
import type { LiveServerMessage } from '@leitstand/contract/live'
import { parseSearch } from '@leitstand/contract/search'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { type AlarmChanged, alarmChanged } from '../../topics/alarmChanged.ts'
import { requireAccount } from '../accounts/index.ts'
import { recordActivity } from '../activity/index.ts'
import { analysisOf } from './analysis.ts'
import { listAssignees } from './assignees.store.ts'
import { defaultTimes } from './causes.store.ts'
import { followCauses, type Happening } from './causes.ts'
import { alarmClock } from './clock.ts'
import { findTended, listComments } from './comments.store.ts'
import { consumeCauses } from './consume.ts'
import { maintenanceRoutes, markNew } from './maintenance.ts'
import { platformWatch } from './platform.ts'
import {
  type AlarmChange,
  type AlarmRow,
  type AlarmScopes,
  type Closing,
  closeAlarms,
  insertAlarms,
  listAlarms,
  type NewAlarm,
  readChanges,
} from './store.ts'
import { acknowledge, assign, comment, snooze } from './tend.ts'
import { findTimes, saveTimes } from './times.store.ts'

export { alarmObjects } from './objects.store.ts'
export { type AlarmChange, giveAlarms, type NewAlarm } from './store.ts'

/** More changes at once than a reader wants one by one: it reads its list again. */
const announcedMax = 50

export type AlarmsFeature = ReturnType<typeof register>

/**
 * The alarm log. An alarm is either open or resolved; a rule has at most one open alarm. It is visible with
 * `VirtualDevice.read` in the scope of its twin or device, that of a twin with `DigitalTwin.read` as well.
 */
export function register(ctx: Context) {
  ctx.live.topic('alarms', {
    hears: (caller, { scopeId, category }) =>
      (scopesOf(caller)[category as keyof AlarmScopes] ?? []).includes(scopeId),
    authorise: async (caller) => caller.can('VirtualDevice', 'read') || caller.can('DigitalTwin', 'read'),
  })

  /** Appends an event for each alarm. */
  const noted = async (
    tx: Executor,
    rows: readonly AlarmRow[],
    resolved: boolean,
  ): Promise<AlarmChange[]> => {
    const ids = resolved ? [] : rows.map(({ id }) => id)
    const maintained = await markNew(tx, ids, ctx.clock.now())
    await ctx.events.appendAll(
      tx,
      rows.map((row) =>
        alarmChanged.event(
          row.accountId,
          toEvent({ ...row, isMaintained: maintained.has(row.id) }, resolved),
        ),
      ),
    )
    return rows.map((row) => ({ ...row, resolved, what: resolved ? 'resolved' : 'raised' }))
  }

  /** Appends the events of changes. @returns what to do after the commit */
  const notedAll = async (tx: Executor, changes: readonly AlarmChange[]): Promise<() => void> => {
    const fresh = changes.filter(({ what }) => what === 'raised').map(({ id }) => id)
    const maintained = await markNew(tx, fresh, ctx.clock.now())
    await ctx.events.appendAll(
      tx,
      changes.map((change) =>
        alarmChanged.event(
          change.accountId,
          toEvent({ ...change, isMaintained: maintained.has(change.id) }, change.resolved),
        ),
      ),
    )
    return () => announce(changes)
  }
  const clock = alarmClock(ctx, notedAll)
  const follow = async (tx: Executor, happenings: readonly Happening[]): Promise<() => void> =>
    notedAll(tx, await followCauses(tx, ctx.clock.now(), happenings))
  consumeCauses(ctx, { follow })
  const watch = platformWatch(ctx, follow)

  /** Lists that show these alarms read them again. */
  const announceTended = async (ids: readonly number[]): Promise<void> =>
    announce(await readChanges(ctx.db, ids))

  const announce = (changes: readonly AlarmChange[]): void => {
    // Of many the newest say enough: lists are read again after any of them.
    for (const change of changes.slice(-announcedMax)) {
      const { scopeId, originCategory: category } = change
      ctx.live.publish('alarms', toLive(change), { scopeId, category })
    }
  }

  return {
    routes: {
      alarmMaintenance: maintenanceRoutes(ctx),
      alarmLogs: {
        list: os.alarmLogs.list.handler(async ({ input, context: { caller } }) => {
          const { assigned, ...filter } = input
          const page = await listAlarms(ctx.db, scopesOf(caller), {
            ...filter,
            search: parseSearch(input.search),
            assigned: assigned === 'me' ? { to: caller.userId } : assigned,
            now: ctx.clock.now(),
          })
          return { ...page, offset: input.offset, limit: input.limit }
        }),
        analysis: os.alarmLogs.analysis.handler(({ input, context: { caller } }) =>
          analysisOf(ctx, caller, scopesOf(caller), input),
        ),
        acknowledge: os.alarmLogs.acknowledge.handler(async ({ input, context: { caller } }) => {
          const acknowledged = await acknowledge({ ctx, caller, scopes: scopesOf(caller) }, input.ids)
          await announceTended(acknowledged)
          return { acknowledged: acknowledged.length }
        }),
        assign: os.alarmLogs.assign.handler(async ({ input, context: { caller } }) => {
          const { ids, userId } = input
          const assigned = await assign(
            { ctx, caller, scopes: scopesOf(caller), noted: notedAll },
            ids,
            userId,
          )
          await announceTended(assigned)
          return { assigned: assigned.length }
        }),
        assignees: os.alarmLogs.assignees.handler(async ({ input, context: { caller } }) => {
          const { id, search = '', offset, limit } = input
          const scopes = scopesOf(caller)
          const [alarm] = await findTended(ctx.db, scopes, [id])
          if (alarm === undefined) throw new AppError('NOT_FOUND')
          const page = { alarmIds: [id], scopes, self: caller.userId, search, offset, limit }
          return { ...(await listAssignees(ctx.db, page)), offset, limit }
        }),
        snooze: os.alarmLogs.snooze.handler(async ({ input, context: { caller } }) => {
          const until = input.until === null ? null : new Date(input.until)
          const snoozed = await snooze({ ctx, caller, scopes: scopesOf(caller) }, input.ids, until)
          await announceTended(snoozed)
          return { snoozed: snoozed.length }
        }),
        times: os.alarmLogs.times.handler(async ({ input, context: { caller } }) => {
          await requireAccount(ctx.db, input.accountId, caller.scopeIds('VirtualDevice', 'read'))
          const stored = await findTimes(ctx.db, input.accountId)
          return stored ?? { ...inSeconds(defaultTimes), fromAccount: null }
        }),
        setTimes: os.alarmLogs.setTimes.handler(async ({ input, context: { caller } }) => {
          const { accountId, times } = input
          await ctx.db.transaction().execute(async (tx) => {
            const account = await requireAccount(tx, accountId, caller.scopeIds('VirtualDevice', 'manage'))
            await saveTimes(tx, accountId, times)
            await recordActivity(tx, caller, {
              action: 'update',
              subject: 'AlarmSettings',
              objectId: accountId,
              objectTitle: account.name,
              accountId,
              changes: { times },
            })
          })
          return { ok: true } as const
        }),
        comments: os.alarmLogs.comments.handler(async ({ input, context: { caller } }) => {
          const { id, offset, limit } = input
          const [alarm] = await findTended(ctx.db, scopesOf(caller), [id])
          if (alarm === undefined) throw new AppError('NOT_FOUND')
          return { ...(await listComments(ctx.db, id, { offset, limit })), offset, limit }
        }),
        comment: os.alarmLogs.comment.handler(async ({ input, context: { caller } }) => {
          const { id, text } = input
          const { comments } = await comment({ ctx, caller, scopes: scopesOf(caller) }, [id], {
            text,
            acknowledges: false,
          })
          await announceTended([id])
          return comments[0] as AlarmComment
        }),
        commentBatch: os.alarmLogs.commentBatch.handler(async ({ input, context: { caller } }) => {
          const { ids, text, acknowledge: acknowledges } = input
          const done = await comment({ ctx, caller, scopes: scopesOf(caller) }, ids, { text, acknowledges })
          await announceTended(ids)
          return { commented: done.comments.length, acknowledged: done.acknowledged.length }
        }),
      },
    },
    /** Opens alarms of rules that have none open on the twin, at most one per rule and twin. @returns the new ones */
    raise: async (tx: Executor, alarms: readonly NewAlarm[]): Promise<AlarmChange[]> => {
      const rows = await insertAlarms(tx, alarms)
      return noted(tx, rows, false)
    },
    /** Resolves the open alarms of rules, at most one entry per rule and twin. @returns those that were open */
    resolve: async (tx: Executor, closings: readonly Closing[]): Promise<AlarmChange[]> => {
      const rows = await closeAlarms(tx, closings)
      return noted(tx, rows, true)
    },
    /** Publishes the changes of a transaction to the live feed; call it after the commit. */
    announce,
    /** Those of some alarms that are visible with these rights, newest first. */
    readFor: async (
      db: Executor,
      rights: Pick<Caller, 'scopeIds'>,
      ids: readonly number[],
    ): Promise<Alarm[]> => {
      if (ids.length === 0) return []
      const filter = { search: null, ids, offset: 0, limit: ids.length, orderBy: '-raisedAt' as const }
      return (await listAlarms(db, scopesOf(rights), { ...filter, now: ctx.clock.now() })).items
    },
    /** Opens and resolves alarms of other causes, in this transaction. @returns what to do after the commit */
    follow,
    start: async (): Promise<void> => {
      clock.start()
      watch.start()
    },
    /** Opens and resolves every alarm whose delay is over. */
    drain: (): Promise<void> => clock.settle(),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await watch.stop()
      await clock.stop()
    },
  }
}

function scopesOf(caller: Pick<Caller, 'scopeIds'>): AlarmScopes {
  const virtualDevice = caller.scopeIds('VirtualDevice', 'read')
  const twins = caller.scopeIds('DigitalTwin', 'read')
  return {
    virtualDevice,
    digitalTwin: [...new Set([...virtualDevice, ...twins])],
    connector: caller.scopeIds('all', 'manage'),
    platform: caller.scopeIds('super.system', 'manage'),
  }
}

function toEvent(
  row: AlarmRow & Partial<Pick<AlarmChange, 'what' | 'assignedTo' | 'isMaintained'>>,
  resolved: boolean,
): AlarmChanged {
  const { id: alarmId, at, accountId: _account, originCategory: _category, ...fields } = row
  const { assignedTo = null, isMaintained: maintained = false, ...rest } = fields
  return { ...rest, alarmId, resolved, assignedTo, maintained, at: at.toISOString() }
}

function inSeconds({ openAfterMs, resolveAfterMs, reopenWithinMs }: typeof defaultTimes) {
  return {
    openAfterS: openAfterMs / 1000,
    resolveAfterS: resolveAfterMs / 1000,
    reopenWithinS: reopenWithinMs / 1000,
  }
}

function toLive({
  id,
  severity,
  resolved,
  at,
}: Pick<AlarmChange, 'id' | 'severity' | 'resolved' | 'at'>): LiveServerMessage {
  return { kind: 'alarm', topic: 'alarms', alarmId: id, severity, resolved, timeMs: at.getTime() }
}
