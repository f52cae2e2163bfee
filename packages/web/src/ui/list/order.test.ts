import { expect, test } from 'vitest'
import { orderOf } from './order.ts'

test('only what can be sorted by is asked for, upwards or downwards', () => {
  const keys = ['title', 'createdAt'] as const
  expect([undefined, 'title', '-createdAt', 'secret', '-secret'].map((text) => orderOf(text, keys))).toEqual([
    ...[undefined, 'title', '-createdAt', undefined, undefined],
  ])
})

test.each([
  ['title', 'title'],
  ['-title', '-title'],
  ['', undefined],
  ['-', undefined],
  ['--title', undefined],
  ['Title', undefined],
  ['constructor', undefined],
])('%s becomes %s', (wanted, order) => {
  expect(orderOf(wanted, ['title', 'createdAt'])).toBe(order)
})
