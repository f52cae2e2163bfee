import fc from 'fast-check'
import { expect, test } from 'vitest'
import { passwordFaults, rulesOf } from './rules.ts'

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

test.each([
  ['1234567', false],
  ['12345678', true],
  ['ÄÖÜäöüß€', true],
  ['🔑🔑🔑🔑', false],
  ['🔑🔑🔑🔑🔑🔑🔑🔑', true],
  ['e\u0301e\u0301e\u0301e\u0301', false],
])('%s is long enough: %s', (password, long) => {
  expect(met(least, password).includes('minLength')).toBe(long)
})

test('what is met while typing stays met, apart from being easy to guess', () => {
  const growing = ['minLength', 'upperAndLower', 'numbers', 'special']
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'B', '7', '!', ' ', 'ß'), maxLength: 12 }),
      fc.constantFrom('x', 'Y', '1', '?'),
      (text, next) => {
        const before = met(strict, text).filter((rule) => growing.includes(rule))
        const after = met(strict, text + next)
        for (const rule of before) expect(after).toContain(rule)
      },
    ),
  )
})

test('nothing is met by nothing', () => {
  expect(met({ ...strict, own: [] }, '')).toEqual([])
})

test.each([
  ['', '', { newPassword: 'validation.required' }],
  ['kurz', '', { newPassword: 'errors.USER_PASSWORD_MINLENGTH', repeated: 'validation.required' }],
  ['Graue Reiher 4!', 'Graue Reiher', { repeated: 'password.differs' }],
  ['graue reiher 4!', 'graue reiher 4!', { newPassword: 'errors.USER_PASSWORD_UPPERANDLOWERCASE' }],
  ['Graue Reiher!', 'Graue Reiher!', { newPassword: 'errors.USER_PASSWORD_NUMBERS' }],
  ['Graue Reiher 4', 'Graue Reiher 4', { newPassword: 'errors.USER_PASSWORD_SPECIALCHARACTERS' }],
  ['Maria-20262026', 'Maria-20262026', { newPassword: 'errors.USER_PASSWORD_COMMON' }],
  ['Graue Reiher 4!', 'Graue Reiher 4!', {}],
])('the password %j, repeated as %j', (newPassword, repeated, faults) => {
  expect(passwordFaults(strict, { newPassword, repeated })).toEqual(faults)
})
