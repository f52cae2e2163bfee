import { expect, it } from 'vitest'
import { groupedRows } from './groups.ts'

it('finds where groups begin and how many rows they have on the page', () => {
  expect(groupedRows([])).toEqual([])
  expect(groupedRows([7, 7, 7, 3, 5, 5])).toEqual([
    { isFirst: true, count: 3 },
    { isFirst: false, count: 3 },
    { isFirst: false, count: 3 },
    { isFirst: true, count: 1 },
    { isFirst: true, count: 2 },
    { isFirst: false, count: 2 },
  ])
})

it('gives rows that do not follow one another a heading each', () => {
  expect(groupedRows(['a', 'b', 'a']).map(({ isFirst }) => isFirst)).toEqual([true, true, true])
})
