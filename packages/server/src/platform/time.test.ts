import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTime } from './time.ts'

test.each([
  ['2026-03-04T05:06:07Z', '2026-03-04T05:06:07.000Z'],
  ['2026-03-04T05:06:07.123456789Z', '2026-03-04T05:06:07.123Z'],
  ['2026-03-04T05:06:07.9999999+00:00', '2026-03-04T05:06:07.999Z'],
  ['2026-03-04T05:06:07.5+01:00', '2026-03-04T04:06:07.500Z'],
  ['2026-03-04T05:06:07-0230', '2026-03-04T07:36:07.000Z'],
  ['2026-03-04T05:06:07+01', '2026-03-04T04:06:07.000Z'],
  ['2026-03-04T05:06:07', '2026-03-04T05:06:07.000Z'],
  ['2026-03-04 05:06:07.25', '2026-03-04T05:06:07.250Z'],
  ['2026-03-04 05:06', '2026-03-04T05:06:00.000Z'],
  ['2026-03-04', '2026-03-04T00:00:00.000Z'],
  [' 2026-03-04t05:06:07z ', '2026-03-04T05:06:07.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  [1_772_600_767, '2026-03-04T05:06:07.000Z'],
  [1_772_600_767.123, '2026-03-04T05:06:07.123Z'],
  [1_772_600_767_123, '2026-03-04T05:06:07.123Z'],
  [1_772_600_767_123.9, '2026-03-04T05:06:07.123Z'],
  [1_772_600_767_123_456, '2026-03-04T05:06:07.123Z'],
  ['1772600767', '2026-03-04T05:06:07.000Z'],
  ['1772600767.5', '2026-03-04T05:06:07.500Z'],
  ['1772600767123', '2026-03-04T05:06:07.123Z'],
  ['1772600767123456', '2026-03-04T05:06:07.123Z'],
  ['1772600767123456789', '2026-03-04T05:06:07.123Z'],
  [0, '1970-01-01T00:00:00.000Z'],
  ['1900-01-01T00:00:00Z', '1900-01-01T00:00:00.000Z'],
  ['2026-12-31T23:59:59.999Z', '2026-12-31T23:59:59.999Z'],
  ['2026-03-04T05:06:07.5Z', '2026-03-04T05:06:07.500Z'],
  ['2026-03-04T05:06:07+14:59', '2026-03-03T14:07:07.000Z'],
  ['-86400', '1969-12-31T00:00:00.000Z'],
  // the smallest number of each unit
  [99_999_999_999, '5138-11-16T09:46:39.000Z'],
  [100_000_000_000, '1973-03-03T09:46:40.000Z'],
  [100_000_000_000_000, '1973-03-03T09:46:40.000Z'],
  [100_000_000_000_000_000, '1973-03-03T09:46:40.000Z'],
])('%j is %s', (input, expected) => {
  expect(parseTime(input)?.toISOString()).toBe(expected)
})

test.each([
  ['', 'nothing'],
  ['soon', 'no time'],
  ['2026-02-30T00:00:00Z', 'a day that does not exist'],
  ['2025-02-29', 'no leap year'],
  ['2026-13-01', 'no month'],
  ['2026-03-04T25:00:00Z', 'no hour'],
  ['2026-03-04T05:06:61Z', 'no second'],
  ['2026-03-04T05:06:07+19:00', 'no zone'],
  ['2026-03-04T05:06:07Zulu', 'something behind it'],
  ['2026', 'a year alone'],
  ['2026/03-04T05:06:07Z', 'no dash after the year'],
  ['2026-03/04T05:06:07Z', 'no dash after the month'],
  ['2026-03-04_05:06:07Z', 'no T'],
  ['2026-03-04T05.06:07Z', 'no colon after the hour'],
  ['2026-03-04T05:06.07Z', 'no colon after the minute'],
  ['2026-03-04T05:06:07;5Z', 'no point'],
  ['2026-03-04T05:06:07.Z', 'no fraction'],
  ['2026-03-04T05:06:07.1234567890Z', 'a fraction of ten digits'],
  ['2026-03-04T05:06:07.-5Z', 'a fraction with a sign'],
  ['2026-03-04T05:06:0:Z', 'a colon for a digit'],
  ['2026-03-04T05:06:0/Z', 'a slash for a digit'],
  ['2026-00-04T05:06:07Z', 'no month'],
  ['2026-03-00T05:06:07Z', 'no day'],
  ['2026-03-04T05:60:07Z', 'no minute'],
  ['2026-03-04T05:60', 'no minute'],
  ['2026-03-04T24:00:00Z', 'no hour'],
  ['2026-03-04T05:06:07+01:60', 'no minute of a zone'],
  ['2026-03-04T05:06:07+15:00', 'no zone'],
  ['x1772600767', 'something before a number'],
  ['1772600767s', 'something behind a number'],
  ['1234', 'too short for a number of seconds'],
  [Number.NaN, 'not a number'],
  [Number.POSITIVE_INFINITY, 'infinite'],
  [1e300, 'beyond any calendar'],
  [null, 'null'],
  [{}, 'an object'],
  [true, 'a truth'],
])('%j is refused: %s', (input, _why) => {
  expect(parseTime(input)).toBeNull()
})

test('every way to write a time means the same time', () => {
  const between1980And2100 = fc.integer({ min: 315_532_800_000, max: 4_102_444_800_000 })
  fc.assert(
    fc.property(between1980And2100, (ms) => {
      const text = new Date(ms).toISOString()
      const ways = [
        text,
        text.slice(0, -1),
        text.replace('Z', '+00:00'),
        text.replace('Z', '456789Z'),
        ms,
        `${ms}`,
      ]
      ways.push(
        ms * 1000,
        `${ms}000`,
        `${ms}000000`,
        ms / 1000,
        `${Math.floor(ms / 1000)}.${text.slice(20, 23)}`,
      )
      for (const way of ways) expect(parseTime(way)?.getTime(), String(way)).toBe(ms)
    }),
  )
})

test('the short way for what networks write answers as the long way does', () => {
  const date = fc.date({ min: new Date('1960-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z') })
  const fraction = fc.option(fc.stringMatching(/^[0-9]{1,9}$/), { nil: null })
  fc.assert(
    fc.property(
      date.filter((each) => !Number.isNaN(each.getTime())),
      fraction,
      (moment, digits) => {
        const text = `${moment.toISOString().slice(0, 19)}${digits === null ? '' : `.${digits}`}`
        // a lower-case z is only accepted by the slow path
        expect(parseTime(`${text}Z`)).toEqual(parseTime(`${text}z`))
      },
    ),
  )
})

test('both ways refuse the same texts with a wrong character', () => {
  const wrong = fc.tuple(fc.nat({ max: 28 }), fc.constantFrom(...'-:.,TZ+ /0159x'))
  fc.assert(
    fc.property(wrong, ([at, char]) => {
      const text = '2026-11-25T15:04:05.123456789'
      const changed = text.slice(0, at) + char + text.slice(at + 1)
      expect(parseTime(`${changed}Z`)).toEqual(parseTime(`${changed}z`))
    }),
    { numRuns: 400 },
  )
})
