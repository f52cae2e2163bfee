import { expect, test } from 'vitest'
import { between, withRows } from './selection.ts'

const keyOf = (row: { id: number }) => row.id
const row = (id: number) => ({ id })

test('rows are added once, and those of other pages stay', () => {
  const selected = [row(90), row(1)]
  expect(withRows(selected, [row(1), row(2)], { on: true, keyOf })).toEqual([row(90), row(1), row(2)])
})

test('rows are taken away by their key, although they were loaded again', () => {
  expect(withRows([row(90), row(1)], [row(1), row(2)], { on: false, keyOf })).toEqual([row(90)])
})

test('a range is the same from both of its ends', () => {
  const rows = [1, 2, 3, 4].map(row)
  expect(between(rows, 1, 3)).toEqual([row(2), row(3), row(4)])
  expect(between(rows, 3, 1)).toEqual([row(2), row(3), row(4)])
  expect(between(rows, 2, 2)).toEqual([row(3)])
})
