import type { PasswordPolicy } from '@leitstand/contract'
import { isGuessable, isOwnName } from '@leitstand/contract/passwords'

export type PasswordRule = 'minLength' | 'upperAndLower' | 'numbers' | 'special' | 'notOwn' | 'notCommon'

/** Rules for passwords, and what is known of the person. */
export type PasswordRules = PasswordPolicy & { own: readonly string[] }

/**
 * The rules of a policy and whether a password meets them, as the server counts; it also knows a long list of leaked
 * passwords that it looks at when one is saved.
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
