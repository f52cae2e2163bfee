import { expect, it } from 'vitest'
import { mayRun } from './heavy.ts'

it.each([
  ['of a rule whose time is not known, the first twenty', 300, null, 20],
  ['of a rule whose time is not known, all that are few', 19, null, 19],
  ['of a rule without scripts whose values are in memory, all', 2_000, { readingUs: 0, scriptsUs: 0 }, 2_000],
  ['of a rule whose scripts take its share, all', 50, { readingUs: null, scriptsUs: 1_000 }, 50],
  ['of a rule whose scripts take more than its share, none', 50, { readingUs: null, scriptsUs: 1_001 }, 0],
  ['of a rule whose reading takes its share, all', 50, { readingUs: 1_000, scriptsUs: 0 }, 50],
  ['of a rule that takes more than its share with both, none', 50, { readingUs: 1, scriptsUs: 1_000 }, 0],
  ['of a rule that times out, none', 1, { readingUs: 0, scriptsUs: 100_000 }, 0],
])('at once run %s', (_case, count, expected, now) => {
  expect(mayRun(count, expected)).toBe(now)
})
