import * as z from 'zod'

/** The terms of use that apply to an account. */
export interface EffectiveTerms {
  text: string
  /** the account the terms come from */
  accountId: number
  accountName: string
  scopeId: number
  /** the latest request to accept them again, by this account or one in between */
  since: Date | null
  revision: string
}

/** The consent stored in a user's properties. */
const Consent = z.object({ eula: z.object({ accepted: z.iso.datetime(), accountId: z.int() }) })

export interface TermsRow {
  id: number
  name: string
  scopeId: number
  terms: string | null
  revision: string
  consentSince: Date | null
}

/**
 * The terms that apply to an account: its own, otherwise those of the nearest one above. Null when there are
 * none.
 * @param path the account and those above it, nearest first
 */
export function effectiveTerms(path: readonly TermsRow[]): EffectiveTerms | null {
  const at = path.findIndex(({ terms }) => terms !== null && terms.trim() !== '')
  const owner = path[at]
  if (!owner || owner.terms === null) return null
  const asked = path.slice(0, at + 1).flatMap(({ consentSince }) => (consentSince ? [consentSince] : []))
  const since = asked.reduce<Date | null>((last, one) => (last && last >= one ? last : one), null)
  const { id: accountId, name: accountName, scopeId, terms: text, revision } = owner
  return { text, accountId, accountName, scopeId, since, revision }
}

/**
 * Whether a user still has to accept the terms: accepted none, different ones, or before they were renewed.
 */
export function needsConsent(properties: unknown, terms: EffectiveTerms | null): boolean {
  if (terms === null) return false
  const said = Consent.safeParse(properties)
  if (!said.success) return true
  const { accepted, accountId } = said.data.eula
  return accountId !== terms.accountId || (terms.since !== null && new Date(accepted) < terms.since)
}

/** New properties of a user with the old consent, so that editing a user cannot accept the terms. */
export function keepConsent(properties: object, before: unknown): object {
  const { eula: _claimed, ...rest } = properties as Record<string, unknown>
  const { eula } = (before ?? {}) as Record<string, unknown>
  return eula === undefined ? rest : { ...rest, eula }
}
