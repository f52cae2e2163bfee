import type { Feedback } from '@leitstand/contract/feedback'
import type * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { Turns } from '../../platform/turns.ts'
import { recordActivity } from '../activity/index.ts'
import { identify } from '../files/index.ts'
import { aboutUser, homeAccountOf, languageOf, userIdOf } from '../people/index.ts'
import { readAuthor, recipientsOf } from './store.ts'
import { feedbackMail, type Kind, valuesOf } from './text.ts'

/** Per user: a burst of three, then one every ten minutes. */
const rate = { perSecond: 1 / 600, burst: 3 }

/** Sends feedback of users about the platform to the configured recipients. */
export function register(ctx: Context) {
  const { clock } = ctx
  ctx.mail.register([feedbackMail])
  const turns = new Turns<number>(rate)
  const routes = {
    feedback: {
      send: os.feedback.send.handler(async ({ input, context: { caller } }) => {
        const userId = userIdOf(caller)
        const accountId = await homeAccountOf(ctx.db, caller)
        const attachments: Attachment[] = []
        for (const file of input.files) attachments.push(await picture(ctx, file, accountId))
        if (!turns.take(userId, clock.now().getTime())) throw new AppError('TOO_MANY_REQUESTS')
        await send(ctx, caller, userId, { ...input, attachments })
        return { ok: true as const }
      }),
    },
  }
  return { routes }
}

/** @throws AppError of `identify`, FILE_TYPE_REFUSED for types that not every mail client displays */
async function picture({ reader }: Context, file: File, accountId: number) {
  const bytes = Buffer.from(await file.arrayBuffer())
  const found = await identify(reader, { bytes, name: file.name, role: 'picture', accountId })
  if (found.type === 'image/webp') throw new AppError('FILE_TYPE_REFUSED', { type: found.type })
  return { ...found, bytes }
}

type Attachment = Awaited<ReturnType<typeof picture>>
type Message = Omit<z.output<typeof Feedback>, 'files'> & { attachments: Attachment[] }

async function send(
  { config, db, mail }: Context,
  caller: Caller,
  userId: number,
  { attachments, ...message }: Message,
): Promise<void> {
  const kind: Kind = message.bug ? 'bug' : 'featureRequest'
  await db.transaction().execute(async (tx) => {
    const author = await readAuthor(tx, userId)
    const language = languageOf(author.properties)
    await mail.write(tx, feedbackMail, {
      accountId: author.accountId,
      recipients: (await recipientsOf(tx, author.accountId, kind)) ?? [config.supportEmail],
      replyTo: author.email,
      origin: { feedbackOf: userId },
      attachments,
      language,
      values: valuesOf(kind, message, { ...author, language }),
    })
    await recordActivity(tx, caller, {
      action: 'sendFeedback',
      ...(await aboutUser(tx, userId)),
      changes: { kind, subject: message.subject, pictures: attachments.length },
      isChange: false,
    })
  })
}
