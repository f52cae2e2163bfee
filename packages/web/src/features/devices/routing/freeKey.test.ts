import fc from 'fast-check'
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

it('is always free and a key the server accepts', () => {
  const key = fc.stringMatching(/^[a-z][a-z0-9_.]{0,99}$/)
  fc.assert(
    fc.property(key, fc.nat({ max: 30 }), (wanted, count) => {
      const taken = [wanted]
      for (let each = 0; each < count; each++) taken.push(freeKey(wanted, taken))
      expect(new Set(taken).size).toBe(taken.length)
      for (const each of taken) expect(each).toMatch(/^[A-Za-z0-9_.]{1,100}$/)
    }),
  )
})
