import { expect, test } from 'vitest'
import { conversionOf, converted, quantities, type Unit, unitOf } from './units.ts'

function convert(value: number, from: string, to: string): number | null {
  const conversion = conversionOf(from, to)
  return conversion && converted(value, conversion)
}

test.each([
  [21.5, '°C', '°F', 70.7],
  [70.7, '°F', '°C', 21.5],
  [0, '°C', 'K', 273.15],
  [-40, '°F', '°C', -40],
  [1013.25, 'hPa', 'bar', 1.01325],
  [1, 'bar', 'Pa', 100_000],
  [1.5, 'm³', 'l', 1500],
  [3.6, 'MJ', 'kWh', 1],
  [36, 'km/h', 'm/s', 10],
  [0.5, 'kWh', 'J', 1_800_000],
  [45, '%', 'ppm', 450_000],
  [1, 'psi', 'Pa', 6894.757293168],
])('%d %s in %s', (value, from, to, expected) => {
  expect(convert(value, from, to)).toBe(expected)
})

test('converting back gives the value there was', () => {
  for (const value of [0, 21.5, -7.3, 1_234_567.891, 0.000_012])
    for (const [from, to] of [
      ['°C', '°F'],
      ['kWh', 'MJ'],
      ['l/min', 'm³/h'],
    ] as const) {
      const there = convert(value, from, to) as number
      expect(convert(there, to, from)).toBeCloseTo(value, 9)
    }
})

test('units of other quantities and own units do not convert', () => {
  expect(conversionOf('°C', 'Pa')).toBeNull()
  expect(conversionOf('°C', 'widgets')).toBeNull()
  expect(conversionOf('dB', 'dB(A)')).toBeNull()
  expect(conversionOf('m³', 'm3')).toBeNull()
})

test.each([
  ['m3', 'cubicMetre'],
  ['L', 'litre'],
  ['μg/m³', 'microgramPerCubicMetre'],
  ['Cel', 'celsius'],
  ['%RH', 'percent'],
  ['W.h', 'wattHour'],
  ['C', 'coulomb'],
  ['mPa', undefined],
])('%s is known as %s', (text, key) => {
  expect(unitOf(text)?.unit.key).toBe(key)
})

test('symbols and codes are unique', () => {
  const all = Object.values(quantities).flat() as Unit[]
  for (const field of ['key', 'code', 'symbol'] as const)
    expect(new Set(all.map((unit) => unit[field])).size).toBe(all.length)
})
