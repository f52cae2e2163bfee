import { exportScheduleLimits } from '@leitstand/contract/exportSchedules'
import type { Context } from '../../../platform/context.ts'
import { type MadeFile, zipOf } from '../../exports/index.ts'
import type { RulesFeature } from '../../rules/index.ts'
import { deliveryMail } from '../mails.ts'
import { periodText } from '../texts.ts'
import type { TargetKind } from './types.ts'

/** Files that are larger than this are not even packed to see whether they fit; bytes. */
const packedMax = 20 * exportScheduleLimits.attachedBytesMax

/** Mails to recipients who have agreed to get them, with the file or a secret link to it. */
export function mailTarget(
  { mail, db }: Pick<Context, 'mail' | 'db'>,
  { rules }: { rules: Pick<RulesFeature, 'writeMail'> },
): TargetKind<'mail'> {
  return {
    nameOf: async (_db, { recipients }) => recipients.join(', '),
    deliver: async ({ recipients, attach }, parcel) => {
      const { schedule, runId, period, language, file } = parcel
      // It would be kept, and the history would say that it was sent.
      if (!(await mail.hasServer(db, schedule.accountId)))
        return async () => ({ state: 'failed', reason: 'noMailServer', again: true })
      const { attachedBytesMax, attachedTotalMax } = exportScheduleLimits
      // Each recipient outside the account has a mail of their own.
      const max = Math.min(attachedBytesMax, attachedTotalMax / recipients.length)
      const attachment = attach === 'zip' ? await packed(file, max) : null
      return async (tx) => {
        const { to, refused } = await rules.writeMail(tx, {
          accountId: schedule.accountId,
          key: `schedule:${schedule.id}`,
          title: schedule.title,
          origin: { exportScheduleId: schedule.id, runId },
          recipients,
          template: {
            kind: deliveryMail,
            language,
            values: {
              title: schedule.title,
              period: periodText(period, schedule.timeZone, language),
              rows: file.type === pdfType ? '' : file.rows.toLocaleString(language),
              file: attachment?.name ?? '',
              link: attachment ? '' : await parcel.link(tx),
              tooLarge: attach === 'zip' && attachment === null,
              days: String(exportScheduleLimits.linkDays),
            },
          },
          attachments: attachment ? [attachment] : [],
        })
        return to.length > 0
          ? { state: 'sent', refused }
          : { state: 'failed', reason: 'noRecipient', refused, again: false }
      }
    },
  }
}

const pdfType = 'application/pdf'

/** The file as an archive, a PDF as it is; null: it is too large for a mail. */
async function packed(file: MadeFile, max: number) {
  if (file.size > packedMax) return null
  const isPacked = file.name.endsWith('.zip') || file.type === pdfType
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const bytes of isPacked ? file.content() : zipOf(file.name, file.content())) {
    size += bytes.length
    if (size > max) return null
    chunks.push(bytes)
  }
  const name = isPacked ? file.name : `${file.name.replace(/\.\w+$/, '')}.zip`
  return { name, type: isPacked ? file.type : 'application/zip', bytes: Buffer.concat(chunks) }
}
