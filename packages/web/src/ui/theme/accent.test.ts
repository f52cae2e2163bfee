import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contrastOf } from '../../../test/contrast.ts'
import { accentFrom, accentOf, accents } from './accent.ts'

test('whatever colour is chosen, small texts can be read on it and in it, light and dark', () => {
  const colour = fc.integer({ min: 0, max: 0xffffff }).map((all) => `#${all.toString(16).padStart(6, '0')}`)
  fc.assert(
    fc.property(colour, (hex) => {
      const accent = accentFrom(hex)
      if (!accent) throw new Error(`${hex} is a colour`)
      const { light, dark } = accent
      const pairs = [
        ...([light.soft, '#ffffff', '#f7f8f9', light.on] as const).map(
          (ground) => [light.strong, ground] as const,
        ),
        ...([dark.soft, '#101315', '#0c0f11', dark.on] as const).map(
          (ground) => [dark.strong, ground] as const,
        ),
      ]
      for (const [text, ground] of pairs) expect(contrastOf(text, ground)).toBeGreaterThanOrEqual(4.5)
    }),
  )
})

test.each([
  [{}, undefined],
  [{ color: 'blue' }, accents.blue],
  [{ color: 'blue', customColor: '#123456' }, accents.blue],
  [{ color: 'customerColor', customColor: '#AbC' }, '#aabbcc'],
  [{ color: 'customerColor', customColor: '#123456' }, '#123456'],
  [{ color: 'customerColor' }, undefined],
  [{ color: 'of another version' }, undefined],
  [{ customColor: '#123456' }, undefined],
])('the accent of %j', (defaults, expected) => {
  expect(accentOf(defaults)).toBe(expected)
})

test('what is no colour is none', () => {
  for (const text of ['', 'red', '#12', '#12345', '#12345g']) expect(accentFrom(text)).toBeUndefined()
})
