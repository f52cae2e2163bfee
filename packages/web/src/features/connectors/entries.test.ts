import { expect, it } from 'vitest'
import { summary } from './entries.ts'

it('tells a packet by what it was decoded to', () => {
  expect(summary({ decoded: { temperature: 21.50001, doors: [1], open: true }, raw: '' })).toBe(
    'temperature 21.5 · doors […] · open true',
  )
})

it('else by the message as it came, on one line and cut', () => {
  expect(summary({ decoded: null, raw: '{\n  "a": 1\n}' })).toBe('{ "a": 1 }')
  expect(summary({ decoded: {}, raw: 'x'.repeat(400) })).toHaveLength(160)
})
