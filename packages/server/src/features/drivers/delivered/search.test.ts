import type { LibraryEntry } from '@leitstand/contract/driverLibrary'
import { describe, expect, it } from 'vitest'
import { countStates, type LibraryFilter, searchLibrary } from './search.ts'

const entry = (title: string, more: Partial<LibraryEntry> = {}): LibraryEntry => ({
  key: title.toLowerCase().replace(' ', '-'),
  title,
  manufacturer: title.split(' ')[0] ?? '',
  model: title.split(' ')[1] ?? '',
  category: 'climate',
  description: { de: '–', en: '–' },
  state: 'available',
  modified: false,
  driverId: null,
  ...more,
})
const entries = [
  entry('Dragino LHT65', {
    description: { de: 'Temperatur und Luftfeuchte', en: 'Temperature and humidity' },
  }),
  entry('Browan TBWL100', { category: 'leak', state: 'current', driverId: 1 }),
  entry('Browan TBSL100', { category: 'noise', state: 'updatable', driverId: 2 }),
]
const found = (filter: Partial<LibraryFilter>) =>
  searchLibrary(entries, { orderBy: 'title', ...filter }).map(({ model }) => model)

describe('the library', () => {
  it('is searched by every word, in maker, model and description', () => {
    expect(found({ search: 'browan tbwl' })).toEqual(['TBWL100'])
    expect(found({ search: 'LUFTFEUCHTE lht' })).toEqual(['LHT65'])
    expect(found({ search: 'humidity' })).toEqual(['LHT65'])
    expect(found({ search: 'browan lht' })).toEqual([])
    expect(found({ search: '  ' })).toHaveLength(3)
  })

  it('is filtered by maker, purpose and state', () => {
    expect(found({ manufacturers: ['Browan'] })).toEqual(['TBSL100', 'TBWL100'])
    expect(found({ categories: ['leak', 'climate'] })).toEqual(['TBWL100', 'LHT65'])
    expect(found({ states: ['updatable'] })).toEqual(['TBSL100'])
  })

  it('is ordered either way, by title within a maker', () => {
    expect(found({ orderBy: '-title' })).toEqual(['LHT65', 'TBWL100', 'TBSL100'])
    expect(found({ orderBy: 'manufacturer' })).toEqual(['TBSL100', 'TBWL100', 'LHT65'])
  })

  it('is ordered like a person would, by number and whatever the case', () => {
    const titles = ['Milesight EM10', 'milesight EM9', 'Ärger A1', 'Azur A1']
    const ordered = (orderBy: LibraryFilter['orderBy']) =>
      searchLibrary(
        titles.map((title) => entry(title)),
        { orderBy },
      ).map(({ title }) => title)
    expect(ordered('title')).toEqual(['Ärger A1', 'Azur A1', 'milesight EM9', 'Milesight EM10'])
    expect(ordered('-manufacturer')).toEqual(['Milesight EM10', 'milesight EM9', 'Azur A1', 'Ärger A1'])
  })

  it('counts the states', () => {
    expect(countStates(entries)).toEqual({ available: 1, updatable: 1, current: 1 })
  })
})
