import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isRecent, type Recent, withRecent } from './recentEntries.ts'

const entry = (id: number, change: Partial<Recent> = {}): Recent => ({
  userId: 1,
  kind: 'virtualDevice',
  id,
  title: `Device ${id}`,
  at: id,
  ...change,
})

describe('stored entries', () => {
  test.each([
    [entry(1), true],
    [{ ...entry(1), title: '' }, true],
    [{ ...entry(1), kind: 'spaceship' }, false],
    [{ ...entry(1), kind: 'constructor' }, false],
    [{ ...entry(1), id: '1' }, false],
    [{ ...entry(1), userId: undefined }, false],
    [{ ...entry(1), title: null }, false],
    [null, false],
    ['text', false],
    [[], false],
  ])('%j can be linked to: %s', (value, known) => {
    expect(isRecent(value)).toBe(known)
  })
})

describe('opening an object', () => {
  test('puts it in front, with its new title, once', () => {
    const entries = [entry(1), entry(2), entry(3)]
    expect(withRecent(entries, entry(2, { title: 'Renamed', at: 9 }))).toEqual([
      entry(2, { title: 'Renamed', at: 9 }),
      entry(1),
      entry(3),
    ])
  })

  test('leaves those of other users and of other kinds alone', () => {
    const entries = [entry(1, { userId: 2 }), entry(1, { kind: 'dashboard' })]
    expect(withRecent(entries, entry(1))).toEqual([entry(1), ...entries])
  })

  test('keeps each object of a user once and has a limit', () => {
    const opened = fc.array(
      fc.record({
        userId: fc.constantFrom(1, 2),
        kind: fc.constantFrom('digitalTwin' as const, 'virtualDevice' as const),
        id: fc.nat({ max: 30 }),
      }),
      { maxLength: 80 },
    )
    fc.assert(
      fc.property(opened, (all) => {
        const entries = all.reduce<Recent[]>(
          (list, each, at) => withRecent(list, { ...each, title: '', at }),
          [],
        )
        const keys = entries.map(({ userId, kind, id }) => `${userId} ${kind} ${id}`)
        expect(new Set(keys).size).toBe(keys.length)
        expect(keys.length).toBeLessThanOrEqual(36)
        expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted((a, b) => b - a))
        if (all.length > 0) expect(entries[0]).toMatchObject(all.at(-1) ?? {})
      }),
    )
  })
})
