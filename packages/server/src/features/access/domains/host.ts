import { isIP } from 'node:net'
import { canonicalDomain } from '@leitstand/contract/domains'

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
 * @returns null when no account can have it
 */
export function domainOfHost(publicUrl: string, host: string): string | null {
  if (host === '' || host.includes('[')) return null
  const domain = canonicalDomain(host.replace(/:\d*$/, ''))
  return isReserved(publicUrl, domain) ? null : domain
}

/** A name without a dot (`leitstand`) means something in the own network only. */
export function isAsked(domain: string): boolean {
  return domain.includes('.')
}
