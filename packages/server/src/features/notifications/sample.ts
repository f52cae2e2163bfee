import type { Context } from '../../platform/context.ts'
import type { FindSample } from '../../platform/mail/index.ts'
import type { SendingParts } from './send.ts'
import { findNewestAlarm } from './store.ts'
import { messageFor } from './texts.ts'

/** Times in previews; each notification has a zone of its own. */
const timeZone = 'Europe/Berlin'

/** What a user would be told about the newest alarm of an account. */
export function newestAlarm(
  { brands }: Pick<Context, 'brands'>,
  { alarms }: Pick<SendingParts, 'alarms'>,
): FindSample {
  return async (db, { caller, accountId, language }) => {
    const id = await findNewestAlarm(db, accountId)
    const [alarm] = id === undefined ? [] : await alarms.readFor(db, caller, [id])
    if (alarm === undefined) return null
    const what = alarm.resolvedAt === null ? 'raised' : 'resolved'
    const { title, body, path } = messageFor([{ what, alarm }], 0, { language, timeZone })
    const { publicUrl } = await brands.of(db, accountId)
    return { title, text: body, link: `${publicUrl}/#${path}`, profile: `${publicUrl}/#/user-profile` }
  }
}
