import { describe, expect, test } from 'vitest'
import { navigation } from './nav.ts'
import { drawerRank, matching, offeredScreens, ranked } from './palette.ts'

const entries = ['Virtuelle Geräte', 'Geräte-Treiber', 'Übersicht', 'Digitale Zwillinge'].map((label) => ({
  label,
}))
const found = (query: string) => matching(entries, query).map(({ label }) => label)

describe('searching the palette', () => {
  test.each([
    ['', ['Virtuelle Geräte', 'Geräte-Treiber', 'Übersicht', 'Digitale Zwillinge']],
    ['   ', ['Virtuelle Geräte', 'Geräte-Treiber', 'Übersicht', 'Digitale Zwillinge']],
    ['gerät', ['Virtuelle Geräte', 'Geräte-Treiber']],
    ['geraete', ['Virtuelle Geräte', 'Geräte-Treiber']],
    ['GERATE treib', ['Geräte-Treiber']],
    ['treib  gerät', ['Geräte-Treiber']],
    ['uber', ['Übersicht']],
    ['.*', []],
    ['gerät zwilling', []],
  ])('%j', (query, labels) => {
    expect(found(query)).toEqual(labels)
  })

  test('finds by description and further words', () => {
    const scheme = { label: 'Dunkle Ansicht', description: 'Aktion', keywords: 'dark mode Nacht' }
    expect(matching([scheme], 'aktion DARK')).toEqual([scheme])
    expect(matching([scheme], 'light')).toEqual([])
  })
})

describe('ranking', () => {
  const things = ['Heizraum Büro', 'Bürgerbüro', 'Büro 2', 'Büro'].map((label) => ({
    label,
    path: `/${label}`,
  }))
  const order = (query: string, recent: string[] = []) =>
    ranked(things, query, recent).map(({ label }) => label)

  test('the same name first, then beginnings, then other words', () => {
    expect(order('buero')).toEqual(['Büro', 'Büro 2', 'Heizraum Büro', 'Bürgerbüro'])
  })

  test('what was opened lately comes before equals, but not before better ones', () => {
    expect(order('büro', ['/Heizraum Büro'])).toEqual(['Büro', 'Heizraum Büro', 'Büro 2', 'Bürgerbüro'])
    expect(order('büro', ['/Büro 2', '/Büro'])).toEqual(['Büro', 'Büro 2', 'Heizraum Büro', 'Bürgerbüro'])
  })

  test('otherwise the order stays', () => {
    expect(order('zzz')).toEqual(things.map(({ label }) => label))
  })
})

test('built screens are offered, in the order of the drawer', () => {
  const [first] = navigation.flatMap(({ items }) => items)
  expect(drawerRank(first?.path ?? '')).toBe(0)
  const offered = offeredScreens()
  expect(offered[0]?.path).toBe('/home')
  expect(offered.filter(({ load, path }) => !load || path.includes('$'))).toEqual([])
  const ranks = offered.map(({ path }) => drawerRank(path))
  expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
})
