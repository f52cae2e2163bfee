import { describe, expect, test } from 'vitest'
import { libraryDrivers } from './index.ts'
import { titleFor, titleToStore } from './titles.ts'

const german = { key: 'temperature', title: 'Temperatur' }
const english = { key: 'temperature', title: 'Temperature' }

describe('the title of a state', () => {
  test.each([
    ['is in the language of the reader', german, 'en', 'Temperature'],
    ['whichever was stored', english, 'de', 'Temperatur'],
    ['stays the stored one without a language', german, undefined, 'Temperatur'],
    ['stays as someone renamed it', { key: 'temperature', title: 'Vorlauf' }, 'en', 'Vorlauf'],
    ['is that of its variable only', { key: 'room', title: 'Temperatur' }, 'en', 'Temperatur'],
    ['of no driver stays', { key: 'constructor', title: 'Temperatur' }, 'en', 'Temperatur'],
  ] as const)('%s', (_what, state, language, title) => {
    expect(titleFor(language === undefined ? {} : { language }, state)).toBe(title)
  })

  test('is not renamed by saving it in the other language', () => {
    expect(titleToStore(german, 'Temperature')).toBe('Temperatur')
    expect(titleToStore(german, 'Vorlauf')).toBe('Vorlauf')
    expect(titleToStore({ key: 'temperature', title: 'Vorlauf' }, 'Temperature')).toBe('Temperature')
  })
})

// Otherwise the key of a state would not be enough to find both titles.
test('all drivers give a variable the same titles', () => {
  const titles = new Map<string, Set<string>>()
  for (const { variables } of libraryDrivers())
    for (const { key, title } of variables)
      titles.set(key, (titles.get(key) ?? new Set()).add(JSON.stringify([title.de, title.en])))
  expect([...titles].filter(([, each]) => each.size > 1)).toEqual([])
})
