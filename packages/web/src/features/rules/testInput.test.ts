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

test.each([
  ['', ''],
  ['   ', ''],
  ['+5', 5],
  ['-0,5', -0.5],
  ['.5', '.5'],
  ['5.', '5.'],
  ['1e3', '1e3'],
  ['0x10', '0x10'],
  ['1.000,5', '1.000,5'],
  ['1 000', '1 000'],
  ['NaN', 'NaN'],
  ['Infinity', 'Infinity'],
  ['JA', true],
  ['Nein', false],
  ['jaja', 'jaja'],
  ['Größe', 'Größe'],
  ['<b>1</b>', '<b>1</b>'],
  ['__proto__', '__proto__'],
])('what is typed as %j is tested as %j', (text, value) => {
  expect(readInput(text)).toBe(value)
})
