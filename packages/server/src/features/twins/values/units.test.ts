import { conversionOf } from '@leitstand/contract/units'
import { expect, test } from 'vitest'
import { convertedLimits } from './units.ts'

test('limits are converted, missing ones stay missing', () => {
  const conversion = conversionOf('°C', '°F')
  if (conversion === null) throw new Error('these units convert')
  expect(
    convertedLimits(
      { lowerBound: -40, upperBound: null, visualization: { kind: 'gauge', min: 0, upperThreshold: 25 } },
      conversion,
    ),
  ).toEqual({
    lowerBound: -40,
    upperBound: null,
    visualization: { kind: 'gauge', min: 32, upperThreshold: 77 },
  })
})
