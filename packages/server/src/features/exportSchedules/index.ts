import type { Context } from '../../platform/context.ts'
import type { ConnectorsFeature } from '../connectors/index.ts'
import type { DashboardsFeature } from '../dashboards/index.ts'
import type { ExportsFeature } from '../exports/index.ts'
import type { JobsFeature } from '../jobs/index.ts'
import type { PeopleFeature } from '../people/index.ts'
import type { RulesFeature } from '../rules/index.ts'
import { scheduleClock } from './clock.ts'
import { contents } from './contents/index.ts'
import { deleteEndedLinks } from './links.store.ts'
import { deliveryMail, failedMail } from './mails.ts'
import { scheduleRoutes } from './routes.ts'
import { targets } from './targets/index.ts'

export { exportScheduleObjects } from './objects.store.ts'

const cleanQueue = 'exportSchedules.clean'

interface Parts {
  people: Pick<PeopleFeature, 'actFor'>
  jobs: Pick<JobsFeature, 'find' | 'findEnded'>
  connectors: Pick<ConnectorsFeature, 'messages'>
  rules: Pick<RulesFeature, 'writeMail' | 'introduce'>
  exporting: Pick<ExportsFeature, 'startDue' | 'startBoard' | 'check'>
  dashboards: Pick<DashboardsFeature, 'show'>
}

/** Exports that the clock starts: their files go to recipients of mails, connectors and servers. */
export function registerExportSchedules(ctx: Context, parts: Parts) {
  ctx.mail.register([deliveryMail, failedMail])
  const contentOf = contents(ctx, parts)
  const targetOf = targets(ctx, parts)
  const clock = scheduleClock(ctx, { ...parts, contentOf, targetOf })
  ctx.jobs.work(cleanQueue, () => deleteEndedLinks(ctx.db, ctx.clock.now()), { pollSeconds: 60 })
  ctx.jobs.schedule(cleanQueue, '23 3 * * *')
  return {
    routes: { exportSchedules: scheduleRoutes(ctx, { ...parts, contentOf }) },
    start: async (): Promise<void> => clock.start(),
    /** Runs every schedule that is due. */
    drain: (): Promise<void> => clock.settle(),
    [Symbol.asyncDispose]: (): Promise<void> => clock.stop(),
  }
}
