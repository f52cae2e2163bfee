import { domainGraceDays } from '@leitstand/contract/domains'
import { type Look, methodOf } from './proof.ts'
import type { Claim, ClaimChange } from './store.ts'

const dayMs = 86_400_000

/** What happened to a claim; `null`: nothing that anybody has to hear of. */
export type ClaimEvent = 'proven' | 'failing' | 'restored' | 'lapsed' | null

/** How the activity log calls it. */
export const actionOf: Readonly<Record<Exclude<ClaimEvent, null>, string>> = {
  proven: 'proveDomain',
  failing: 'missDomainProof',
  restored: 'findDomainProof',
  lapsed: 'lapseDomain',
}

/** When a proven claim stops to count unless its proof is found again; null while it is found. */
export function lapsesAt({ method, failingSince }: Pick<Claim, 'method' | 'failingSince'>): Date | null {
  if (failingSince === null) return null
  const days = method === null ? domainGraceDays.earlier : domainGraceDays.proven
  return new Date(failingSince.getTime() + days * dayMs)
}

/** What a look at the proof of a claim makes of it. Whether it may be proven beside the claims of others is not asked here. */
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

/** A claim that counts no more. */
export function lapsed({ method }: Pick<Claim, 'method'>, now: Date): ClaimChange {
  return {
    provenAt: null,
    method: method === 'dns' || method === 'file' ? method : null,
    failingSince: null,
    lapsedAt: now,
  }
}
