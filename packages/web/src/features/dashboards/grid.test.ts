import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { moved } from './grid.ts'

it('moves widgets to the place they are dropped on', () => {
  expect(moved([1, 2, 3, 4], 1, 3)).toEqual([2, 3, 1, 4])
  expect(moved([1, 2, 3, 4], 4, 2)).toEqual([1, 4, 2, 3])
  expect(moved([1, 2], 1, 9)).toEqual([1, 2])
})

const distinct = fc.uniqueArray(fc.integer(), { minLength: 1, maxLength: 12 })

test('a moved widget takes the place of the other, and nothing is lost', () => {
  fc.assert(
    fc.property(distinct, fc.nat(), fc.nat(), (ids, a, b) => {
      const [id, over] = [ids[a % ids.length] ?? 0, ids[b % ids.length] ?? 0]
      const next = moved(ids, id, over)
      expect(next.toSorted()).toEqual(ids.toSorted())
      expect(next.indexOf(id)).toBe(ids.indexOf(over))
      expect(next.filter((each) => each !== id)).toEqual(ids.filter((each) => each !== id))
    }),
  )
})

test.each([
  [[1, 2, 3], 1, 3, [2, 3, 1]],
  [[1, 2, 3], 3, 1, [3, 1, 2]],
  [[1, 2, 3], 2, 2, [1, 2, 3]],
  [[1, 2, 3], 9, 1, [1, 2, 3]],
  [[1, 2, 3], 1, 9, [1, 2, 3]],
  [[], 1, 2, []],
])('%j: %d on %d', (ids, id, over, expected) => {
  expect(moved(ids, id, over)).toEqual(expected)
})

it('a drop moves one widget and keeps all others in their order', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 2, maxLength: 12 })
  fc.assert(
    fc.property(ids, fc.nat(), fc.nat(), (order, from, to) => {
      const id = order[from % order.length] ?? 0
      const over = order[to % order.length] ?? 0
      const next = moved(order, id, over)
      expect(next.indexOf(id)).toBe(order.indexOf(over))
      expect(next.filter((each) => each !== id)).toEqual(order.filter((each) => each !== id))
    }),
  )
})
