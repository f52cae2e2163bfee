import type { Context } from '../../platform/context.ts'
import { homeAccountOf } from '../people/index.ts'
import { announcementClock } from './clock.ts'
import { announcementRoutes } from './routes.ts'

/**
 * Announcements of administrators to the users of an account: on top of every page or on the home page, within their
 * times. The clock makes them appear and deactivates them after their end.
 */
export function registerAnnouncements(ctx: Context) {
  ctx.live.topic('announcements', {
    authorise: async (caller, accountId) =>
      caller.kind === 'user' && !caller.application && accountId === (await homeAccountOf(ctx.db, caller)),
  })
  const clock = announcementClock(ctx)
  return {
    routes: { announcement: announcementRoutes(ctx) },
    start: async (): Promise<void> => clock.start(),
    /** Begins and ends everything that is due now. */
    drain: (): Promise<void> => clock.settle(),
    [Symbol.asyncDispose]: (): Promise<void> => clock.stop(),
  }
}
