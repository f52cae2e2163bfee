import type { ErrorCode } from '@leitstand/contract/errors'
import type { PasswordPolicy } from '@leitstand/contract/signin'
import { isCommon } from './common.ts'

/** The minimum, where no account requires more. */
export const leastPolicy: PasswordPolicy = {
  minLength: 8,
  upperAndLower: false,
  numbers: false,
  special: false,
}

/**
 * The rule a password violates, as an error code; null when it is valid.
 * @param own what is known about the user and must not be the password
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
