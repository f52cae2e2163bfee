import { isIP } from 'node:net'
import { canonicalDomain, Domain } from '@leitstand/contract/domains'

/**
 * Whether a name belongs to the installation and to no account: the host of its public address, names of the machine
 * itself, IP addresses. What is shown under these names is decided by the topmost account.
 * @param domain in its canonical form
 */
export function isReserved(publicUrl: string, domain: string): boolean {
  return (
    domain === canonicalDomain(new URL(publicUrl).hostname) ||
    domain === 'localhost' ||
    domain.endsWith('.localhost') ||
    domain === 'localhost.localdomain' ||
    isIP(domain) !== 0 ||
    /^[\d.]+$/.test(domain)
  )
}

/**
 * The domain that a host may mean, as a browser or a request names it: with or without port, in any case.
 * @returns null for what is no domain, and for what no account can have
 */
export function domainOfHost(publicUrl: string, host: string): string | null {
  const domain = Domain.safeParse(host.replace(/:\d*$/, ''))
  if (!domain.success || isReserved(publicUrl, domain.data)) return null
  return domain.data
}

/** A name without a dot (`leitstand`) means something in the own network only. */
export function isAsked(domain: string): boolean {
  return domain.includes('.')
}
