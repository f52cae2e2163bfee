import {
  type MailLanguage,
  type MailTemplateFault,
  type MailTemplateWords,
  mailTemplateLimits,
} from '@leitstand/contract/mailTemplates'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { languagesOf, type MailKind, type Values, variablesOf } from '../../platform/mail/templates/kind.ts'
import { faultsOf } from '../../platform/mail/templates/parse.ts'
import type { Rendered } from '../../platform/mail/templates/render.ts'
import { deleteTemplate, findTemplates, storeTemplate } from '../../platform/mail/templates/store.ts'
import { Turns } from '../../platform/turns.ts'
import { changesBetween, recordActivity } from '../activity/index.ts'
import { readUser, userIdOf } from '../people/index.ts'
import { administered, maySet, present, summariesOf } from './present.ts'
import { Samples } from './samples.ts'

/** Test mails of a user: a burst, then one every ten seconds. */
const testRate = { perSecond: 0.1, burst: 6 }
/** Of a text in the activity log. */
const notedLengthMax = 200

/** Operations on the words of mails. */
export function templateRoutes(ctx: Context) {
  const { db, clock, mail } = ctx
  const turns = new Turns<number>(testRate)
  const samples = new Samples(ctx)

  /** The account and the kind, both of which the caller may change in this language. */
  const required = async (
    tx: Executor,
    caller: Caller,
    { id, accountId, language }: { id: string; accountId: number; language: MailLanguage },
  ) => {
    const account = await administered(tx, caller, accountId)
    const kind = mail.kind(id)
    if (kind === undefined || !languagesOf(kind).includes(language))
      throw new AppError('MAIL_TEMPLATE_NOT_FOUND', { id })
    return { account, kind }
  }
  const preview = (
    kind: MailKind,
    words: MailTemplateWords,
    { accountId, language }: { accountId: number; language: MailLanguage },
    values: Values<string> = examplesOf(kind, language),
  ) => mail.preview(db, kind, words, { accountId, language, values })
  /** What is wrong with these words; nothing: how a mail looks in them. */
  const tried = async (
    kind: MailKind,
    words: MailTemplateWords,
    whose: { accountId: number; language: MailLanguage },
  ): Promise<{ faults: MailTemplateFault[]; mail: Rendered | null }> => {
    const faults = faultsOf(kind, words)
    if (faults.length > 0) return { faults, mail: null }
    const rendered = await preview(kind, words, whose)
    if (Buffer.byteLength(rendered.html) <= mailTemplateLimits.htmlBytesMax) return { faults, mail: rendered }
    return { faults: [{ field: 'body', code: 'large', name: null, line: null, column: null }], mail: null }
  }
  const demandGood = async (...args: Parameters<typeof tried>): Promise<Rendered> => {
    const { faults, mail: rendered } = await tried(...args)
    if (rendered === null) throw new AppError('MAIL_TEMPLATE_INVALID', { faults })
    return rendered
  }
  const note = (
    tx: Executor,
    caller: Caller,
    action: string,
    { kind, language, accountId }: { kind: MailKind; language: MailLanguage; accountId: number },
    changes: object,
  ) => {
    const objectTitle = `${kind.title[language]} (${language})`
    return recordActivity(tx, caller, {
      action,
      subject: 'MailTemplate',
      objectId: null,
      objectTitle,
      accountId,
      changes,
    })
  }

  return {
    list: os.mailTemplate.list.handler(async ({ input: { accountId }, context: { caller } }) => {
      const account = await administered(db, caller, accountId)
      return { items: await summariesOf(db, caller, account, mail.kinds) }
    }),
    get: os.mailTemplate.get.handler(async ({ input, context: { caller } }) => {
      const { account, kind } = await required(db, caller, input)
      return present(db, caller, account, kind, input.language)
    }),
    save: os.mailTemplate.save.handler(async ({ input, context: { caller } }) => {
      const { accountId, language, version, subject, body } = input
      const words = { subject, body }
      // First who may do it: others must not make the server work.
      const { kind } = await required(db, caller, input)
      await demandGood(kind, words, input)
      return db.transaction().execute(async (tx) => {
        const { account } = await required(tx, caller, input)
        if (!maySet(kind, account)) throw new AppError('MAIL_TEMPLATE_FIXED')
        const before = await present(tx, caller, account, kind, language)
        const key = { accountId, kind: kind.id, language }
        if (!(await storeTemplate(tx, key, { ...words, version, at: clock.now() })))
          throw new AppError('VERSION_CONFLICT')
        await note(
          tx,
          caller,
          'update',
          { kind, language, accountId },
          changesBetween(noted(before), noted(words)),
        )
        return present(tx, caller, account, kind, language)
      })
    }),
    reset: os.mailTemplate.reset.handler(async ({ input, context: { caller } }) =>
      db.transaction().execute(async (tx) => {
        const { account, kind } = await required(tx, caller, input)
        const { accountId, language } = input
        const [own] = await findTemplates(tx, accountId, kind.id, language)
        if (!(await deleteTemplate(tx, { accountId, kind: kind.id, language })) || own === undefined)
          throw new AppError('MAIL_TEMPLATE_NOT_FOUND', { id: kind.id })
        const after = await present(tx, caller, account, kind, language)
        await note(
          tx,
          caller,
          'resetTemplate',
          { kind, language, accountId },
          changesBetween(noted(own), noted(after)),
        )
        return after
      }),
    ),
    render: os.mailTemplate.render.handler(async ({ input, context: { caller } }) => {
      const { kind } = await required(db, caller, input)
      const { accountId, language, subject, body } = input
      const words = { subject, body }
      // Whether it can be used does not depend on what happens to be there.
      const result = await tried(kind, words, input)
      const real = result.mail && (await samples.of(caller, kind, { accountId, language }))
      if (!real) return { ...result, data: 'example' as const }
      return { ...result, mail: await preview(kind, words, input, real), data: 'real' as const }
    }),
    test: os.mailTemplate.test.handler(async ({ input, context: { caller } }) => {
      const userId = userIdOf(caller)
      const { account, kind } = await required(db, caller, input)
      const { subject, html, text } = await demandGood(kind, input, input)
      if (!turns.take(userId, clock.now().getTime())) throw new AppError('TOO_MANY_REQUESTS')
      const user = await readUser(db, userId)
      if (!user) throw new AppError('AUTH_TOKEN_NOT_FOUND')
      await note(db, caller, 'testMail', { kind, language: input.language, accountId: account.id }, {})
      await mail.probe(account.id, { recipients: [user.email], subject, html, text })
      return { sentTo: user.email }
    }),
  }
}

/** The examples of a kind, which belong to nobody. */
function examplesOf(kind: MailKind, language: MailLanguage): Values<string> {
  return Object.fromEntries(
    [...variablesOf(kind)].map(([name, { type, example, exampleTables }]) => [
      name,
      type === 'flag' ? example[language] !== '' : (exampleTables?.[language] ?? example[language]),
    ]),
  )
}

function noted({ subject, body }: MailTemplateWords): Record<string, string> {
  return { subject: subject.slice(0, notedLengthMax), body: body.slice(0, notedLengthMax) }
}
