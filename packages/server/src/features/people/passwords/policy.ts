import type { ErrorCode } from '@leitstand/contract/errors'
import type { PasswordPolicy } from '@leitstand/contract/signin'
import { isCommon } from './common.ts'

/** What holds where no account says more. */
export const leastPolicy: PasswordPolicy = {
  minLength: 8,
  upperAndLower: false,
  numbers: false,
  special: false,
}

/**
 * What a password lacks, as a code of the catalogue; null when it is good.
 * @param own what is known of the person and is no password
 */
export function passwordFault(
  password: string,
  policy: PasswordPolicy,
  own: readonly string[],
): ErrorCode | null {
  const text = password.normalize('NFKC')
  if (text.length === 0) return 'USER_PASSWORD_REQUIRED'
  if ([...text].length < policy.minLength) return 'USER_PASSWORD_MINLENGTH'
  if (policy.upperAndLower && !(/\p{Lu}/u.test(text) && /\p{Ll}/u.test(text)))
    return 'USER_PASSWORD_UPPERANDLOWERCASE'
  if (policy.numbers && !/\p{Nd}/u.test(text)) return 'USER_PASSWORD_NUMBERS'
  if (policy.special && !/[^\p{L}\p{N}\s]/u.test(text)) return 'USER_PASSWORD_SPECIALCHARACTERS'
  return isCommon(password, own) ? 'USER_PASSWORD_COMMON' : null
}
