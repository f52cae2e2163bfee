import { expect, it } from 'vitest'
import { metresBetween } from './metres.ts'

const at = (latitude: number, longitude: number) => ({ latitude, longitude })

it('measures metres between places that are known', () => {
  expect(metresBetween(at(0, 0), at(0, 1))).toBeCloseTo(111_195, 0)
  expect(metresBetween(at(60, 10), at(60, 11))).toBeCloseTo(55_597, -1)
  expect(metresBetween(at(0, 0), at(0, 180))).toBeCloseTo(20_015_114, 0)
  expect(metresBetween(at(10, 179.9), at(10, -179.9))).toBeCloseTo(21_901, -1)
  expect(metresBetween(at(54, 10), at(54, 10))).toBe(0)
})
