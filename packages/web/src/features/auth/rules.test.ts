import { expect, test } from 'vitest'
import { rulesOf } from './rules.ts'

const least = { minLength: 8, upperAndLower: false, numbers: false, special: false }
const strict = { minLength: 10, upperAndLower: true, numbers: true, special: true }
const met = (policy: typeof least, password: string) =>
  rulesOf(policy, password).flatMap(({ rule, met: isMet }) => (isMet ? [rule] : []))

test('only the rules of the policy are shown', () => {
  expect(rulesOf(least, '')).toEqual([{ rule: 'minLength', met: false }])
  expect(rulesOf(strict, '')).toHaveLength(4)
})

test('each rule is met by what it names', () => {
  expect(met(least, 'ünïcödé!')).toEqual(['minLength'])
  expect(met(strict, 'Ää')).toEqual(['upperAndLower'])
  expect(met(strict, '7')).toEqual(['numbers'])
  expect(met(strict, '€')).toEqual(['special'])
  expect(met(strict, ' ')).toEqual([])
})
