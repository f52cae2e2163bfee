import type { Context } from '../../platform/context.ts'
import type { FindSample } from '../../platform/mail/index.ts'
import { findAccount } from '../accounts/index.ts'
import { findGroupWithin } from '../groups/index.ts'
import { metConditions, readContent } from './content.ts'
import { mailOf } from './mail.ts'
import { pageOf } from './page.ts'
import { listReports } from './store.ts'

/** What the report of an account that was sent last would say now. */
export function newestReport({ clock, brands }: Pick<Context, 'clock' | 'brands'>): FindSample {
  return async (db, { caller, accountId, language }) => {
    const account = await findAccount(db, accountId, caller.scopeIds('all', 'manage'))
    if (account === undefined) return null
    const asked = { search: null, orderBy: '-lastSentAt', offset: 0, limit: 1 } as const
    const [report] = (await listReports(db, [account.scopeId], asked)).items
    const groupId = report?.groupId ?? null
    const group = groupId === null ? undefined : await findGroupWithin(db, accountId, groupId)
    if (report === undefined || group === undefined) return null
    const wanted = { ...report, language: language === 'de' ? ('de-DE' as const) : ('en-GB' as const) }
    const content = await readContent(db, group, wanted, { now: clock.now(), since: null })
    const met = metConditions(report.conditions, content.figures)
    const presence = await brands.of(db, accountId)
    return mailOf(pageOf(content, wanted, { subject: report.subject, met, presence })).values
  }
}
