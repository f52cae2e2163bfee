import { notificationLimits } from '@leitstand/contract/alarmNotifications'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { fullBucket, spent, waitMs } from '../../platform/tokenBucket.ts'
import { recordActivity } from '../activity/index.ts'
import type { ConnectorsFeature } from '../connectors/index.ts'
import { requireGroup } from '../groups/index.ts'
import { languageOf, userIdOf } from '../people/index.ts'
import { findObject, readScopes } from '../twins/index.ts'
import { messageRate, type SendingParts, sendMessage } from './send.ts'
import {
  deleteNotification,
  findNotification,
  insertNotification,
  listNotifications,
  lockBucket,
  type NotificationFields,
  type NotificationRow,
  noteSent,
  readHome,
  updateNotification,
} from './store.ts'

interface Parts extends SendingParts {
  connectors: Pick<ConnectorsFeature, 'messages'>
}

/** Operations on the notifications of a user. */
export function notificationRoutes(ctx: Context, parts: Parts) {
  const { db, clock } = ctx
  const own = async (tx: Executor, id: number, userId: number): Promise<NotificationRow> => {
    const found = await findNotification(tx, id, userId)
    if (found === undefined) throw new AppError('NOT_FOUND')
    return found
  }
  const note = async (
    tx: Executor,
    caller: Caller,
    action: 'create' | 'update' | 'delete',
    { id, title }: { id: number; title: string },
  ): Promise<void> => {
    const { accountId } = await readHome(tx, userIdOf(caller))
    await recordActivity(tx, caller, {
      action,
      subject: 'AlarmNotification',
      objectId: id,
      objectTitle: title,
      accountId,
    })
  }
  return {
    list: os.alarmNotifications.list.handler(async ({ input, context: { caller } }) => {
      const { items, total } = await listNotifications(db, userIdOf(caller), input)
      return { items: items.map(present), total, offset: input.offset, limit: input.limit }
    }),
    create: os.alarmNotifications.create.handler(async ({ input, context: { caller } }) => {
      const userId = userIdOf(caller)
      return db.transaction().execute(async (tx) => {
        const { accountId, timeZone } = await readHome(tx, userId)
        await check(tx, parts, { caller, accountId }, input)
        const bucket = fullBucket(messageRate, clock.now().getTime())
        const { max } = notificationLimits
        const id = await insertNotification(tx, userId, input, { timeZone, bucket, max })
        if (id === undefined) throw new AppError('NOTIFICATIONS_LIMIT', { max })
        await note(tx, caller, 'create', { id, title: input.title })
        return present(await own(tx, id, userId))
      })
    }),
    update: os.alarmNotifications.update.handler(async ({ input, context: { caller } }) => {
      const userId = userIdOf(caller)
      const { id, version, ...fields } = input
      return db.transaction().execute(async (tx) => {
        await own(tx, id, userId)
        const { accountId } = await readHome(tx, userId)
        await check(tx, parts, { caller, accountId }, fields)
        if (!(await updateNotification(tx, { id, version }, fields))) throw new AppError('VERSION_CONFLICT')
        await note(tx, caller, 'update', { id, title: fields.title })
        return present(await own(tx, id, userId))
      })
    }),
    delete: os.alarmNotifications.delete.handler(async ({ input: { id }, context: { caller } }) => {
      await db.transaction().execute(async (tx) => {
        const { title } = await own(tx, id, userIdOf(caller))
        await deleteNotification(tx, id)
        await note(tx, caller, 'delete', { id, title })
      })
      return { ok: true } as const
    }),
    test: os.alarmNotifications.test.handler(async ({ input: { id }, context: { caller } }) => {
      const userId = userIdOf(caller)
      await db.transaction().execute(async (tx) => {
        const bucket = await lockBucket(tx, id, userId)
        if (bucket === undefined) throw new AppError('NOT_FOUND')
        const now = clock.now()
        if (waitMs(bucket, messageRate, now.getTime()) > 0) throw new AppError('NOTIFICATION_TOO_MANY')
        const notification = await own(tx, id, userId)
        const home = await readHome(tx, userId)
        const isGerman = languageOf(home.properties) === 'de'
        await sendMessage(
          ctx,
          parts,
          tx,
          { ...notification, ...home, userId },
          {
            title: `Test: ${notification.title}`,
            body: isGerman
              ? 'So erfahren Sie von Alarmen. Es ist nichts passiert.'
              : 'This is how you will hear of alarms. Nothing has happened.',
            path: '/alarm-logs',
          },
        )
        await noteSent(tx, id, { at: now, bucket: spent(bucket, 1, messageRate, now.getTime()) })
      })
      parts.rules.wakeDeliveries()
      return { ok: true } as const
    }),
  }
}

/** @throws AppError DTWIN_NOT_FOUND, SMART_GROUP_NOT_FOUND, NOTIFICATION_CONNECTOR_INVALID */
async function check(
  tx: Executor,
  { connectors }: Parts,
  { caller, accountId }: { caller: Caller; accountId: number },
  { twinId, groupId, channel, connectorId }: NotificationFields,
): Promise<void> {
  if (twinId !== null) {
    const twin =
      (await findObject(tx, 'digitalTwin', readScopes(caller, 'digitalTwin'), twinId)) ??
      (await findObject(tx, 'virtualDevice', readScopes(caller, 'virtualDevice'), twinId))
    if (twin === undefined) throw new AppError('DTWIN_NOT_FOUND')
  }
  if (groupId !== null) await requireGroup(tx, caller, groupId)
  if ((channel === 'webhook') !== (connectorId !== null)) throw new AppError('NOTIFICATION_CONNECTOR_INVALID')
  if (connectorId === null) return
  const usable = await connectors.messages.usable(tx, caller, [connectorId], 'use')
  const connector = usable.get(connectorId)
  if (!connector?.delivers || connector.accountId !== accountId)
    throw new AppError('NOTIFICATION_CONNECTOR_INVALID')
}

function present({ userId: _, ...notification }: NotificationRow) {
  return notification
}
