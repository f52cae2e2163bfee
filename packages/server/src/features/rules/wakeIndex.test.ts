import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type RuleWakes, WakeIndex } from './wakeIndex.ts'

const state = fc.integer({ min: 1, max: 6 })
const twin = fc.integer({ min: 1, max: 4 })
const watch = fc.record({
  kind: fc.constantFrom('alarm' as const, 'health' as const, 'rule' as const),
  id: fc.integer({ min: 1, max: 3 }),
  below: fc.boolean(),
  twinId: twin,
})
const wakes = fc.record({
  twins: fc.uniqueArray(twin, { maxLength: 3 }),
  states: fc.uniqueArray(state, { maxLength: 3 }),
  inputs: fc
    .uniqueArray(fc.tuple(state, fc.uniqueArray(twin, { minLength: 1, maxLength: 2 })), {
      maxLength: 3,
      selector: ([id]) => id,
    })
    .map((entries) => new Map(entries)),
  watches: fc.uniqueArray(watch, {
    maxLength: 3,
    selector: ({ kind, id, twinId }) => `${kind} ${id} ${twinId}`,
  }),
})
const changes = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.option(wakes, { nil: undefined })), {
  maxLength: 30,
})

describe('the index of what wakes rules', () => {
  test('answers as a search through all rules does, after any changes', () => {
    fc.assert(
      fc.property(changes, (all) => {
        const index = new WakeIndex()
        const model = new Map<number, RuleWakes>()
        for (const [id, now] of all) {
          index.set(id, now)
          if (now === undefined) model.delete(id)
          else model.set(id, now)
        }
        const rules = [...model].sort(([one], [other]) => one - other)
        for (let id = 1; id <= 6; id++) {
          const woken = rules.flatMap(([ruleId, { twins, states, inputs }]) =>
            (states.includes(id) ? twins : (inputs.get(id) ?? [])).map((twinId) => ({ ruleId, twinId })),
          )
          expect(index.placesOf(id)).toEqual(woken)
          const isKnown = rules.some(([, { states, inputs }]) => states.includes(id) || inputs.has(id))
          expect(index.wakes(id)).toBe(isKnown)
          expect(index.twinsOf(id)).toEqual(model.get(id)?.twins ?? [])
          for (const kind of ['alarm', 'health', 'rule'] as const) {
            const watchers = rules.flatMap(([ruleId, { watches }]) =>
              watches
                .filter((each) => each.kind === kind && each.id === id)
                .map(({ twinId, below }) => ({ ruleId, twinId, below }))
                .sort((one, other) => one.twinId - other.twinId),
            )
            expect(index.watchersOf(kind, id)).toEqual(watchers)
          }
        }
      }),
    )
  })

  test('holds nothing after it was cleared', () => {
    const index = new WakeIndex()
    index.set(1, {
      twins: [5],
      states: [2],
      inputs: new Map([[4, [5]]]),
      watches: [{ kind: 'rule', id: 3, below: false, twinId: 5 }],
    })
    index.clear()
    expect([index.wakes(2), index.wakes(4)]).toEqual([false, false])
    expect(index.twinsOf(1)).toEqual([])
    expect(index.watchersOf('rule', 3)).toEqual([])
  })
})
