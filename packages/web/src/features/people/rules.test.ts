import { expect, test } from 'vitest'
import { rulesOf } from './rules.ts'

const least = { minLength: 8, upperAndLower: false, numbers: false, special: false, own: [] as string[] }
const strict = { minLength: 10, upperAndLower: true, numbers: true, special: true, own: ['maria'] }
const met = (policy: typeof least, password: string) =>
  rulesOf(policy, password).flatMap(({ rule, met: isMet }) => (isMet ? [rule] : []))

test('only the rules of the policy are shown', () => {
  expect(rulesOf(least, '')).toEqual([
    { rule: 'minLength', met: false },
    { rule: 'notCommon', met: false },
  ])
  expect(rulesOf(strict, '')).toHaveLength(6)
})

test('each rule is met by what it names', () => {
  expect(met(least, 'ünïcödé!')).toEqual(['minLength', 'notCommon'])
  expect(met(strict, 'Ää')).toEqual(['upperAndLower', 'notOwn'])
  expect(met(strict, '7')).toEqual(['numbers', 'notOwn'])
  expect(met(strict, '€')).toEqual(['special', 'notOwn'])
  expect(met(strict, ' ')).toEqual(['notOwn'])
})

test('the own name and what everybody tries first are seen while typing', () => {
  expect(met(strict, 'Maria-2026')).toEqual(['minLength', 'upperAndLower', 'numbers', 'special'])
  expect(met(least, 'Passw0rt123!')).toEqual(['minLength'])
  expect(met(least, 'four grey herons')).toEqual(['minLength', 'notCommon'])
})
