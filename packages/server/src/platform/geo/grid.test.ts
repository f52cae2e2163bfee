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

it.each(['23_50_1_1', '5_5_1_1', '5_9_1_1', '5_501_1_1', '0_50_11_1', '0_50_1_999', '5_50_1', 'a_b_c_d'])(
  '%s is no square',
  (id) => {
    expect(squareOf(id)).toBeUndefined()
  },
)

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

it.each(['22_10_1_1', '22_500_1_1', '0_64_8_8'])('%s is a square at a limit', (id) => {
  const found = squareOf(id)
  expect(found && clusterIdOf(found.grid, found.square)).toBe(id)
})

it('knows the bounds of a square with a margin of a thousandth', () => {
  // Four by four squares: each is 90 degrees wide.
  const grid = gridOf(0, 128)
  const { west, east, north, south } = aroundSquare(grid, { column: 1, row: 1 })
  expect(west).toBeCloseTo(-90.09, 9)
  expect(east).toBeCloseTo(0.09, 9)
  expect(north).toBeCloseTo(66.55, 1)
  expect(south).toBeCloseTo(-0.09, 2)
  expect(south).toBeLessThan(0)
})

it('ends at the date line and includes the poles', () => {
  const grid = gridOf(0, 128)
  expect(aroundSquare(grid, { column: 0, row: 0 })).toMatchObject({ west: -180, north: 90 })
  expect(aroundSquare(grid, { column: 3, row: 3 })).toMatchObject({ east: 180, south: -90 })
  // Squares that begin and end beyond the projection's limit stay within it on the other side.
  const fine = gridOf(10, 10)
  expect(aroundSquare(fine, { column: 0, row: 0 })).toMatchObject({ north: 90, south: 85 })
  const last = Math.floor(fine.squares)
  expect(aroundSquare(fine, { column: 0, row: last })).toMatchObject({ north: -85, south: -90 })
})
