import { expect, it } from 'vitest'
import { defaultView, effectiveInterval, historySeries, tooFine } from './query.ts'

const hour = 3_600_000
const day = 24 * hour

it.each([
  ['auto', hour, null],
  ['auto', 7 * day, '1h'],
  ['auto', 365 * day, '1d'],
  ['1h', 7 * day, '1h'],
  // 30 days in 5 minutes are 8 640 points
  ['5m', 30 * day, '1h'],
  ['5m', 7 * day, '15m'],
] as const)('%s over %d ms asks for %s', (interval, lengthMs, expected) => {
  expect(effectiveInterval({ ...defaultView, interval }, lengthMs)).toBe(expected)
  expect(expected === null || !tooFine(expected, lengthMs)).toBe(true)
})

it('draws companions thin and leaves gaps out on demand', () => {
  const names = { main: 'Ø', min: 'Min', max: 'Max', unit: '°C', step: false }
  const points = [
    [0, 1],
    [1, null],
    [2, 3],
  ] as const
  const series = historySeries({ points, min: points }, names, true)
  expect(series.map(({ key, secondary }) => [key, secondary ?? false])).toEqual([
    ['main', false],
    ['min', true],
  ])
  expect(series[0]?.points).toHaveLength(2)
  expect(historySeries({ points }, names, false)[0]?.points).toHaveLength(3)
})
