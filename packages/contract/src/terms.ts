import * as z from 'zod'
import { Id, operation, Time } from './common.ts'

/** Terms of use of an account, its own or inherited. */
export const Terms = z.object({
  /** plain text with headings (`#`), lists and emphasis as in Markdown; null: there are none */
  text: z.string().nullable(),
  /** the account they belong to; null without terms, and when the caller cannot see that account */
  accountId: Id.nullable(),
  accountName: z.string(),
  /** terms accepted before this time must be accepted again */
  since: Time.nullable(),
  /** changes with the text */
  revision: z.string(),
})
export type Terms = z.infer<typeof Terms>

/** Public terms, readable before signing in. */
export const termsOfDomain = {
  /** Of the account a domain is mapped to, else of the topmost one. */
  ofDomain: operation
    .meta({ rule: 'public' })
    .route({ method: 'GET', path: '/theming/terms', tags: ['theming'], summary: 'Terms of a domain' })
    .input(z.object({ domain: z.string().max(255).default('') }))
    .output(Terms.pick({ text: true, since: true, revision: true })),
}

/** Terms of an account. */
export const termsOfAccount = {
  /** Terms of an account that the caller sees, or of the caller's own. */
  ofAccount: operation
    .meta({ rule: 'session' })
    .route({ method: 'GET', path: '/tenant/{id}/terms', tags: ['accounts'], summary: 'Terms of an account' })
    .input(z.object({ id: Id }))
    .output(Terms),
}

/** The signed-in user's consent to the terms. */
export const ownConsent = {
  /**
   * Accepts the terms of the caller's account: the time is stored in `properties.eula.accepted`. `revision`
   * is that of the text that was read; another one is answered with `VERSION_CONFLICT`. Not available while
   * acting as another user.
   */
  acceptTerms: operation
    .meta({ rule: 'session' })
    .route({ method: 'POST', path: '/user/own/eula', tags: ['users'], summary: 'Accept the terms of use' })
    .input(z.object({ revision: z.string().min(1).max(100) }))
    .output(z.object({ accepted: Time })),
}
