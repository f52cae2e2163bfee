import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzzing } from '../../../test/fuzz.ts'
import { shownTime } from './answer.ts'
import { keyIn } from './http.ts'
import { parseQuery } from './influxql/parser.ts'
import { QueryError, type Select } from './influxql/syntax.ts'
import { planOf, reportingLimits, spanOf, startsOf } from './plan.ts'
import { costOfMeeting, meets, possible } from './tags.ts'

const nowMs = Date.parse('2026-05-04T10:30:00Z')
const hourMs = 3_600_000
const select = (text: string) => parseQuery(text)[0] as Select
const plan = (text: string) => planOf(select(text), nowMs)

it('takes exactly the milliseconds that meet every condition', () => {
  const condition = fc.record({
    comparison: fc.constantFrom('<' as const, '<=' as const, '>' as const, '>=' as const, '=' as const),
    fromNow: fc.constant(false),
    ms: fc.integer({ min: 0, max: 80 }).map((quarters) => quarters / 4),
  })
  fc.assert(
    fc.property(fc.array(condition, { maxLength: 4 }), (conditions) => {
      const { startMs, endMs } = spanOf(conditions, nowMs)
      for (let ms = 0; ms <= 20; ms++) {
        const expected = conditions.every(({ comparison, ms: bound }) =>
          comparison === '='
            ? ms === bound
            : comparison.startsWith('<')
              ? ms < bound || (comparison === '<=' && ms === bound)
              : ms > bound || (comparison === '>=' && ms === bound),
        )
        expect(ms >= startMs && ms < endMs).toBe(expected)
      }
    }),
    fuzzing(500),
  )
})

describe('intervals', () => {
  const from = 'FROM states_history WHERE'
  it('begin at multiples of their length and end now', () => {
    expect(plan(`SELECT mean(value_number) ${from} time > now() - 2h GROUP BY time(1h)`)).toMatchObject({
      kind: 'intervals',
      starts: ['08', '09', '10'].map((hour) => Date.parse(`2026-05-04T${hour}:00:00Z`)),
    })
    expect(plan(`SELECT mean(value_number) ${from} time >= now() - 2h GROUP BY time(1h, 30m)`)).toMatchObject(
      {
        starts: ['08', '09', '10'].map((hour) => Date.parse(`2026-05-04T${hour}:30:00Z`)),
      },
    )
  })
  it('are one without GROUP BY time', () => {
    expect(plan(`SELECT mean(value_number) ${from} time >= 5ms`)).toMatchObject({ starts: [5] })
  })
  it('need a beginning and a function, and are not too many', () => {
    const refused = (text: string, why: string | RegExp) => {
      expect(() => plan(text)).toThrow(QueryError)
      expect(() => plan(text)).toThrow(why)
    }
    refused('SELECT mean(value_number) FROM states_history GROUP BY time(1h)', 'where the time begins')
    refused(`SELECT value_number ${from} time > now() - 1h GROUP BY time(1h)`, 'needs a function')
    refused(`SELECT mean(value_number), value_number ${from} time > now() - 1h`, 'cannot mix functions')
    refused(`SELECT dtwin_id ${from} time > now() - 1h`, 'at least one field')
    refused(
      `SELECT mean(value_number) ${from} time > now() - ${reportingLimits.pointsMax + 1}s GROUP BY time(1s)`,
      /more than 200000 intervals/,
    )
    expect(plan(`SELECT value_number ${from} time >= 5ms`)).toEqual({
      kind: 'values',
      span: { startMs: 5, endMs: Date.UTC(2200, 0), isBounded: true },
    })
    expect(plan('SELECT value_number FROM states_history')).toMatchObject({ span: { isBounded: false } })
  })
  it('end where the query says, also in the future, and now where it does not', () => {
    const startsOfQuery = (text: string) => (plan(text) as { starts: readonly number[] }).starts.length
    const begun = `SELECT mean(value_number) ${from} time >= now() - 30m`
    expect(startsOfQuery(`${begun} GROUP BY time(1h)`)).toBe(1)
    expect(startsOfQuery(`${begun} AND time < now() + 3h GROUP BY time(1h)`)).toBe(4)
    expect(startsOfQuery(`${begun} AND time < now() - 5h GROUP BY time(1h)`)).toBe(0)
  })
  it('are as many as allowed, and not one more', () => {
    const length = { lengthMs: 1000, offsetMs: 0 }
    const { pointsMax } = reportingLimits
    expect(startsOf({ startMs: 0, endMs: pointsMax * 1000 }, length, 'UTC')).toHaveLength(pointsMax)
    expect(() => startsOf({ startMs: 0, endMs: pointsMax * 1000 + 1 }, length, 'UTC')).toThrow(QueryError)
    expect(startsOf({ startMs: 1500, endMs: 1500 }, length, 'UTC')).toEqual([])
  })
  it('begin at the local time, moved by the offset', () => {
    const at = (text: string) => Date.parse(text)
    const span = { startMs: at('2026-06-01T10:10:00Z'), endMs: at('2026-06-02T12:00:00Z') }
    // India is 5 h 30 ahead, New York 4 h behind.
    expect(startsOf(span, { lengthMs: 12 * hourMs, offsetMs: hourMs }, 'Asia/Kolkata')).toEqual(
      ['2026-06-01T07:30Z', '2026-06-01T19:30Z', '2026-06-02T07:30Z'].map(at),
    )
    expect(startsOf(span, { lengthMs: 12 * hourMs, offsetMs: hourMs }, 'America/New_York')).toEqual(
      ['2026-06-01T05:00Z', '2026-06-01T17:00Z', '2026-06-02T05:00Z'].map(at),
    )
    // An hour that does not begin at a full hour of UTC.
    expect(
      startsOf(
        { ...span, endMs: at('2026-06-01T11:30Z') },
        { lengthMs: hourMs, offsetMs: 0 },
        'Asia/Kolkata',
      ),
    ).toEqual(['2026-06-01T09:30Z', '2026-06-01T10:30Z'].map(at))
    expect(
      startsOf(
        { startMs: at('2026-06-01T10:30Z'), endMs: at('2026-06-01T12:30Z') },
        { lengthMs: hourMs, offsetMs: 0 },
        'Asia/Kolkata',
      ),
    ).toEqual(['2026-06-01T10:30Z', '2026-06-01T11:30Z'].map(at))
  })
  it('of 7 minutes begin at the local time, too: a quarter of an hour is no multiple of them', () => {
    const lengthMs = 7 * 60_000
    const [start] = startsOf({ startMs: nowMs, endMs: nowMs + 1 }, { lengthMs, offsetMs: 0 }, 'Europe/Berlin')
    expect((start as number) + 2 * hourMs).toBe(Math.floor((nowMs + 2 * hourMs) / lengthMs) * lengthMs)
  })
  it('are days of a time zone, of 23 and 25 hours when clocks change', () => {
    const days = (date: string) => {
      const startMs = Date.parse(`${date}T00:00:00Z`) - 12 * hourMs
      const starts = startsOf(
        { startMs, endMs: startMs + 60 * hourMs },
        { lengthMs: 24 * hourMs, offsetMs: 0 },
        'Europe/Berlin',
      )
      return starts.slice(1).map((start, index) => (start - (starts[index] as number)) / hourMs)
    }
    expect(days('2026-03-29')).toEqual([24, 23, 24])
    expect(days('2026-10-25')).toEqual([24, 25, 24])
    expect(days('2026-06-01')).toEqual([24, 24, 24])
  })
  it('cover their span and begin once, in every zone', () => {
    const zone = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'Australia/Lord_Howe',
      'America/Havana',
      'Asia/Kathmandu',
    )
    const length = fc.constantFrom(300_000, 1_800_000, hourMs, 6 * hourMs, 24 * hourMs, 168 * hourMs)
    const start = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2026, 11) })
    fc.assert(
      fc.property(
        zone,
        length,
        start,
        fc.integer({ min: 1, max: 20 }),
        (timeZone, lengthMs, startMs, times) => {
          const endMs = startMs + times * lengthMs
          const starts = startsOf({ startMs, endMs }, { lengthMs, offsetMs: 0 }, timeZone)
          expect(starts[0]).toBeLessThanOrEqual(startMs)
          expect(starts[1] ?? Number.POSITIVE_INFINITY).toBeGreaterThan(startMs)
          expect(starts.at(-1)).toBeLessThan(endMs)
          for (const [index, each] of starts.entries()) {
            const next = starts[index + 1]
            if (next === undefined) continue
            expect(next).toBeGreaterThan(each)
            expect(next - each).toBeLessThanOrEqual(lengthMs + 2 * hourMs)
          }
        },
      ),
      fuzzing(300),
    )
  })
})

it('leaves out only states that do not meet the condition', () => {
  const value = fc.constantFrom('1', '2', '3')
  const tag = fc.constantFrom('dtwin_id', 'state_identifier')
  const { condition } = fc.letrec<{ condition: string }>((tie) => ({
    condition: fc.oneof(
      { maxDepth: 3 },
      fc
        .tuple(tag, fc.constantFrom('=', '!='), value)
        .map(([name, sign, text]) => `${name} ${sign} '${text}'`),
      fc
        .tuple(tag, fc.constantFrom('=~', '!~'), fc.constantFrom('/^(1|2)$/', '/^3$/', '/1|2/'))
        .map((parts) => parts.join(' ')),
      fc
        .tuple(tie('condition'), fc.constantFrom('AND', 'OR'), tie('condition'))
        .map(([a, word, b]) => `(${a} ${word} ${b})`),
    ),
  }))
  fc.assert(
    fc.property(condition, value, value, (text, id, key) => {
      const { tags } = select(`SELECT value_number FROM states_history WHERE ${text}`).where
      if (!meets(tags, { dtwin_id: id, dtwin_title: '', state_identifier: key })) return
      expect(possible(tags, 'dtwin_id')?.has(id) ?? true).toBe(true)
      expect(possible(tags, 'state_identifier')?.has(key) ?? true).toBe(true)
    }),
    fuzzing(500),
  )
})

it('knows beforehand what looking through many series would take', () => {
  const states = Array.from({ length: 50_000 }, (_, id) => ({
    id,
    tags: { dtwin_id: String(id), dtwin_title: 'x'.repeat(100), state_identifier: 'temperature' },
  }))
  const costOf = (condition: string) =>
    costOfMeeting(select(`SELECT value_number FROM states_history WHERE ${condition}`).where.tags, states)
  const many = Array.from({ length: 200 }, (_, index) => `Device ${index}`)
  const { comparisonsMax } = reportingLimits
  // What Grafana generates for a variable with many values is looked up.
  expect(costOf(`dtwin_title =~ /^(${many.join('|')})$/`)).toBe(50_000)
  expect(costOf('dtwin_title =~ /(?i)device/ AND state_identifier =~ /temp.*/')).toBeLessThan(comparisonsMax)
  expect(costOf(`dtwin_title =~ /${many.join('|')}/`)).toBeGreaterThan(comparisonsMax)
  expect(costOf(`dtwin_title =~ /${'.*a'.repeat(200)}/`)).toBeGreaterThan(comparisonsMax)
})

it('shows times in the unit that was asked for, to the last digit', () => {
  const ms = 1_767_225_600_123
  expect(JSON.stringify(shownTime(ms, 'ns'))).toBe('1767225600123000000')
  expect((['u', 'ms', 's', 'm', 'h'] as const).map((epoch) => shownTime(ms, epoch))).toEqual([
    ...[1_767_225_600_123_000, ms, 1_767_225_600, 29_453_760, 490_896],
  ])
  expect([shownTime(ms, null), shownTime(ms - 123, null)]).toEqual([
    ...['2026-01-01T00:00:00.123Z', '2026-01-01T00:00:00Z'],
  ])
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Date.UTC(2200, 0) }), (time) => {
      expect(JSON.stringify(shownTime(time, 'ns'))).toBe(String(BigInt(time) * 1_000_000n))
    }),
    fuzzing(500),
  )
})

it('finds keys where clients of the protocol put them', () => {
  expect(keyIn('Token lsk_abc-d_e')).toBe('lsk_abc-d_e')
  expect(keyIn(`Basic ${Buffer.from('grafana:lsk_abc').toString('base64')}`)).toBe('lsk_abc')
  for (const other of [undefined, '', 'Bearer abc', 'Token', `Token ${'x'.repeat(401)}`])
    expect(keyIn(other)).toBeUndefined()
})
