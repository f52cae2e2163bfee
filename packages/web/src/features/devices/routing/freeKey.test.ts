import { expect, it } from 'vitest'
import { freeKey } from './freeKey.ts'

it.each([
  ['temperature', [] as string[], 'temperature'],
  ['temperature', ['humidity'], 'temperature'],
  ['temperature', ['temperature'], 'temperature_2'],
  ['temperature', ['temperature', 'temperature_2'], 'temperature_3'],
])('%s beside %j is called %s', (wanted, taken, key) => {
  expect(freeKey(wanted, taken)).toBe(key)
})

it('a key stays within its hundred letters', () => {
  const long = 'a'.repeat(100)
  expect(freeKey(long, [long])).toBe(`${'a'.repeat(95)}_2`)
})
