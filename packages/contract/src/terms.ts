import * as z from 'zod'
import { Id, operation, Time } from './common.ts'

/** Terms of use as an account has them, of its own or from above. */
export const Terms = z.object({
  /** plain text with headings (`#`), lists and emphasis as in Markdown; null: there are none */
  text: z.string().nullable(),
  /** whose terms these are; null without terms, and when the caller does not see that account */
  accountId: Id.nullable(),
  accountName: z.string(),
  /** accepted before this time they have to be accepted again */
  since: Time.nullable(),
  /** changes with the text */
  revision: z.string(),
})
export type Terms = z.infer<typeof Terms>

/** Terms as everybody may read them before signing in. */
export const termsOfDomain = {
  /** Of the account a domain is mapped to, else of the topmost one. */
  terms: operation
    .meta({ rule: 'public' })
    .route({ method: 'GET', path: '/theming/terms', tags: ['theming'], summary: 'Terms of a domain' })
    .input(z.object({ domain: z.string().max(255).default('') }))
    .output(Terms.pick({ text: true, since: true, revision: true })),
}

/** Terms of an account. */
export const termsOfAccount = {
  /** Of an account the caller sees, or his own. */
  terms: operation
    .meta({ rule: 'session' })
    .route({ method: 'GET', path: '/tenant/{id}/terms', tags: ['accounts'], summary: 'Terms of an account' })
    .input(z.object({ id: Id }))
    .output(Terms),
}

/** What the signed-in user says to the terms. */
export const ownConsent = {
  /**
   * Accepts the terms of the own account: `properties.eula.accepted` holds when. `revision` is that of the text which
   * was read; another one is answered with `VERSION_CONFLICT`. Closed to those who only act as this user.
   */
  acceptTerms: operation
    .meta({ rule: 'session' })
    .route({ method: 'POST', path: '/user/own/eula', tags: ['users'], summary: 'Accept the terms of use' })
    .input(z.object({ revision: z.string().min(1).max(100) }))
    .output(z.object({ accepted: Time })),
}
