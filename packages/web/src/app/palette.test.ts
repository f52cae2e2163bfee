import { describe, expect, test } from 'vitest'
import { navigation } from './nav.ts'
import { drawerRank, matching } from './palette.ts'
import { screens } from './routes.ts'

const entries = ['Virtuelle Geräte', 'Geräte-Treiber', 'Übersicht', 'Digitale Zwillinge'].map((label) => ({
  label,
}))
const found = (query: string) => matching(entries, query).map(({ label }) => label)

describe('searching the palette', () => {
  test.each([
    ['', ['Virtuelle Geräte', 'Geräte-Treiber', 'Übersicht', 'Digitale Zwillinge']],
    ['   ', ['Virtuelle Geräte', 'Geräte-Treiber', 'Übersicht', 'Digitale Zwillinge']],
    ['gerät', ['Virtuelle Geräte', 'Geräte-Treiber']],
    ['GERÄTE treib', ['Geräte-Treiber']],
    ['treib  gerät', ['Geräte-Treiber']],
    ['über', ['Übersicht']],
    ['.*', []],
    ['gerät zwilling', []],
  ])('%j', (query, labels) => {
    expect(found(query)).toEqual(labels)
  })
})

test('screens come in the order of the drawer, those outside of it last', () => {
  const [first] = navigation.flatMap(({ items }) => items)
  expect(drawerRank(first?.path ?? '')).toBe(0)
  const ranks = screens.map(({ path }) => drawerRank(path))
  expect(drawerRank('/virtual-devices')).toBeLessThan(drawerRank('/account-mgmt'))
  expect(drawerRank('/login')).toBe(Math.max(...ranks))
})
