import { expect, test } from 'vitest'
import { readInput } from './testInput.ts'

test.each([
  ['21,5', 21.5],
  ['21.5', 21.5],
  [' -3 ', -3],
  ['+7', 7],
  ['007', 7],
  ['1.000,5', '1.000,5'],
  ['1e5', '1e5'],
  ['.5', '.5'],
  ['true', true],
  ['JA', true],
  ['yes', true],
  ['nein', false],
  ['No', false],
  ['False', false],
  ['jawohl', 'jawohl'],
  [' offen ', 'offen'],
  ['', ''],
  ['12 °C', '12 °C'],
])('%j is tried as %j', (text, value) => {
  expect(readInput(text)).toBe(value)
})
