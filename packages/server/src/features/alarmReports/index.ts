import type { Context } from '../../platform/context.ts'
import { reportMail } from './mail.ts'
import { reportRoutes } from './routes.ts'
import { newestReport } from './sample.ts'
import { reportClock, type SendingParts } from './send.ts'

export { alarmReportObjects } from './objects.store.ts'

/**
 * Reports about the alarms and packets of smart groups: the clock makes and sends them once a day between six and seven in
 * the zone of each, as HTML, text and PDF of the same page.
 */
export function registerAlarmReports(ctx: Context, parts: SendingParts) {
  ctx.mail.register([reportMail])
  ctx.mail.sampleWith(reportMail, newestReport(ctx))
  const clock = reportClock(ctx, parts)
  return {
    routes: { alarmReports: reportRoutes(ctx, parts) },
    start: async (): Promise<void> => clock.start(),
    /** Makes and sends every report that is due. */
    drain: (): Promise<void> => clock.settle(),
    [Symbol.asyncDispose]: (): Promise<void> => clock.stop(),
  }
}
