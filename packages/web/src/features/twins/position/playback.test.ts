import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Place } from './places.ts'
import {
  gapChoices,
  momentAt,
  nextReport,
  periodOf,
  placeAt,
  speedChoices,
  trackUntil,
  usualGap,
  usualSpeed,
} from './playback.ts'

const minute = 60_000
const start = Date.parse('2026-11-20T12:00:00Z')
const at = (minutes: number) => start + minutes * minute
const place = (from: number, until: number, latitude: number, longitude: number): Place => ({
  time: new Date(at(from)).toISOString(),
  until: new Date(at(until)).toISOString(),
  latitude,
  longitude,
})
/** Stands for five minutes, moves for ten, is silent for an hour. */
const places = [place(0, 5, 50, 10), place(15, 15, 51, 11), place(75, 80, 53, 13)]
const gap = 15 * minute
const seen = (minutes: number) => momentAt(places, at(minutes), gap)

describe('where something was', () => {
  test.each([
    ['while it stands', 3, { latitude: 50, longitude: 10, motion: 'stays', sinceMs: at(0) }],
    ['until its last report there', 5, { latitude: 50, longitude: 10, motion: 'stays', sinceMs: at(0) }],
    ['half the way', 10, { latitude: 50.5, longitude: 10.5, motion: 'moves', sinceMs: at(5) }],
    ['on arrival', 15, { latitude: 51, longitude: 11, motion: 'stays', sinceMs: at(15) }],
    ['in a silence', 45, { latitude: 51, longitude: 11, motion: 'silent', sinceMs: at(15) }],
    ['soon after the last report', 95, { latitude: 53, longitude: 13, motion: 'stays', sinceMs: at(75) }],
    ['long after the last report', 96, { latitude: 53, longitude: 13, motion: 'silent', sinceMs: at(80) }],
  ])('%s', (_name, minutes, moment) => {
    expect(seen(minutes)).toEqual(moment)
  })

  test('is unknown before its first report, and without any', () => {
    expect(seen(-1)).toBeNull()
    expect(momentAt([], at(0), gap)).toBeNull()
  })

  test('a silence as long as allowed is none', () => {
    expect(momentAt(places, at(45), 60 * minute)).toMatchObject({ latitude: 52, motion: 'moves' })
  })

  test.each([
    [179, -179, 180],
    [-179, 179, -180],
    [178, -178, 180],
    [179, -177, -179],
    [-177, 179, -179],
  ])('between %d° and %d° it goes the short way', (from, to, middle) => {
    const across = [place(0, 0, 0, from), place(10, 10, 0, to)]
    expect(momentAt(across, at(5), gap)?.longitude).toBe(middle)
  })
})

describe('the track', () => {
  test('ends at the moment, and silences interrupt it', () => {
    const shape = (minutes: number | null) =>
      trackUntil(places, minutes === null ? null : at(minutes), gap).map((part) =>
        part.map(({ latitude }) => latitude),
      )
    expect(shape(-1)).toEqual([])
    expect(shape(3)).toEqual([[50]])
    expect(shape(10)).toEqual([[50, 50.5]])
    expect(shape(45)).toEqual([[50, 51]])
    expect(shape(75)).toEqual([[50, 51], [53]])
    expect(shape(null)).toEqual([[50, 51], [53]])
  })

  test('grows with time', () => {
    const length = (ms: number) => trackUntil(places, ms, gap).flat().length
    const moment = fc.integer({ min: at(-10), max: at(120) })
    fc.assert(
      fc.property(moment, moment, (one, other) => {
        // On arrival, the point on the way is replaced by the place.
        expect(length(Math.max(one, other))).toBeGreaterThanOrEqual(length(Math.min(one, other)))
      }),
    )
  })
})

test('the period goes from the first report to the last', () => {
  expect(periodOf([places, [], [place(-3, 90, 1, 1)]])).toEqual({ fromMs: at(-3), toMs: at(90) })
  expect(periodOf([places])).toEqual({ fromMs: at(0), toMs: at(80) })
  expect(periodOf([[]])).toEqual({ fromMs: 0, toMs: 0 })
})

test('the place of a moment is the last one that was reported', () => {
  expect([-1, 0, 14, 15, 500].map((minutes) => placeAt(places, at(minutes)))).toEqual([
    undefined,
    places[0],
    places[0],
    places[1],
    places[2],
  ])
})

test('steps lead from report to report of any of the tracks', () => {
  const other = [place(7, 7, 1, 1)]
  const step = (minutes: number, direction: 1 | -1) => nextReport([places, other], at(minutes), direction)
  expect([step(-1, 1), step(0, 1), step(7, 1), step(75, 1)]).toEqual([at(0), at(7), at(15), undefined])
  expect([step(80, -1), step(75, -1), step(15, -1), step(0, -1)]).toEqual([at(75), at(15), at(7), undefined])
  expect(nextReport([], at(0), 1)).toBeUndefined()
})

test('a silence is longer than the usual time between reports', () => {
  const every = (minutes: number) =>
    [0, 1, 2, 3].map((index) => place(index * minutes, index * minutes, 1, index))
  expect([1, 4, 20, 100, 1440].map((minutes) => usualGap(every(minutes)) / minute)).toEqual([
    5, 15, 60, 360, 1440,
  ])
  expect(usualGap([])).toBe(gapChoices[0])
  expect(usualGap(places) / minute).toBe(360)
})

test('a period is played in a minute at most, unless it is very long', () => {
  const lengths = [1, 60, 600, 60 * 24, 60 * 24 * 7, 60 * 24 * 365]
  expect(lengths.map((minutes) => usualSpeed(minutes * minute) / minute)).toEqual([1, 1, 10, 60, 360, 1440])
  expect(speedChoices).toContain(usualSpeed(12_345_678))
})
