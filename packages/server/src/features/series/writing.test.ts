import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventPieces } from './writing.ts'

const arbitrary = fc.array(
  fc.record({ stateId: fc.integer({ min: 1, max: 4 }), isCurrent: fc.boolean(), wasNewest: fc.boolean() }),
)

test('values are cut so that each that was the newest of its state is the only one of an event (seed 20261123)', () => {
  fc.assert(
    fc.property(arbitrary, (values) => {
      const pieces = eventPieces(values)
      expect(pieces.flat()).toEqual(values)
      for (const piece of pieces) {
        expect(piece.length).toBeGreaterThan(0)
        const newest = piece.filter(({ isCurrent, wasNewest }) => isCurrent || wasNewest)
        expect(new Set(newest.map(({ stateId }) => stateId)).size).toBe(newest.length)
      }
    }),
    { seed: 20_261_123 },
  )
})

test('values of different states stay together, up to 5 000', () => {
  const values = Array.from({ length: 10_001 }, (_, stateId) => ({
    stateId,
    isCurrent: true,
    wasNewest: false,
  }))
  expect(eventPieces(values).map(({ length }) => length)).toEqual([5_000, 5_000, 1])
})

test('very many values of one state make a limited number of events', () => {
  const values = Array.from({ length: 4_000 }, () => ({ stateId: 1, isCurrent: false, wasNewest: true }))
  expect(eventPieces(values)).toHaveLength(2_000)
})
