import * as z from 'zod'
import { limits } from '../../common.ts'
import type { RuleAction } from '../actions.ts'
import { Alias } from '../operand.ts'

/** Maximum mails that one rule sends at once, and their recipients in total. */
export const ruleMailLimits = { mailsMax: 5, recipientsMax: 100, addressLengthMax: 200 } as const

/** As the addresses of users: without a dot, too (`admin@localhost`). */
export const RecipientAddress = z.email({ pattern: z.regexes.html5Email })

/** Charts of metrics in a mail, and the hours before the evaluation that they show. */
export const mailChartLimits = { metricsMax: 3, hoursMax: 744 } as const

export const MailCharts = z.object({
  metrics: z.array(Alias).min(1).max(mailChartLimits.metricsMax),
  hours: z.int().min(1).max(mailChartLimits.hoursMax),
})

/** Texts may contain `{{alias}}`, `{{twin.title}}`, `{{rule.title}}` and `{{time}}`. */
export const EmailAction = z.object({
  kind: z.literal('email'),
  recipients: z.array(RecipientAddress).min(1).max(50),
  subject: z.string().trim().min(1).max(200),
  body: z.string().max(limits.textLengthMax),
  /** absent: none */
  charts: MailCharts.optional(),
})
export type EmailAction = z.infer<typeof EmailAction>

/**
 * What became of the mail to a recipient. Handed to the mailer: `sent`; `queued`: not sent yet; `failed`: the mail server
 * refused it until the last attempt; `kept`: there is no mail server; `deleted`: unknown, the mail was deleted
 * because of its age. Never written: the recipient `declined` or has not confirmed, or a limit held it back.
 */
export const mailOutcomes = [
  'sent',
  // and perhaps arrived twice
  'repeated',
  'queued',
  'failed',
  // not known whether it has arrived
  'uncertain',
  'kept',
  'deleted',
  'declined',
  'unconfirmed',
  'ruleLimit',
  'accountLimit',
  'recipientLimit',
] as const

export const MailOutcome = z.object({
  address: z.string(),
  outcome: z.enum(mailOutcomes),
  /** reply of the mail server, for users who may read the account's mails */
  reason: z.string().nullable(),
})
export type MailOutcome = z.infer<typeof MailOutcome>

/** A problem with all mails of a rule together; null: none. */
export function mailsFault(actions: readonly RuleAction[]): string | null {
  const mails = actions.filter((action) => action.kind === 'email')
  const reminded = actions.flatMap((action) =>
    action.kind === 'alarm' ? (action.escalation?.steps ?? []) : [],
  )
  const addresses = new Set([...mails, ...reminded].flatMap(({ recipients }) => recipients))
  if (mails.length > ruleMailLimits.mailsMax) return 'too many mails'
  if (addresses.size > ruleMailLimits.recipientsMax) return 'too many recipients'
  const isLong = [...addresses].some((address) => address.length > ruleMailLimits.addressLengthMax)
  return isLong ? 'an address is too long' : null
}
