import { describe, expect, it } from 'vitest'
import { nextSize } from './pieces.ts'

describe('the size of the next piece of work', () => {
  const bounds = { min: 1, max: 1000 }
  it.each([
    [100, 100, 50, 200],
    [100, 100, 10, 200],
    [100, 100, 400, 50],
    [100, 100, 125, 80],
    [900, 900, 10, 1000],
    [1, 1, 5000, 1],
    [100, 20, 30, 100],
    [100, 20, 200, 50],
  ])('after %d of which %d were done in %d ms is %d', (size, done, tookMs, expected) => {
    expect(nextSize(size, done, tookMs, 100, bounds)).toBe(expected)
  })
})
