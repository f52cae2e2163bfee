import { describe, expect, test } from 'vitest'
import { openBrowser } from '../../../test/browser.ts'
import de from '../../locales/de.json' with { type: 'json' }
import en from '../../locales/en.json' with { type: 'json' }
import { singleFields } from './changes.ts'

openBrowser()
const { titleFits } = await import('./JobTitle.tsx')
const { labelOf } = await import('./ChangesStep.tsx')
const { thingPath } = await import('../../lib/recent.ts')

describe('the title of a bulk job', () => {
  test.each([
    ['', false],
    ['Tau', false],
    ['Tausc', true],
    ['  Tau  ', false],
    [' Tausch ', true],
    ['x'.repeat(100), true],
    ['x'.repeat(101), false],
    [`${' '.repeat(50)}${'x'.repeat(100)}`, true],
    ['Zähler\nSüd', true],
  ])('%j is long enough and not too long: %s', (title, fits) => {
    expect(titleFits(title)).toBe(fits)
  })
})

test.each(singleFields)('the field %s of a bulk edit has its name in both languages', (field) => {
  const read = (texts: object) =>
    labelOf(field)
      .split('.')
      .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], texts)
  expect(read(de)).toEqual(expect.any(String))
  expect(read(en)).toEqual(expect.any(String))
})

test.each([
  ['digitalTwin', '/digitaltwin-mgmt/7'],
  ['virtualDevice', '/virtual-devices/7'],
  ['dashboard', '/dashboards/7'],
  ['smartGroup', '/virtual-device-groups/7'],
  ['ticket', '/fm-ticketing-mgmt?ticket=7'],
  ['asset', '/is-assetmgmt/assets/7'],
  ['warnMonitor', '/is-warnapp-viewer?twins=7'],
  ['lock', '/fm-access?door=7'],
] as const)('a recently opened %s leads to %s', (kind, path) => {
  expect(thingPath(kind, 7)).toBe(path)
})
