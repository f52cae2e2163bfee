import { describe, expect, test } from 'vitest'
import { filterFound, fold, foldFields, isFound, parseSearch, searchWordsMax } from './search.ts'
import { foldVectors } from './searchVectors.ts'

test.each(foldVectors)('fold(%j)', (text, folded) => {
  expect(fold(text)).toBe(folded)
})

describe('parseSearch', () => {
  test.each([
    [undefined, null],
    ['  ', null],
    ['""', null],
    ['-', null],
    [' 123 ', [{ forms: ['123'], exact: false }]],
    ['"Bin 2"', [{ forms: ['bin 2'], exact: true }]],
    ['"open', [{ forms: ['"open'], exact: false }]],
    [
      'Büro temp',
      [
        { forms: ['buro', 'buero'], exact: false },
        { forms: ['temp'], exact: false },
      ],
    ],
    ['temp-sensor', [{ forms: ['tempsensor', 'temp sensor'], exact: false }]],
    ['raum101', [{ forms: ['raum101', 'raum 101'], exact: false }]],
    ['2og', [{ forms: ['2og', '2 og'], exact: false }]],
    ['70-B3-D5-7E', [{ forms: ['70b3d57e'], exact: false }]],
    ['70 B3 D5 7E', [{ forms: ['70b3d57e', '70 b3 d5 7e'], exact: false }]],
    ['70B3 D57E D2', [{ forms: ['70b3d57ed2', '70b3 d57e d2'], exact: false }]],
    [
      'Bad 2 be',
      [
        { forms: ['bad'], exact: false },
        { forms: ['2'], exact: false },
        { forms: ['be'], exact: false },
      ],
    ],
    ['temp TEMP', [{ forms: ['temp'], exact: false }]],
  ])('%j', (typed, expected) => {
    const search = parseSearch(typed)
    expect(search?.map(({ typed: _, ...word }) => word) ?? null).toEqual(expected)
  })

  test.each([
    ['Büro temp-sensor', ['Büro', 'temp-sensor']],
    [' "Bin 2" ', ['Bin 2']],
    ['70 B3 D5 7E', ['70b3d57e']],
  ])('%j keeps %j as they were typed', (typed, words) => {
    expect(parseSearch(typed)?.map((word) => word.typed)).toEqual(words)
  })

  test('takes a bounded number of words', () => {
    const typed = Array.from({ length: 100 }, (_, index) => `w${index}`).join(' ')
    expect(parseSearch(typed)).toHaveLength(searchWordsMax)
  })
})

describe('a search', () => {
  test.each([
    ['CO2', 'CO₂', true],
    ['co₂', 'CO2 kitchen', true],
    ['strasse', 'Lange Straße 5', true],
    ['STRASSE', 'Lange Straße 5', true],
    ['straße', 'Lange Strasse', true],
    ['buro', 'Bürgerbüro', true],
    ['buero', 'Bürgerbüro', true],
    ['büro', 'Bürgerbuero', true],
    ['büro', 'Burgerburo', true],
    ['temp bürg', 'Bürgerbüro Temperatur', true],
    ['bürg temp', 'Temperatur im Bürgerbüro', true],
    ['bürg feuchte', 'Bürgerbüro Temperatur', false],
    ['a81758fffe0000', 'A8-17-58-FF-FE-00-00-10', true],
    ['A8:17:58:FF', 'a81758fffe000010', true],
    ['a8 17 58 ff', 'A81758FFFE000010', true],
    ['temp-sensor', 'Temp Sensor 1', true],
    ['tempsensor', 'Temp-Sensor 1', true],
    ['raum101', 'Raum 101', true],
    ['rot', 'Büro Temp', false],
    ['"büro"', 'Bürgerbüro', false],
    ['"bürgerbüro"', 'BÜRGERBÜRO', true],
    ['50%', '50 percent', false],
    ['.*', 'anything', false],
    ['', 'anything', true],
  ])('%j in %j: %s', (typed, text, expected) => {
    expect(isFound(parseSearch(typed), foldFields(text))).toBe(expected)
  })

  test('finds its words in different fields, a quoted one only a whole field', () => {
    const text = foldFields('Bürgerbüro', null, 'Temperatur')
    expect(isFound(parseSearch('temp bürger'), text)).toBe(true)
    expect(isFound(parseSearch('"Temperatur"'), text)).toBe(true)
    expect(isFound(parseSearch('"Bürgerbüro Temperatur"'), text)).toBe(false)
  })

  test('filters lists', () => {
    const items = [{ name: 'Café' }, { name: 'Küche' }]
    const found = (typed: string) => filterFound(items, typed, ({ name }) => [name]).map(({ name }) => name)
    expect(found('cafe')).toEqual(['Café'])
    expect(found('kueche')).toEqual(['Küche'])
    expect(found(' ')).toEqual(['Café', 'Küche'])
  })
})
