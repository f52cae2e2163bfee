import { isWebAddress } from '@leitstand/contract/common'

/**
 * Link attributes for an external address that a user has entered.
 * @returns undefined for anything that is not a web address
 */
export function webLink(address: string | null | undefined) {
  if (!address || !isWebAddress(address)) return undefined
  return { href: address, target: '_blank', rel: 'noopener noreferrer' } as const
}
