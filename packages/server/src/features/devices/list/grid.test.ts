import fc from 'fast-check'
import { expect, it } from 'vitest'
import { aroundSquare, clusterIdOf, gridOf, squareOf } from './grid.ts'

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

it('knows a part of the world around every square that leaves nothing of it out', () => {
  const part = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(fc.nat(22), fc.integer({ min: 10, max: 500 }), part, part, (zoom, distance, x, y) => {
      const [longitude, latitude] = [x * 360 - 180, y * 180 - 90]
      const grid = gridOf(zoom, distance)
      const angle = (Math.min(85.05, Math.max(-85.05, latitude)) * Math.PI) / 180
      const square = {
        column: Math.floor(((longitude + 180) / 360) * grid.squares),
        row: Math.floor((0.5 - Math.log(Math.tan(Math.PI / 4 + angle / 2)) / (2 * Math.PI)) * grid.squares),
      }
      const { west, east, south, north } = aroundSquare(grid, square)
      return west <= longitude && longitude <= east && south <= latitude && latitude <= north
    }),
  )
})
