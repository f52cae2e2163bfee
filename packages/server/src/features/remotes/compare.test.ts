import { expect, test } from 'vitest'
import { compare } from './compare.ts'

const here = { title: 'Cellar', description: '', latitude: null, longitude: null }
const there = {
  remoteId: 'cellar-7',
  externalId: 'A81758FFFE000001',
  name: 'Cellar 7',
  description: 'by the stairs',
  lastSeen: null,
  latitude: 53.55,
  longitude: 10,
}

test('takes over what is missing here, and reports what people have written otherwise', () => {
  expect(compare(here, there, [])).toEqual({
    fields: { description: 'by the stairs', latitude: 53.55, longitude: 10 },
    taken: ['description', 'position'],
    differences: ['title'],
  })
})

test('takes over what it is told to', () => {
  const own = { ...here, description: 'own words', latitude: 53, longitude: 10 }
  expect(compare(own, there, ['title', 'position'])).toEqual({
    fields: { title: 'Cellar 7', latitude: 53.55, longitude: 10 },
    taken: ['title', 'position'],
    differences: ['description'],
  })
})

test('loses nothing to what is empty there, and takes the same position for the same', () => {
  const own = { title: 'Cellar', description: 'own words', latitude: 53.55000004, longitude: 10 }
  const empty = { ...there, name: ' ', description: '' }
  expect(compare(own, empty, ['title', 'description', 'position'])).toEqual({
    fields: {},
    taken: [],
    differences: [],
  })
})
