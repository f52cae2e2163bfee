import * as z from 'zod'
import { Done, Id, operation, Time } from './common.ts'
import { may } from './permissions.ts'

/** Maximum domains claimed by an account. */
export const domainsMax = 50

/**
 * Days a domain stays valid after its proof was last found; domains from before proofs existed get the longer
 * time.
 */
export const domainGraceDays = { proven: 14, earlier: 60 } as const

/**
 * The canonical form in which host names are stored and compared: lower case, international names in
 * punycode, without a trailing dot. A text that is not a host name is returned unchanged, for the schema to
 * refuse.
 */
export function canonicalDomain(text: string): string {
  const name = text.trim().toLowerCase().replace(/\.$/, '')
  if (/[\s/:@?#\\[\]%]/.test(name)) return name
  return URL.parse(`http://${name}`)?.hostname ?? name
}

/** Host name without port; also `Bücher.example` or `IOT.Example.org.`, which become their canonical form. */
export const Domain = z
  .string()
  .max(253)
  .overwrite(canonicalDomain)
  .max(253)
  .regex(/^([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/)

/** How a domain can be proven. */
export const domainProofs = ['dns', 'file'] as const
export const DomainProof = z.enum(domainProofs)
export type DomainProof = z.infer<typeof DomainProof>

/**
 * Result of a check. `missing`: the DNS or the web server responded without the proof; `different`: another
 * value was found; `unanswered`: no response, or no valid one.
 */
export const ProofResult = z.enum(['found', 'missing', 'different', 'unanswered'])
export type ProofResult = z.infer<typeof ProofResult>

/**
 * `waiting`: claimed, not valid yet; `proven`: valid; `failing`: still valid, though the last check did not
 * find its proof; `lapsed`: was proven once, no longer valid.
 */
export const DomainState = z.enum(['waiting', 'proven', 'failing', 'lapsed'])
export type DomainState = z.infer<typeof DomainState>

/** A domain an account claims, and how to prove it: either way is enough. */
export const AccountDomain = z.object({
  domain: z.string(),
  state: DomainState,
  /** how it was proven; null: not yet, or mapped before domains had to be proven */
  method: DomainProof.nullable(),
  claimedAt: Time,
  provenAt: Time.nullable(),
  /** when it stops being valid unless the proof is found again; only while `failing` */
  lapsesAt: Time.nullable(),
  /** the last check, and its results for both methods; null before the first */
  checked: z.object({ at: Time, dns: ProofResult, file: ProofResult }).nullable(),
  /** a TXT record with this name and value */
  record: z.object({ name: z.string(), value: z.string() }),
  /** a file at this address with exactly this content */
  file: z.object({ url: z.string(), content: z.string() }),
})
export type AccountDomain = z.infer<typeof AccountDomain>

const manageAll = may('all', 'manage')

/**
 * Domains under which the console shows an account's own terms and sign-in buttons. They are valid once
 * proven. Several accounts may claim the same domain; at most one has proven it.
 */
export const domains = {
  listDomains: operation
    .meta({ rule: manageAll })
    .route({
      method: 'GET',
      path: '/tenant/{id}/domains',
      tags: ['accounts'],
      summary: 'Domains of an account, and how to prove them',
    })
    .input(z.object({ id: Id }))
    .output(z.object({ items: z.array(AccountDomain) })),
  /**
   * Refused with `TENANT_DOMAIN_RESERVED` for the host of the installation, local host names and IP
   * addresses, and with `TENANT_DOMAIN_UNKNOWN` if the DNS does not know the domain. The latter can be
   * overridden: in a private network the server may not resolve the names that browsers do. Names without a
   * dot are not looked up.
   */
  claimDomain: operation
    .meta({ rule: manageAll, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/tenant/{id}/domains',
      tags: ['accounts'],
      summary: 'Claim a domain',
      successStatus: 201,
    })
    .input(z.object({ id: Id, domain: Domain, acceptUnknown: z.boolean().default(false) }))
    .output(AccountDomain),
  /**
   * Checks the proof now; the results are in `checked`. `TENANT_DOMAIN_EXISTS` if the proof was found, but
   * another account proves the domain at the same time.
   */
  checkDomain: operation
    .meta({ rule: manageAll, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/tenant/{id}/domains/{domain}/check',
      tags: ['accounts'],
      summary: 'Look for the proof of a domain',
    })
    .input(z.object({ id: Id, domain: Domain }))
    .output(AccountDomain),
  releaseDomain: operation
    .meta({ rule: manageAll })
    .route({
      method: 'DELETE',
      path: '/tenant/{id}/domains/{domain}',
      tags: ['accounts'],
      summary: 'Give up a domain',
    })
    .input(z.object({ id: Id, domain: Domain }))
    .output(Done),
}
