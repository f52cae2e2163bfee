import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventPieces } from './writing.ts'

const arbitrary = fc.array(
  fc.record({ stateId: fc.integer({ min: 1, max: 6 }), isCurrent: fc.boolean(), wasNewest: fc.boolean() }),
)
const twinOf = (stateId: number) => stateId % 3

test('values are cut so that each that was the newest of its state is the only one of an event (seed 20261123)', () => {
  fc.assert(
    fc.property(arbitrary, (records) => {
      const values = records.map((value) => ({ ...value, twinId: twinOf(value.stateId) }))
      const pieces = eventPieces(values)
      for (const twin of [0, 1, 2]) {
        const ofTwin = (all: typeof values) => all.filter(({ twinId }) => twinId === twin)
        expect(ofTwin(pieces.flat())).toEqual(ofTwin(values))
      }
      expect(pieces.flat()).toHaveLength(values.length)
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
    twinId: stateId,
    isCurrent: true,
    wasNewest: false,
  }))
  expect(eventPieces(values).map(({ length }) => length)).toEqual([5_000, 5_000, 1])
})

test('very many values of one state make a limited number of events', () => {
  const values = Array.from({ length: 4_000 }, () => ({
    stateId: 1,
    twinId: 1,
    isCurrent: false,
    wasNewest: true,
  }))
  expect(eventPieces(values)).toHaveLength(2_000)
})

test('several values of many twins make as many events as one twin has values', () => {
  const values = [1, 2, 3].flatMap(() =>
    Array.from({ length: 100 }, (_, stateId) => ({
      stateId,
      twinId: stateId,
      isCurrent: false,
      wasNewest: true,
    })),
  )
  expect(eventPieces(values).map(({ length }) => length)).toEqual([100, 100, 100])
})
