import { describe, expect, it } from 'vitest'
import { fanOffsets } from './fan.ts'

const counts = [1, 2, 3, 5, 8, 9, 20, 100]

describe('a fan of points in the same place', () => {
  it.each(counts)('of %d keeps them and the middle apart', (count) => {
    const offsets = fanOffsets(count)
    expect(offsets).toHaveLength(count)
    for (const [at, { x, y }] of offsets.entries()) {
      expect(Math.hypot(x, y)).toBeGreaterThan(40)
      for (const other of offsets.slice(at + 1))
        expect(Math.hypot(x - other.x, y - other.y)).toBeGreaterThan(36)
    }
  })

  it('is a ring of up to 8 that begins at the top, and a spiral of more', () => {
    const radii = (count: number) =>
      new Set(fanOffsets(count).map(({ x, y }) => Math.round(Math.hypot(x, y))))
    for (const count of [1, 4, 8]) expect(radii(count).size).toBe(1)
    expect(radii(9).size).toBe(9)
    expect(fanOffsets(4)[0]).toEqual({ x: 0, y: -42 })
    expect(fanOffsets(4)[1]?.x).toBeCloseTo(42)
    expect(fanOffsets(0)).toEqual([])
  })

  it('stays within reach', () => {
    const farthest = Math.max(...fanOffsets(100).map(({ x, y }) => Math.hypot(x, y)))
    expect(farthest).toBeLessThan(300)
  })
})
