import { limits } from '@leitstand/contract/common'
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

test('cuts what is longer than allowed here, and finds it equal afterwards', () => {
  const long = { ...there, name: ` ${'n'.repeat(300)}`, description: 'd'.repeat(100_000) }
  const { fields } = compare(here, long, ['title'])
  expect(fields.title).toBe('n'.repeat(limits.titleLengthMax))
  expect(fields.description).toBe('d'.repeat(limits.textLengthMax))
  expect(compare({ ...here, ...fields }, long, [])).toEqual({ fields: {}, taken: [], differences: [] })
})

test.each([
  ['neither coordinate there', { latitude: null, longitude: null }, []],
  ['only a latitude there', { longitude: null }, []],
  ['only a longitude there', { latitude: null }, []],
  ['the same position', {}, []],
  ['another latitude', { latitude: 53.550002 }, ['position']],
  ['another longitude', { longitude: 10.000002 }, ['position']],
])('with %s the positions differ: %j', (_, changes, differences) => {
  const own = { title: 'Cellar 7', description: 'by the stairs', latitude: 53.55, longitude: 10 }
  expect(compare(own, { ...there, ...changes }, []).differences).toEqual(differences)
})

test.each([
  ['latitude', { latitude: 53.55, longitude: null }],
  ['longitude', { latitude: null, longitude: 10 }],
])('with only a %s here the positions differ', (_, position) => {
  const own = { title: 'Cellar 7', description: 'by the stairs', ...position }
  expect(compare(own, there, ['position']).fields).toEqual({ latitude: 53.55, longitude: 10 })
})
