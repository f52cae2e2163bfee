import { expect, it } from 'vitest'
import { mayRun } from './heavy.ts'

it.each([
  ['of a rule whose time is not known, the first hundred', 300, null, 100],
  ['of a rule whose time is not known, all that are few', 99, null, 99],
  ['of a rule without scripts, all', 2_000, 0, 2_000],
  ['of a rule that takes its share, all', 200, 1_000, 200],
  ['of a rule that takes more than its share, none', 200, 1_001, 0],
  ['of a rule that times out, none beyond the second', 3, 100_000, 0],
  ['of a rule that times out, two', 2, 100_000, 2],
])('at once run %s', (_case, count, expectedUs, now) => {
  expect(mayRun(count, expectedUs)).toBe(now)
})
