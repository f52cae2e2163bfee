import { expect, it } from 'vitest'
import { clusterIdOf, gridOf, squareOf } from './grid.ts'

it('names squares so that they are found again', () => {
  const grid = gridOf(5, 64)
  expect(grid.squares).toBe(256)
  const id = clusterIdOf(grid, { column: 130, row: 80 })
  expect(id).toBe('5_64_130_80')
  expect(squareOf(id)).toEqual({ grid, square: { column: 130, row: 80 } })
})

it.each(['23_50_1_1', '5_5_1_1', '0_50_11_1', '0_50_1_999', '5_50_1', 'a_b_c_d'])('%s is no square', (id) => {
  expect(squareOf(id)).toBeUndefined()
})
