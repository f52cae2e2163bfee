import { isWebAddress } from '@leitstand/contract/common'

/**
 * What makes a link to a page elsewhere, for addresses that people have entered.
 * @returns undefined for everything that is no address of the web, which is then no link
 */
export function webLink(address: string | null | undefined) {
  if (!address || !isWebAddress(address)) return undefined
  return { href: address, target: '_blank', rel: 'noopener noreferrer' } as const
}
