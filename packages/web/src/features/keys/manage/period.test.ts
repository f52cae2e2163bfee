import { expect, test } from 'vitest'
import { sinceOf } from './period.ts'

test('a period begins with an hour, and is at least as long as it says', () => {
  const now = Date.parse('2026-06-15T12:34:56.000Z')
  expect(sinceOf('day', now)).toBe('2026-06-14T12:00:00.000Z')
  expect(sinceOf('week', now)).toBe('2026-06-08T12:00:00.000Z')
  expect(sinceOf('month', now)).toBe('2026-05-16T12:00:00.000Z')
  expect(sinceOf('toString', now)).toBeUndefined()
  expect(sinceOf(undefined, now)).toBeUndefined()
})
