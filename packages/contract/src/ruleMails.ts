import * as z from 'zod'
import { operation, Time } from './common.ts'

/**
 * Consent of a recipient to mails of rules; users of the account need not be asked and count as confirmed.
 */
export const recipientStates = ['confirmed', 'unconfirmed', 'declined'] as const

export const RuleRecipient = z.object({
  address: z.string(),
  state: z.enum(recipientStates),
  /** when the address was asked last */
  askedAt: Time.nullable(),
})
export type RuleRecipient = z.infer<typeof RuleRecipient>

const Token = z.string().min(1).max(200)

/** The question behind the link in a mail. */
export const RecipientQuestion = z.object({
  address: z.string(),
  /** the account whose rules want to send mails */
  accountName: z.string(),
  state: z.enum(recipientStates),
  /** false: the link can only stop mails */
  mayAccept: z.boolean(),
})
export type RecipientQuestion = z.infer<typeof RecipientQuestion>

/** For external recipients of mails from rules; the token of a mail replaces signing in. */
export const ruleMail = {
  question: operation
    .meta({ rule: 'public', guessed: true })
    .route({ method: 'GET', path: '/rule-mail', tags: ['rules'], summary: 'What a mail of a rule asks' })
    .input(z.object({ token: Token }))
    .output(RecipientQuestion),
  /** Allows or stops mails from the rules of an account. Reading the question changes nothing. */
  answer: operation
    .meta({ rule: 'public', guessed: true })
    .route({
      method: 'POST',
      path: '/rule-mail',
      tags: ['rules'],
      summary: 'Allow or end mails of rules',
    })
    .input(z.object({ token: Token, accept: z.boolean() }))
    .output(RecipientQuestion),
}
