import { expect, it } from 'vitest'
import { moved } from './grid.ts'

it('moves widgets to the place they are dropped on', () => {
  expect(moved([1, 2, 3, 4], 1, 3)).toEqual([2, 3, 1, 4])
  expect(moved([1, 2, 3, 4], 4, 2)).toEqual([1, 4, 2, 3])
  expect(moved([1, 2], 1, 9)).toEqual([1, 2])
})
