import i18next from 'i18next'
import { beforeAll, expect, it } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import { errorText, summary } from './entries.ts'

it('tells a packet by what it was decoded to', () => {
  expect(summary({ decoded: { temperature: 21.50001, doors: [1], open: true }, raw: '' })).toBe(
    'temperature 21.5 · doors […] · open true',
  )
})

it('else by the message as it came, on one line and cut', () => {
  expect(summary({ decoded: null, raw: '{\n  "a": 1\n}' })).toBe('{ "a": 1 }')
  expect(summary({ decoded: {}, raw: 'x'.repeat(400) })).toHaveLength(160)
})

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

it.each([
  [{ a: null }, '', 'a null'],
  [{ a: '' }, '', 'a '],
  [{ a: { b: 1 }, c: [] }, '', 'a {…} · c […]'],
  [{ a: 0.1 + 0.2 }, '', 'a 0.3'],
  [{ a: -1e-9 }, '', 'a 0'],
  [{ größe: 'XL' }, '', 'größe XL'],
  [[1, 2], '[1,2]', '[1,2]'],
  ['text', 'text', 'text'],
  [7, '7', '7'],
  [undefined, 'a\r\n\tb', 'a b'],
  [null, '', ''],
])('%j of %j is summed up as %j', (decoded, raw, text) => {
  expect(summary({ decoded, raw })).toBe(text)
})

it('a summary of exactly the limit is not cut', () => {
  expect(summary({ decoded: null, raw: 'x'.repeat(160) })).toBe('x'.repeat(160))
  expect(summary({ decoded: null, raw: 'x'.repeat(161) })).toMatch(/^x{159}…$/)
})

it.each([
  [{ code: 'DEVICE_UNKNOWN', message: 'for developers' }, de.errors.DEVICE_UNKNOWN],
  [{ code: 'NEW', message: 'of a newer server' }, 'of a newer server'],
  [{ code: 'NEW', message: '' }, 'NEW'],
])('the error %j', (error, text) => {
  expect(errorText(error, i18next.t)).toBe(text)
})
