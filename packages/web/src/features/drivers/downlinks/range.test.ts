import i18next from 'i18next'
import { beforeAll, expect, test } from 'vitest'
import { rangeOf } from './range.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: {} }))

test.each([
  [null, null, undefined],
  [0, null, '≥ 0'],
  [null, 0, '≤ 0'],
  [-40, 85.5, '-40 … 85,5'],
  [0, 65_535, '0 … 65.535'],
  [5, 5, '5 … 5'],
])('a parameter from %j to %j shows %j', (min, max, text) => {
  expect(rangeOf({ min, max })).toBe(text)
})
