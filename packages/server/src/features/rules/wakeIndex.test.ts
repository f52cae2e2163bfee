import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type RuleWakes, WakeIndex } from './wakeIndex.ts'

const state = fc.integer({ min: 1, max: 6 })
const watch = fc.record({
  kind: fc.constantFrom('alarm' as const, 'health' as const, 'rule' as const),
  id: fc.integer({ min: 1, max: 3 }),
  below: fc.boolean(),
})
const wakes = fc.record({
  states: fc.uniqueArray(state, { maxLength: 4 }),
  watches: fc.uniqueArray(watch, { maxLength: 3, selector: ({ kind, id }) => `${kind} ${id}` }),
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
          const woken = rules.flatMap(([ruleId, { states }]) => (states.includes(id) ? [ruleId] : []))
          expect(index.rulesOf(id) ?? []).toEqual(woken)
          for (const kind of ['alarm', 'health', 'rule'] as const) {
            const watchers = rules.flatMap(([ruleId, { watches }]) =>
              watches
                .filter((each) => each.kind === kind && each.id === id)
                .map(({ below }) => ({ ruleId, below })),
            )
            expect(index.watchersOf(kind, id)).toEqual(watchers)
          }
        }
      }),
    )
  })

  test('holds nothing after it was cleared', () => {
    const index = new WakeIndex()
    index.set(1, { states: [2], watches: [{ kind: 'rule', id: 3, below: false }] })
    index.clear()
    expect(index.rulesOf(2)).toBeUndefined()
    expect(index.watchersOf('rule', 3)).toEqual([])
  })
})
