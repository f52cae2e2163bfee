import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Cuts, cover, cutsOf, raw, type Stale } from './cover.ts'
import { dayMs, hourMs, level, slotMs } from './levels.ts'

const ms = (iso: string) => Date.parse(iso)
const none = { days: new Set<number>(), hours: new Set<number>() }
const show = (found: ReturnType<typeof cover>) =>
  found.map(({ source, fromMs, toMs }) => [
    source,
    new Date(fromMs).toISOString().slice(5, 16),
    new Date(toMs).toISOString().slice(5, 16),
  ])

describe('where a range is read from', () => {
  const range = { fromMs: ms('2026-11-18T21:52:00Z'), toMs: ms('2026-11-21T02:10:00Z') }

  it('is days inside, hours and 5 minutes towards the ends, values at the very ends', () => {
    expect(show(cover(range, none, none))).toEqual([
      [raw, '11-18T21:52', '11-18T21:55'],
      [level.fiveMinutes, '11-18T21:55', '11-18T22:00'],
      [level.hour, '11-18T22:00', '11-19T00:00'],
      [level.day, '11-19T00:00', '11-21T00:00'],
      [level.hour, '11-21T00:00', '11-21T02:00'],
      [level.fiveMinutes, '11-21T02:00', '11-21T02:10'],
    ])
  })
  it('is the hours of a day in which an interval begins, and the 5 minutes of such an hour', () => {
    const cuts = { days: new Set([ms('2026-11-19')]), hours: new Set([ms('2026-11-19T18:00Z')]) }
    expect(show(cover({ fromMs: ms('2026-11-19'), toMs: ms('2026-11-21') }, cuts, none))).toEqual([
      [level.hour, '11-19T00:00', '11-19T18:00'],
      [level.fiveMinutes, '11-19T18:00', '11-19T19:00'],
      [level.hour, '11-19T19:00', '11-20T00:00'],
      [level.day, '11-20T00:00', '11-21T00:00'],
    ])
  })
  it('is cut where intervals begin within a day or an hour', () => {
    expect(cutsOf(['2026-11-18', '2026-11-19T04:00Z', '2026-11-20T18:30Z'].map(ms))).toEqual({
      days: new Set([ms('2026-11-19'), ms('2026-11-20')]),
      hours: new Set([ms('2026-11-20T18:00Z')]),
    })
  })
  it('is the values of an hour that is not up to date, and the other hours of its day', () => {
    const stale = { days: new Set([ms('2026-11-19')]), hours: new Set([ms('2026-11-19T05:00Z')]) }
    expect(show(cover({ fromMs: ms('2026-11-19'), toMs: ms('2026-11-21') }, none, stale))).toEqual([
      [level.hour, '11-19T00:00', '11-19T05:00'],
      [raw, '11-19T05:00', '11-19T06:00'],
      [level.hour, '11-19T06:00', '11-20T00:00'],
      [level.day, '11-20T00:00', '11-21T00:00'],
    ])
  })
  it('is 5 minutes throughout for intervals shorter than an hour', () => {
    expect(show(cover({ fromMs: ms('2026-11-19'), toMs: ms('2026-11-21') }, null, none))).toEqual([
      [level.fiveMinutes, '11-19T00:00', '11-21T00:00'],
    ])
  })
  it('is the values where time zones were cut by the second', () => {
    const old = { fromMs: ms('1930-01-01'), toMs: ms('1930-01-03') }
    expect(cover(old, none, none)).toEqual([{ source: raw, ...old }])
  })

  it('leaves nothing out, takes nothing twice and nothing that is out of date or cut', () => {
    const days = fc.integer({ min: 0, max: 5 }).map((day) => ms('2026-11-18') + day * dayMs)
    const hours = fc.integer({ min: 0, max: 120 }).map((hour) => ms('2026-11-18') + hour * hourMs)
    const marks = fc.tuple(fc.uniqueArray(days), fc.uniqueArray(hours)).map(([day, hour]): Cuts & Stale => ({
      days: new Set([...day, ...hour.map((each) => Math.floor(each / dayMs) * dayMs)]),
      hours: new Set(hour),
    }))
    const span = fc
      .tuple(fc.integer({ min: 0, max: 5 * dayMs }), fc.integer({ min: 1, max: 2 * dayMs }))
      .map(([from, length]) => ({ fromMs: ms('2026-11-18') + from, toMs: ms('2026-11-18') + from + length }))
    const sizes = [slotMs, hourMs, dayMs, 1]
    fc.assert(
      fc.property(span, fc.option(marks), marks, (whole, cuts, stale) => {
        const found = cover(whole, cuts, stale)
        expect([found[0]?.fromMs, found.at(-1)?.toMs]).toEqual([whole.fromMs, whole.toMs])
        for (const [index, { source, fromMs, toMs }] of found.entries()) {
          expect(toMs).toBe(found[index + 1]?.fromMs ?? whole.toMs)
          const size = sizes[source] as number
          expect([fromMs % size, toMs % size]).toEqual([0, 0])
          for (let hour = Math.floor(fromMs / hourMs) * hourMs; hour < toMs; hour += hourMs) {
            const day = Math.floor(hour / dayMs) * dayMs
            if (source !== raw) expect(stale.hours.has(hour)).toBe(false)
            if (source === level.hour) expect(cuts?.hours.has(hour)).toBe(false)
            if (source === level.day)
              expect([cuts?.days.has(day), stale.days.has(day)]).toEqual([false, false])
          }
        }
      }),
      { verbose: 1 },
    )
  })
})
