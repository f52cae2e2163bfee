import { expect, test } from 'vitest'
import { foundUnits } from './foundUnits.ts'

const group = (name: string, ...symbols: string[]) => ({
  group: name,
  items: symbols.map((value) => ({ value, label: value })),
})
const options = [group('Temperatur', '°C', '°F'), group('Druck', 'Pa', 'hPa', 'bar')]
const names: Record<string, string> = { '°C': 'Grad Celsius', '°F': 'Grad Fahrenheit', hPa: 'Hektopascal' }
const find = (search: string) =>
  foundUnits(options, search, (symbol) => names[symbol] ?? '').flatMap((found) =>
    'group' in found ? found.items.map((item) => (typeof item === 'object' ? item.value : item)) : [],
  )

test.each([
  ['', ['°C', '°F', 'Pa', 'hPa', 'bar']],
  ['celsius', ['°C']],
  ['druck', ['Pa', 'hPa', 'bar']],
  ['degF', ['°C', '°F']],
  ['fahrenheit', ['°F']],
  ['°C', ['°C', '°F']],
  ['bar', ['Pa', 'hPa', 'bar']],
  ['Stück', []],
])('“%s” finds %j', (search, found) => {
  expect(find(search)).toEqual(found)
})
