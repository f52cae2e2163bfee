import { IconGauge, IconTemperature } from '@tabler/icons-react'
import { expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import en from '../../locales/en.json' with { type: 'json' }
import { thingIcon, thingIcons } from './icons.ts'

test('an object shows its own icon', () => {
  expect(thingIcon('temperature', IconGauge)).toBe(IconTemperature)
})

test.each([null, undefined, '', 'of another version', 'constructor', '__proto__', 'toString'])(
  'an object with the icon %j shows that of its kind',
  (name) => {
    expect(thingIcon(name, IconGauge)).toBe(IconGauge)
  },
)

test.each([
  ['de', de.icons.names],
  ['en', en.icons.names],
])('every icon can be found by its name in %s', (_language, names) => {
  expect(Object.keys(thingIcons).filter((name) => !(name in names))).toEqual([])
})
