import { conversionOf } from '@leitstand/contract/units'
import { expect, test } from 'vitest'
import { limitsIn, transformerOf, unitChangeOf } from './unitChange.ts'

const number = { isComputed: false, valueType: 'number' } as const

test.each([
  ['', '°C', number, 'none'],
  ['°C', '°C', number, 'none'],
  ['m3', 'm³', number, 'none'],
  ['°C', '°F', number, 'convertible'],
  ['°C', '°F', { ...number, isComputed: true }, 'computed'],
  ['°C', '°F', { ...number, valueType: 'text' }, 'none'],
  ['°C', 'Pa', number, 'label'],
  ['°C', 'pieces', number, 'label'],
] as const)('%s to %s of %j: %s', (from, to, state, expected) => {
  expect(unitChangeOf(from, to, state)).toBe(expected)
})

test('limits follow the unit', () => {
  const empty = { scaleMin: '', scaleMax: '', lowerThreshold: '' } as const
  const limits = { ...empty, lowerBound: -40, upperBound: 100, upperThreshold: 21.5 }
  const after = { ...empty, lowerBound: -40, upperBound: 212, upperThreshold: 70.7 }
  expect(limitsIn(limits, '°C', '°F')).toEqual(after)
  expect(limitsIn(after, '°F', '°C')).toEqual(limits)
  expect(limitsIn(limits, '°C', 'Pa')).toEqual(limits)
})

test.each([
  ['°C', '°F', 'return value * 1.8 + 32'],
  ['°C', 'K', 'return value + 273.15'],
  ['K', '°C', 'return value - 273.15'],
  ['kWh', 'MJ', 'return value * 3.6'],
])('a transformer from %s to %s', (from, to, expected) => {
  const how = conversionOf(from, to)
  if (how === null) throw new Error('these units convert')
  expect(transformerOf(how)).toBe(expected)
})
