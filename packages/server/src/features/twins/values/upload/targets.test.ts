import { expect, test } from 'vitest'
import { chooseTwins, type NamedTwin, pathIn, pathLengthMax } from './targets.ts'

const twin = (id: number, ...path: string[]): NamedTwin => ({
  id,
  title: path[0] ?? '',
  category: 'digitalTwin',
  scopeId: id,
  path: path.map((title) => title.toLowerCase()),
})
const twins = [
  twin(1, 'School'),
  twin(2, 'Room 1', 'School'),
  twin(3, 'Room 1', 'Hall'),
  twin(4, '3'),
  twin(5, 'A / B', 'School'),
]
async function idOf(cell: string) {
  const found = (await chooseTwins(twins, [cell, 'Hall / Room 1'], ({ id }) => id !== 1)).get(cell)
  return typeof found === 'object' ? found.id : found
}

test.each([
  ['2', 2],
  ['room 1', 'TWIN_AMBIGUOUS'],
  ['Hall / Room 1', 3],
  ['school /  ROOM 1', 2],
  ['Park / Room 1', 'TWIN_UNKNOWN'],
  // An id is meant before a title.
  ['3', 3],
  ['A / B', 5],
  ['School', 'TWIN_FORBIDDEN'],
  ['', 'TWIN_UNKNOWN'],
  [' / ', 'TWIN_UNKNOWN'],
  [`${'x / '.repeat(pathLengthMax)}Room 1`, 'TWIN_UNKNOWN'],
  [`${' '.repeat(900)}/`, 'TWIN_UNKNOWN'],
])('%j means %s', async (cell, expected) => {
  expect(await idOf(cell)).toBe(expected)
})

test('a path is read from the twin upwards', () => {
  expect(pathIn('City / School/Annex / Room 7')).toEqual(['room 7', 'school/annex', 'city'])
})
