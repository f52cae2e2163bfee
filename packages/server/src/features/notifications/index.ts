import type { Context } from '../../platform/context.ts'
import type { ConnectorsFeature } from '../connectors/index.ts'
import type { TicketsFeature } from '../tickets/index.ts'
import { consumeAlarms } from './consume.ts'
import { alarmMail } from './mail.ts'
import { notificationRoutes } from './routes.ts'
import { newestAlarm } from './sample.ts'
import { notificationClock, type SendingParts } from './send.ts'
import { consumeTickets, ticketMail } from './tickets.ts'

export { notificationObjects } from './objects.store.ts'

/**
 * Notifications about alarms: `consume` stores them when an alarm changes, the clock sends them when it is
 * due, together with what else is due then. News of tickets are sent at once.
 */
export function registerNotifications(
  ctx: Context,
  parts: SendingParts & {
    connectors: Pick<ConnectorsFeature, 'messages'>
    tickets: Pick<TicketsFeature, 'readFor' | 'writesOf'>
  },
) {
  ctx.mail.register([alarmMail, ticketMail])
  ctx.mail.sampleWith(alarmMail, newestAlarm(ctx, parts))
  const clock = notificationClock(ctx, parts)
  consumeAlarms(ctx)
  consumeTickets(ctx, parts)
  return {
    routes: { alarmNotifications: notificationRoutes(ctx, parts) },
    start: async (): Promise<void> => clock.start(),
    /** Sends everything that is due now. */
    drain: (): Promise<void> => clock.settle(),
    [Symbol.asyncDispose]: (): Promise<void> => clock.stop(),
  }
}
