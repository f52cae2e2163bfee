import { expect, test } from 'vitest'
import { foundOptions } from './foundOptions.ts'

const option = (label: string) => ({ value: label, label, disabled: false })
const options = [
  option('Straße'),
  { group: 'Räume', items: [option('Bürgerbüro'), option('Büro 2')] },
  { group: 'Gase', items: [option('CO₂')] },
]
const found = (search: string, limit = Number.POSITIVE_INFINITY) =>
  foundOptions({ options, search, limit }).flatMap((each) =>
    'group' in each
      ? each.items.map((item) => `${each.group}: ${typeof item === 'object' ? item.label : item}`)
      : [each.label],
  )

test.each([
  ['strasse', ['Straße']],
  ['co2', ['Gase: CO₂']],
  ['2 buro', ['Räume: Büro 2']],
  ['buero', ['Räume: Büro 2', 'Räume: Bürgerbüro']],
  ['nothing', []],
])('%j', (search, labels) => {
  expect(found(search)).toEqual(labels)
})

test('an empty search shows all, up to the limit', () => {
  expect(found('')).toHaveLength(4)
  expect(found('', 2)).toEqual(['Straße', 'Räume: Bürgerbüro'])
})

test('options that begin with what is typed come first', () => {
  const roles = ['Assets: Betrachter', 'Betrachter', 'Dashboard-Betrachter', 'Betrachter der Karte'].map(
    option,
  )
  const labels = (typed: string) =>
    foundOptions({ options: [...roles, { group: 'Andere', items: roles }], search: typed, limit: 6 }).map(
      (each) => ('group' in each ? each.items.length : each.label),
    )
  expect(labels(' betrachter ')).toEqual([
    'Betrachter',
    'Betrachter der Karte',
    'Assets: Betrachter',
    'Dashboard-Betrachter',
    2,
  ])
})
