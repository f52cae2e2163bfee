import type { PasswordPolicy } from '@leitstand/contract'
import type { ErrorCode } from '@leitstand/contract/errors'
import { isGuessable, isOwnName } from '@leitstand/contract/passwords'

/** The server's error code for each rule. */
const codes: Record<PasswordRule, ErrorCode> = {
  minLength: 'USER_PASSWORD_MINLENGTH',
  upperAndLower: 'USER_PASSWORD_UPPERANDLOWERCASE',
  numbers: 'USER_PASSWORD_NUMBERS',
  special: 'USER_PASSWORD_SPECIALCHARACTERS',
  notOwn: 'USER_PASSWORD_COMMON',
  notCommon: 'USER_PASSWORD_COMMON',
}

export type PasswordRule = 'minLength' | 'upperAndLower' | 'numbers' | 'special' | 'notOwn' | 'notCommon'

/** Password rules and the user's own data, which a password must not contain. */
export type PasswordRules = PasswordPolicy & { own: readonly string[] }

/**
 * The rules of a policy and whether a password meets them, counted as the server does. On saving, the server
 * also checks a long list of leaked passwords.
 */
export function rulesOf(policy: PasswordRules, password: string): { rule: PasswordRule; met: boolean }[] {
  const text = password.normalize('NFKC')
  return [
    { rule: 'minLength' as const, met: [...text].length >= policy.minLength, on: true },
    {
      rule: 'upperAndLower' as const,
      met: /\p{Lu}/u.test(text) && /\p{Ll}/u.test(text),
      on: policy.upperAndLower,
    },
    { rule: 'numbers' as const, met: /\p{Nd}/u.test(text), on: policy.numbers },
    { rule: 'special' as const, met: /[^\p{L}\p{N}\s]/u.test(text), on: policy.special },
    { rule: 'notOwn' as const, met: text !== '' && !isOwnName(text, policy.own), on: policy.own.length > 0 },
    { rule: 'notCommon' as const, met: text !== '' && !isGuessable(text, policy.own), on: true },
  ].flatMap(({ rule, met, on }) => (on ? [{ rule, met }] : []))
}

/** Text keys of the faults of a new password and its repetition. */
export function passwordFaults(
  policy: PasswordRules | undefined,
  { newPassword, repeated }: { newPassword: string; repeated: string },
): Partial<Record<'newPassword' | 'repeated', string>> {
  const broken = policy && rulesOf(policy, newPassword).find(({ met }) => !met)
  return {
    ...(newPassword === ''
      ? { newPassword: 'validation.required' }
      : broken
        ? { newPassword: `errors.${codes[broken.rule]}` }
        : {}),
    ...(repeated === newPassword
      ? {}
      : { repeated: repeated === '' ? 'validation.required' : 'password.differs' }),
  }
}

/** Texts instead of their keys. */
export const translated = (keys: Readonly<Record<string, string>>, t: (key: string) => string) =>
  Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, t(key)]))
