import { DEFAULT_THEME } from '@mantine/core'
import { describe, expect, test } from 'vitest'
import { contrastOf } from '../../../test/contrast.ts'
import { darkPalette, lightPalette } from '../chart/palette.ts'
import { accentFrom, accents } from './accent.ts'
import { cssVariablesFor, themeFor } from './theme.ts'

const healths = ['ok', 'warning', 'error', 'unknown', 'invalid']

describe.each(['light', 'dark'] as const)('%s mode', (mode) => {
  const variables: Readonly<Record<string, string>> = cssVariablesFor()(DEFAULT_THEME)[mode]
  const colour = (name: string) => {
    const value = variables[name]
    if (value === undefined || !/^#[\da-f]{6}$/i.test(value)) throw new Error(`${name} is ${value}`)
    return value
  }

  test.each([
    ['--text', '--surface'],
    ['--text', '--surface-sunken'],
    ['--text', '--surface-raised'],
    ['--text', '--row-hover'],
    ['--text', '--row-selected'],
    ['--text-dimmed', '--surface'],
    ['--text-dimmed', '--surface-sunken'],
    ['--accent', '--surface'],
    ['--accent', '--accent-soft'],
    ['--on-accent', '--accent'],
    ['--mantine-color-placeholder', '--surface'],
    ['--mantine-color-error', '--surface'],
    ['--mantine-color-blue-light-color', '--mantine-color-blue-light'],
    ['--mantine-color-gray-light-color', '--mantine-color-gray-light'],
    ...healths.flatMap((health) => [
      [`--health-${health}`, `--health-${health}-soft`],
      [`--health-${health}`, '--surface'],
      [`--health-${health}`, '--surface-sunken'],
    ]),
  ])('small text in %s can be read on %s', (text = '', ground = '') => {
    expect(contrastOf(colour(text), colour(ground))).toBeGreaterThanOrEqual(4.5)
  })

  const palette = mode === 'light' ? lightPalette : darkPalette

  test('lines of a chart can be seen and told apart', () => {
    for (const line of palette.series) expect(contrastOf(line, palette.surface)).toBeGreaterThanOrEqual(3)
    expect(new Set(palette.series).size).toBe(palette.series.length)
  })

  test.each(['text', 'dimmed', 'warning', 'error', 'accent'] as const)(
    'the %s of a chart can be read on it',
    (name) => {
      expect(contrastOf(palette[name], palette.surface)).toBeGreaterThanOrEqual(4.5)
    },
  )

  test.each(Object.entries(accents))(
    'the accent %s replaces that of the platform everywhere',
    (_name, hex) => {
      const accent = accentFrom(hex)
      if (!accent) throw new Error(`${hex} is a colour`)
      const own: Readonly<Record<string, string>> = cssVariablesFor(accent)(DEFAULT_THEME)[mode]
      expect(own['--accent']).toBe(accent[mode].strong)
      expect(own['--text']).toBe(variables['--text'])
      const platform = variables['--accent'] ?? ''
      expect(
        Object.entries(own).filter(([, value]) => value === platform && platform !== accent[mode].strong),
      ).toEqual([])
    },
  )
})

test('the theme has the accent of the user, else that of the platform', () => {
  const own = accentFrom('#6741d9')
  expect(themeFor({ close: 'Schließen' }, own).colors?.accent).toEqual(own?.scale)
  expect(themeFor({ close: 'Schließen' }).colors?.accent?.[9]).toBe('#0b7285')
})

test('a button that closes is named in the language of the user', () => {
  expect(themeFor({ close: 'Schließen' }).components?.CloseButton).toMatchObject({
    defaultProps: { 'aria-label': 'Schließen' },
  })
})
