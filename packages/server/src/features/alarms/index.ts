import type { AlarmComment } from '@leitstand/contract/alarms'
import type { LiveServerMessage } from '@leitstand/contract/live'
import { parseSearch } from '@leitstand/contract/search'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { type AlarmChanged, alarmChanged } from '../../topics/alarmChanged.ts'
import { findTended, listComments } from './comments.store.ts'
import {
  type AlarmRow,
  type AlarmScopes,
  alarmsSince,
  type Closing,
  closeAlarms,
  insertAlarms,
  listAlarms,
  type NewAlarm,
  readChanges,
} from './store.ts'
import { acknowledge, comment } from './tend.ts'

export { alarmObjects } from './objects.store.ts'
export { giveAlarms, type NewAlarm } from './store.ts'

/** A raised or resolved alarm; published to the live feed after the commit. */
export interface AlarmChange extends AlarmRow {
  resolved: boolean
}

/** Changes replayed to a reader that reconnects; if there are more, it reloads the list. */
const backfillMax = 500

export type AlarmsFeature = ReturnType<typeof register>

/**
 * The alarm log. An alarm is either open or resolved; a rule has at most one open alarm. It is visible with
 * `VirtualDevice.read` in the scope of its twin or device, that of a twin with `DigitalTwin.read` as well.
 */
export function register(ctx: Context) {
  ctx.live.topic('alarms', {
    authorise: async (caller) => caller.can('VirtualDevice', 'read') || caller.can('DigitalTwin', 'read'),
    backfill: async (caller, _id, sinceMs) => {
      const alarms = await alarmsSince(ctx.db, scopesOf(caller), new Date(sinceMs), backfillMax)
      if (alarms.length === backfillMax) return null
      return alarms.map(({ id, severity, raisedAt, resolvedAt }) =>
        toLive({ id, severity, resolved: resolvedAt !== null, at: resolvedAt ?? raisedAt }),
      )
    },
  })

  /** Appends an event for each alarm. */
  const noted = async (
    tx: Executor,
    rows: readonly AlarmRow[],
    resolved: boolean,
  ): Promise<AlarmChange[]> => {
    await ctx.events.appendAll(
      tx,
      rows.map((row) => alarmChanged.event(row.accountId, toEvent(row, resolved))),
    )
    return rows.map((row) => ({ ...row, resolved }))
  }

  /** Lists that show these alarms read them again. */
  const announceTended = async (ids: readonly number[]): Promise<void> =>
    announce(await readChanges(ctx.db, ids))

  const announce = (changes: readonly AlarmChange[]): void => {
    for (const change of changes) {
      ctx.live.publish('alarms', toLive(change), (caller) =>
        scopesOf(caller)[change.originCategory].includes(change.scopeId),
      )
    }
  }

  return {
    routes: {
      alarmLogs: {
        list: os.alarmLogs.list.handler(async ({ input, context: { caller } }) => {
          const page = await listAlarms(ctx.db, scopesOf(caller), {
            ...input,
            search: parseSearch(input.search),
          })
          return { ...page, offset: input.offset, limit: input.limit }
        }),
        acknowledge: os.alarmLogs.acknowledge.handler(async ({ input, context: { caller } }) => {
          const acknowledged = await acknowledge({ ctx, caller, scopes: scopesOf(caller) }, input.ids)
          await announceTended(acknowledged)
          return { acknowledged: acknowledged.length }
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
  }
}

function scopesOf(caller: Caller): AlarmScopes {
  const virtualDevice = caller.scopeIds('VirtualDevice', 'read')
  const twins = caller.scopeIds('DigitalTwin', 'read')
  return { virtualDevice, digitalTwin: [...new Set([...virtualDevice, ...twins])] }
}

function toEvent(row: AlarmRow, resolved: boolean): AlarmChanged {
  const { id: alarmId, twinId, scopeId, ruleId, severity, category, message, at } = row
  return { alarmId, twinId, scopeId, ruleId, severity, category, message, resolved, at: at.toISOString() }
}

function toLive({
  id,
  severity,
  resolved,
  at,
}: Pick<AlarmChange, 'id' | 'severity' | 'resolved' | 'at'>): LiveServerMessage {
  return { kind: 'alarm', topic: 'alarms', alarmId: id, severity, resolved, timeMs: at.getTime() }
}
