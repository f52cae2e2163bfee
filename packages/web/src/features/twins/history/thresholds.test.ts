import { expect, test } from 'vitest'
import { thresholdsOf } from './thresholds.ts'

const lines = (visualization: object) =>
  thresholdsOf({ visualization: { kind: 'value', ...visualization } }, (key) => key).map(
    ({ value, tone }) => [value, tone],
  )

test.each([
  [{}, []],
  [{ lowerThreshold: 25 }, [[25, 'warning']]],
  [{ upperThreshold: 30 }, [[30, 'error']]],
  [
    { lowerThreshold: 0, upperThreshold: -1 },
    [
      [0, 'warning'],
      [-1, 'error'],
    ],
  ],
  [{ min: 0, max: 100 }, []],
])('%j', (visualization, expected) => {
  expect(lines(visualization)).toEqual(expected)
})
