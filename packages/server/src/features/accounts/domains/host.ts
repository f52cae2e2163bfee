import { isIP } from 'node:net'
import { canonicalDomain, Domain } from '@leitstand/contract/domains'

/**
 * Whether a name belongs to the installation and not to an account: the host of its public address, names of
 * the machine itself, IP addresses. The topmost account decides what is shown under these names.
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
 * The domain of a host name as sent by a browser, with or without port, in any letter case.
 * @returns null for hosts that are not domains and for names no account can have
 */
export function domainOfHost(publicUrl: string, host: string): string | null {
  const domain = Domain.safeParse(host.replace(/:\d*$/, ''))
  if (!domain.success || isReserved(publicUrl, domain.data)) return null
  return domain.data
}

/** Whether to look a name up in the DNS: one without a dot (`leitstand`) exists only in the local network. */
export function isAsked(domain: string): boolean {
  return domain.includes('.')
}
