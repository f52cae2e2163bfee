import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { DueLoop } from '../../platform/dueLoop.ts'
import { type Rate, spent, waitMs } from '../../platform/tokenBucket.ts'
import type { AlarmsFeature } from '../alarms/index.ts'
import { languageOf, type PeopleFeature } from '../people/index.ts'
import type { RulesFeature } from '../rules/index.ts'
import { alarmMail } from './mail.ts'
import {
  type DueNotification,
  nextNoticeAt,
  noteSent,
  postpone,
  takeDueNotifications,
  takeNotices,
} from './store.ts'
import { type Message, messageFor, type Notice } from './texts.ts'

/** Messages of one notification; what comes faster is sent later in one message. */
export const messageRate: Rate = { perSecond: 20 / 3600, burst: 10 }
const batchMax = 50

export interface SendingParts {
  people: Pick<PeopleFeature, 'standingIn'>
  alarms: Pick<AlarmsFeature, 'readFor'>
  rules: Pick<RulesFeature, 'sendToBrowsers' | 'sendToWebhook' | 'wakeDeliveries'>
}

/**
 * Tells users about alarms when it is due: whichever process does it, in the transaction that deletes what was to be
 * told. Rights are looked at then: who no longer sees an alarm does not hear of it.
 */
export function notificationClock(ctx: Context, parts: SendingParts): DueLoop {
  const { db, clock, log } = ctx
  return new DueLoop({
    log,
    clock,
    failure: 'users are not told about alarms; tried again soon',
    batchMax,
    nextAt: () => nextNoticeAt(db),
    async piece() {
      const now = clock.now()
      const taken = await db.transaction().execute(async (tx) => {
        const due = await takeDueNotifications(tx, now, batchMax)
        for (const each of due) await tell(ctx, parts, tx, each, now)
        return due.length
      })
      if (taken > 0) parts.rules.wakeDeliveries()
      return taken
    },
  })
}

async function tell(
  ctx: Context,
  parts: SendingParts,
  tx: Executor,
  due: DueNotification,
  now: Date,
): Promise<void> {
  const standing = due.isUserActive ? await parts.people.standingIn(tx, due.userId) : null
  if (!due.active || standing === null) {
    await takeNotices(tx, due.id, now)
    return
  }
  const wait = waitMs(due.bucket, messageRate, now.getTime())
  if (wait > 0) {
    await postpone(tx, due.id, now, new Date(now.getTime() + wait))
    return
  }
  const taken = await takeNotices(tx, due.id, now)
  const ids = [...new Set(taken.map(({ alarmId }) => alarmId))]
  const alarms = new Map((await parts.alarms.readFor(tx, standing, ids)).map((alarm) => [alarm.id, alarm]))
  const notices = taken.flatMap(({ alarmId, what }): Notice[] => {
    const alarm = alarms.get(alarmId)
    // What was set aside, is maintained or over in the meantime need not be told any more.
    if (alarm === undefined || alarm.snoozed !== null || alarm.maintained) return []
    const isOver = alarm.resolvedAt !== null && what !== 'resolved'
    return isOver && !due.resolved ? [] : [{ what, alarm }]
  })
  if (notices.length === 0 && due.held === 0) return
  const language = languageOf(due.properties)
  const message = messageFor(notices, due.held, { language, timeZone: due.timeZone })
  await sendMessage(ctx, parts, tx, due, message)
  await noteSent(tx, due.id, { at: now, bucket: spent(due.bucket, 1, messageRate, now.getTime()) })
}

/** Hands a message over to the channel of a notification, in this transaction. */
export async function sendMessage(
  { mail, brands }: Pick<Context, 'mail' | 'brands'>,
  { rules }: Pick<SendingParts, 'rules'>,
  tx: Executor,
  to: Pick<
    DueNotification,
    'id' | 'userId' | 'accountId' | 'channel' | 'connectorId' | 'email' | 'properties'
  >,
  { title, body, path }: Message,
): Promise<void> {
  const { accountId, userId } = to
  const { publicUrl } = await brands.of(tx, accountId)
  switch (to.channel) {
    case 'mail': {
      await mail.write(tx, alarmMail, {
        accountId,
        recipients: [to.email],
        language: languageOf(to.properties),
        values: {
          title,
          text: body,
          link: `${publicUrl}/#${path}`,
          profile: `${publicUrl}/#/user-profile`,
        },
        origin: { notificationId: to.id },
      })
      return
    }
    case 'push':
      await rules.sendToBrowsers(tx, {
        accountId,
        userId,
        title,
        body,
        url: `/#${path}`,
        tag: `alarms-${to.id}`,
      })
      return
    case 'webhook': {
      const content = { title, text: body, url: `${publicUrl}/#${path}` }
      await rules.sendToWebhook(tx, { accountId, connectorId: to.connectorId as number, content })
      return
    }
  }
}
