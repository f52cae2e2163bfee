import type { Context } from '../../platform/context.ts'
import { streamOf } from '../../platform/csv.ts'
import { AppError } from '../../platform/errors.ts'
import { dispositionOf } from '../../platform/http/disposition.ts'
import { os } from '../../platform/http/implement.ts'
import { hashToken } from '../people/index.ts'
import type { ContentsOf } from './contents/index.ts'
import { findLinked } from './links.store.ts'
import { findSchedule } from './schedules.store.ts'

/** Downloads by secret links, which need no sign-in. */
export function linkRoute({ db, clock }: Pick<Context, 'db' | 'clock'>, contentOf: ContentsOf) {
  return os.exportSchedules.file.handler(async ({ input: { token } }) => {
    const linked = await findLinked(db, hashToken(token), clock.now())
    const schedule = linked && (await findSchedule(db, null, linked.scheduleId))
    const made = schedule && (await contentOf(schedule.content).made(linked.jobId))
    if (!made || 'reason' in made) throw new AppError('EXPORT_LINK_ENDED')
    const { name, type, content } = made.file
    return {
      headers: {
        'content-type': type,
        'content-disposition': dispositionOf(name),
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex, nofollow',
        'referrer-policy': 'no-referrer',
        'cache-control': 'private, no-store',
      },
      body: streamOf(content()),
    }
  })
}
