import * as z from 'zod'
import { Done, Id, operation, Time } from './common.ts'
import { may } from './permissions.ts'

/** Domains an account may claim at the same time. */
export const domainsMax = 50

/** Days a domain goes on counting after its proof was not found any more; those from before proofs have the longer time. */
export const domainGraceDays = { proven: 14, earlier: 60 } as const

/**
 * A host name in the one form in which it is stored and compared: lower case, international names in punycode, without
 * the dot at the end. What is no host name comes back as it is, for the schema to refuse.
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
 * What a look for a proof found. `missing`: the DNS or the web server answered, and it is not there; `different`:
 * something else is there; `unanswered`: nobody answered, or not in a way that counts.
 */
export const ProofResult = z.enum(['found', 'missing', 'different', 'unanswered'])
export type ProofResult = z.infer<typeof ProofResult>

/**
 * `waiting`: claimed, counts for nothing yet; `proven`: counts; `failing`: still counts, though its proof was not found
 * the last time; `lapsed`: was proven once, counts for nothing any more.
 */
export const DomainState = z.enum(['waiting', 'proven', 'failing', 'lapsed'])
export type DomainState = z.infer<typeof DomainState>

/** A domain an account claims, and how to prove it: one of the two is enough. */
export const AccountDomain = z.object({
  domain: z.string(),
  state: DomainState,
  /** by which way it was proven; null: not yet, or mapped before domains had to be proven */
  method: DomainProof.nullable(),
  claimedAt: Time,
  provenAt: Time.nullable(),
  /** when it stops to count unless the proof is found again; only while `failing` */
  lapsesAt: Time.nullable(),
  /** the last look, and what it found on both ways; null before the first */
  checked: z.object({ at: Time, dns: ProofResult, file: ProofResult }).nullable(),
  /** a TXT record with this name and value */
  record: z.object({ name: z.string(), value: z.string() }),
  /** a file at this address with this content, without anything around it */
  file: z.object({ url: z.string(), content: z.string() }),
})
export type AccountDomain = z.infer<typeof AccountDomain>

const manageAll = may('all', 'manage')

/**
 * Domains under which the console shows itself as that of an account: its terms, its buttons to sign in. They count once
 * they are proven. Several accounts may claim the same domain; one at most has proven it.
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
   * Refused with `TENANT_DOMAIN_RESERVED` for the host of the installation, names of the machine itself and IP addresses,
   * and with `TENANT_DOMAIN_UNKNOWN` where the DNS does not know the domain, unless that is accepted: in a network of
   * one's own the server may not know what browsers do. Names without a dot are not asked for.
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
   * Looks for the proof now. What was found stands in `checked`. Found, but another account proves the domain at this
   * moment as well: `TENANT_DOMAIN_EXISTS`.
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
