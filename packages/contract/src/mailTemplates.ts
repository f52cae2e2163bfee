import * as z from 'zod'
import { Id, operation, Time } from './common.ts'
import { may } from './permissions.ts'

export const mailTemplateLimits = {
  subjectLengthMax: 200,
  bodyLengthMax: 10_000,
  /** bytes of a mail as HTML: mail programs cut what is longer */
  htmlBytesMax: 100_000,
} as const

export const mailLanguages = ['de', 'en'] as const
export const MailLanguage = z.enum(mailLanguages)
export type MailLanguage = z.infer<typeof MailLanguage>

/** A kind of mail, such as `invitation`. */
const MailKindId = z.string().regex(/^[A-Za-z]{1,60}$/)

/** What lists are grouped by. */
export const mailAreas = ['access', 'account', 'alarms', 'tickets', 'exports', 'feedback'] as const

const Both = z.object({ de: z.string(), en: z.string() })

/** `delivered`: the text the platform comes with; `inherited`: of an account above; `own`: of the account. */
export const mailTemplateStates = ['delivered', 'inherited', 'own'] as const

const Origin = z.object({
  state: z.enum(mailTemplateStates),
  /** whose template it is; null: delivered, or of an account the caller does not see */
  accountName: z.string().nullable(),
})

/** A kind of mail and whose words it has in each language. */
export const MailTemplateSummary = z.object({
  id: MailKindId,
  area: z.enum(mailAreas),
  title: Both,
  /** who gets it */
  readers: Both,
  /** false: the language of its readers is not known, and one text, kept as the German one, serves all */
  isSpoken: z.boolean(),
  /** false: only the topmost account words it */
  maySet: z.boolean(),
  words: z.array(Origin.extend({ language: MailLanguage })),
})
export type MailTemplateSummary = z.infer<typeof MailTemplateSummary>

/**
 * `text`: one line; `lines`: text with line breaks; `tables`: on a line of its own; `link`: an address of the platform;
 * `flag`: only for `{{#name}}…{{/name}}`
 */
export const MailVariable = z.object({
  name: z.string(),
  type: z.enum(['text', 'lines', 'tables', 'link', 'flag']),
  /** every template has to show it */
  isRequired: z.boolean(),
  label: Both,
  /** in the language of the template; empty: examples are without it */
  example: z.string(),
})
export type MailVariable = z.infer<typeof MailVariable>

const words = {
  subject: z.string().trim().min(1).max(mailTemplateLimits.subjectLengthMax),
  /**
   * Paragraphs, `# ` headings, `- ` lists, `**bold**`, `---`, `[text](https://…)`, which is a button on a line of its own.
   * `{{name}}` shows a variable, `{{#name}}…{{/name}}` is for when it is there, `{{^name}}…{{/name}}` for when it is not.
   */
  body: z
    .string()
    .max(mailTemplateLimits.bodyLengthMax)
    .refine((text) => text.trim() !== '', 'required'),
}

/** What an administrator enters. */
export const MailTemplateWords = z.object(words)
export type MailTemplateWords = z.infer<typeof MailTemplateWords>

const Words = z.object({ subject: z.string(), body: z.string() })

export const MailTemplate = Words.extend({
  ...MailTemplateSummary.omit({ words: true }).shape,
  ...Origin.shape,
  language: MailLanguage,
  variables: z.array(MailVariable),
  /** what counts without a template of the account */
  inherited: Words,
  /** 0: the account has none of its own */
  version: z.int().min(0),
  updatedAt: Time.nullable(),
})
export type MailTemplate = z.infer<typeof MailTemplate>

/** What is wrong with a template; see the texts of the console. */
export const mailTemplateFaults = [
  'syntax',
  'tag',
  'unknown',
  'flag',
  'link',
  'nesting',
  'missing',
  'hidden',
  'large',
] as const

export const MailTemplateFault = z.object({
  field: z.enum(['subject', 'body']),
  code: z.enum(mailTemplateFaults),
  /** of the variable; null: none is meant */
  name: z.string().nullable(),
  /** from 1; null: the field as a whole */
  line: z.int().nullable(),
  column: z.int().nullable(),
})
export type MailTemplateFault = z.infer<typeof MailTemplateFault>

const which = { accountId: Id, language: MailLanguage.default('de') }
const manage = may('all', 'manage')
const tags = ['mail']

/** The words of the mails that the platform sends, by account and language; accounts below inherit them. */
export const mailTemplate = {
  /** All kinds of mails. @throws TENANT_NOT_FOUND */
  list: operation
    .meta({ rule: manage })
    .route({ method: 'GET', path: '/mail/templates', tags, summary: 'Email templates' })
    .input(z.object({ accountId: Id }))
    .output(z.object({ items: z.array(MailTemplateSummary) })),
  /** @throws TENANT_NOT_FOUND, MAIL_TEMPLATE_NOT_FOUND */
  get: operation
    .meta({ rule: manage })
    .route({ method: 'GET', path: '/mail/template/{id}', tags, summary: 'An email template' })
    .input(z.object({ id: MailKindId, ...which }))
    .output(MailTemplate),
  /** @throws TENANT_NOT_FOUND, MAIL_TEMPLATE_NOT_FOUND, MAIL_TEMPLATE_INVALID, MAIL_TEMPLATE_FIXED, VERSION_CONFLICT */
  save: operation
    .meta({ rule: manage })
    .route({ method: 'PUT', path: '/mail/template/{id}', tags, summary: 'Set an email template' })
    .input(z.object({ id: MailKindId, ...which, version: z.int().min(0).max(2_147_483_646), ...words }))
    .output(MailTemplate),
  /** Takes the account's words back: the inherited ones count. @throws TENANT_NOT_FOUND, MAIL_TEMPLATE_NOT_FOUND */
  reset: operation
    .meta({ rule: manage })
    .route({ method: 'DELETE', path: '/mail/template/{id}', tags, summary: 'Reset an email template' })
    .input(z.object({ id: MailKindId, ...which }))
    .output(MailTemplate),
  /**
   * How a mail would look in these words, with examples for what is in it. HTML and text are null while something is
   * wrong with them. @throws TENANT_NOT_FOUND, MAIL_TEMPLATE_NOT_FOUND
   */
  render: operation
    .meta({ rule: manage })
    .route({ method: 'POST', path: '/mail/template/render', tags, summary: 'Preview an email template' })
    .input(
      z.object({
        id: MailKindId,
        ...which,
        subject: z.string().max(mailTemplateLimits.subjectLengthMax),
        body: z.string().max(mailTemplateLimits.bodyLengthMax),
      }),
    )
    .output(
      z.object({
        faults: z.array(MailTemplateFault),
        mail: z.object({ subject: z.string(), html: z.string(), text: z.string() }).nullable(),
        /** `real`: what is in it is the newest of the account, e.g. its newest alarm */
        data: z.enum(['example', 'real']),
      }),
    ),
  /**
   * Sends the caller a mail in these words, with examples for what is in it. A few per minute.
   * @throws TENANT_NOT_FOUND, MAIL_TEMPLATE_NOT_FOUND, MAIL_TEMPLATE_INVALID, TOO_MANY_REQUESTS, MAIL_NO_SERVER,
   * MAIL_TRANSPORT_INVALID, MAIL_NO_SENDER
   */
  test: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({ method: 'POST', path: '/mail/template/{id}/test', tags, summary: 'Send a test mail' })
    .input(z.object({ id: MailKindId, ...which, ...words }))
    .output(z.object({ sentTo: z.string() })),
}
