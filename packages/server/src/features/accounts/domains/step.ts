import { domainGraceDays } from '@leitstand/contract/domains'
import { type Look, methodOf } from './proof.ts'
import type { Claim, ClaimChange } from './store.ts'

const dayMs = 86_400_000

/** What happened to a claim; `null`: nothing worth reporting. */
export type ClaimEvent = 'proven' | 'failing' | 'restored' | 'lapsed' | null

/** The action in the activity log. */
export const actionOf: Readonly<Record<Exclude<ClaimEvent, null>, string>> = {
  proven: 'proveDomain',
  failing: 'missDomainProof',
  restored: 'findDomainProof',
  lapsed: 'lapseDomain',
}

/** When a proven claim lapses unless its proof is found again; null while it is found. */
export function lapsesAt({ method, failingSince }: Pick<Claim, 'method' | 'failingSince'>): Date | null {
  if (failingSince === null) return null
  const days = method === null ? domainGraceDays.earlier : domainGraceDays.proven
  return new Date(failingSince.getTime() + days * dayMs)
}

/** The change of a claim after a check of its proof. Does not consider claims of other accounts. */
export function afterLook(claim: Claim, found: Look, now: Date): { change: ClaimChange; event: ClaimEvent } {
  const method = methodOf(found)
  if (method !== null) {
    const event = claim.provenAt === null ? 'proven' : claim.failingSince === null ? null : 'restored'
    return {
      change: { provenAt: claim.provenAt ?? now, method, failingSince: null, lapsedAt: null },
      event,
    }
  }
  const kept = claim.method === 'dns' || claim.method === 'file' ? claim.method : null
  if (claim.provenAt === null)
    return {
      change: { provenAt: null, method: kept, failingSince: null, lapsedAt: claim.lapsedAt },
      event: null,
    }
  const end = lapsesAt(claim)
  if (end !== null && end <= now) return { change: lapsed(claim, now), event: 'lapsed' }
  return {
    change: {
      provenAt: claim.provenAt,
      method: kept,
      failingSince: claim.failingSince ?? now,
      lapsedAt: null,
    },
    event: claim.failingSince === null ? 'failing' : null,
  }
}

/** The change that lets a claim lapse. */
export function lapsed({ method }: Pick<Claim, 'method'>, now: Date): ClaimChange {
  return {
    provenAt: null,
    method: method === 'dns' || method === 'file' ? method : null,
    failingSince: null,
    lapsedAt: now,
  }
}
