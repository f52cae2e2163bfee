import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PaneWindow, paneLength } from './panes.ts'
import { RawWindow } from './raw.ts'
import type { WindowSummary } from './types.ts'

const minute = 60_000
/** Any moment that is no start of a pane. */
const base = Date.UTC(2026, 10, 26, 7, 3, 17, 250)

/** The slow model: all values that there are, newest last. */
function summaryOf(values: ReadonlyMap<number, number>, sinceMs: number, untilMs: number, most = Infinity) {
  const times = [...values.keys()].filter((ms) => ms <= untilMs && ms > sinceMs).sort((a, b) => a - b)
  const kept = most === Infinity ? times : times.slice(Math.max(0, times.length - most))
  return kept.map((ms) => [ms, values.get(ms) as number] as const)
}

function expectSummary(actual: WindowSummary | null, kept: readonly (readonly [number, number])[]): void {
  if (actual === null) throw new Error('it does not know')
  const numbers = kept.map(([, number]) => number)
  expect(actual.numbers).toBe(kept.length)
  if (kept.length === 0) {
    expect(actual).toMatchObject({ sum: null, min: null, max: null, firstNumber: null, lastNumber: null })
    return
  }
  // Whole numbers add up exactly in any order.
  expect(actual.sum).toBe(numbers.reduce((a, b) => a + b, 0))
  expect(actual.min).toBe(Math.min(...numbers))
  expect(actual.max).toBe(Math.max(...numbers))
  expect(actual.firstNumber).toEqual(kept[0])
  expect(actual.lastNumber).toEqual(kept.at(-1))
}

/** Values as they come: each so long after the one before, some of them late. */
const Coming = fc.array(
  fc.record({
    afterMs: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 1, max: 3 * minute }) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 90 * minute }) },
    ),
    lateMs: fc.oneof(
      { weight: 5, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 20 * minute }) },
    ),
    number: fc.integer({ min: -1_000, max: 1_000 }),
  }),
  { minLength: 1, maxLength: 900 },
)

describe('a window of panes', () => {
  it('says what all its values would say, or that it does not know', () => {
    const widths = [5, 15, 60, 240, 1_440].map((minutes) => minutes * minute)
    fc.assert(
      fc.property(Coming, fc.constantFrom(...widths), (coming, windowMs) => {
        const lengthMs = paneLength(windowMs)
        const fromMs = Math.floor((base - windowMs) / lengthMs) * lengthMs
        let window: PaneWindow | null = new PaneWindow(windowMs, fromMs, base)
        const values = new Map<number, number>()
        let newestMs = base
        for (const { afterMs, lateMs, number } of coming) {
          newestMs += afterMs
          const timeMs = newestMs - lateMs
          const taken = window.add(timeMs, values.get(timeMs) ?? number)
          if (taken === 'unclear') break
          if (taken !== 'known') values.set(timeMs, number)
          for (const { startMs, endMs } of window.missing(newestMs) ?? []) {
            const raw = summaryOf(values, startMs - 1, endMs - 1)
            window.setRaw(startMs, { times: raw.map(([ms]) => ms), numbers: raw.map(([, n]) => n) })
          }
          expectSummary(window.at(newestMs), summaryOf(values, newestMs - windowMs, newestMs))
        }
        window = null
      }),
      { numRuns: 150 },
    )
  })

  it('keeps a day of minute values in the memory of a few hours of them', () => {
    const window = new PaneWindow(1_440 * minute, base - 1_440 * minute - (base % (60 * minute)), base)
    for (let n = 0; n < 3_000; n++) window.add(base + n * minute, n)
    expect(window.bytes).toBeLessThan(200 * 16 + 28 * 64 + 28 * 160)
  })

  it('knows a value that it was given before, and not one that differs', () => {
    const window = new PaneWindow(15 * minute, base - (base % minute) - 15 * minute, base)
    expect(window.add(base, 20)).toBe('taken')
    expect(window.add(base, 20)).toBe('known')
    expect(window.add(base, 21)).toBe('unclear')
    expect(window.add(base - 60 * minute, 20)).toBe('older')
  })

  it('cannot tell whether it has a late value where it keeps no single numbers', () => {
    const window = new PaneWindow(1_440 * minute, base - 1_440 * minute - (base % (60 * minute)), base)
    for (let n = 0; n < 1_000; n++) window.add(base + n * minute, n)
    expect(window.add(base + 500.5 * minute, 1)).toBe('unclear')
  })

  it('does not look back further than it was read', () => {
    const window = new PaneWindow(15 * minute, base - (base % minute) - 5 * minute, base)
    window.add(base, 1)
    expect(window.missing(base)).toBeNull()
    expect(window.at(base)).toBeNull()
  })
})

describe('a window of single values', () => {
  it('says what all its values would say, or that it does not know', () => {
    fc.assert(
      fc.property(
        Coming,
        fc.record({
          values: fc.integer({ min: 1, max: 50 }),
          minutes: fc.option(fc.integer({ min: 1, max: 60 })),
        }),
        fc.boolean(),
        (coming, { values: most, minutes }, isMedian) => {
          const width = {
            values: isMedian ? Number.POSITIVE_INFINITY : most,
            ms: (minutes ?? (isMedian ? 30 : Number.POSITIVE_INFINITY)) * minute,
          }
          const window = new RawWindow(width, { times: [], numbers: [] }, Number.NEGATIVE_INFINITY)
          const values = new Map<number, number>()
          let newestMs = base
          for (const { afterMs, lateMs, number } of coming) {
            newestMs += afterMs
            const timeMs = newestMs - lateMs
            const taken = window.add(timeMs, values.get(timeMs) ?? number)
            if (taken !== 'known') values.set(timeMs, number)
            const kept = summaryOf(values, newestMs - width.ms, newestMs, width.values)
            expectSummary(window.at(newestMs), kept)
            expect(window.numbersAt(newestMs)).toEqual(kept.map(([, n]) => n))
          }
        },
      ),
      { numRuns: 150 },
    )
  })

  it('does not know how many values there were before the oldest one that it was read with', () => {
    const known = { times: [base, base + 1], numbers: [1, 2] }
    const window = new RawWindow({ values: 3, ms: Number.POSITIVE_INFINITY }, known, base)
    expect(window.at(base + 1)).toBeNull()
    window.add(base + 2, 3)
    expect(window.at(base + 2)).toMatchObject({ numbers: 3, sum: 6 })
    expect(window.at(base + 1)).toBeNull()
    expect(window.add(base - 1, 0)).toBe('older')
  })

  it('keeps little more than it needs', () => {
    const window = new RawWindow(
      { values: 20, ms: Number.POSITIVE_INFINITY },
      { times: [], numbers: [] },
      base,
    )
    for (let n = 0; n < 10_000; n++) window.add(base + n, n)
    expect(window.size).toBeLessThan(200)
  })
})
