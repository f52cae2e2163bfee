import type { PasswordPolicy } from '@leitstand/contract'

export type PasswordRule = 'minLength' | 'upperAndLower' | 'numbers' | 'special'

/** The rules of a policy and whether a password meets them, as the server counts. */
export function rulesOf(policy: PasswordPolicy, password: string): { rule: PasswordRule; met: boolean }[] {
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
  ].flatMap(({ rule, met, on }) => (on ? [{ rule, met }] : []))
}
