import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeLimits, flattenOutput, readTime } from './decode.ts'

const packetTime = new Date('2026-11-20T08:00:00.000Z')
const only = (output: unknown) => {
  const { measurements } = flattenOutput(output, packetTime)
  expect(measurements).toHaveLength(1)
  expect(measurements[0]?.time).toEqual(packetTime)
  return measurements[0]?.variables
}

describe('one measurement', () => {
  test.each<[string, unknown, unknown]>([
    [
      'plain keys',
      { temperature: 21.5, door: 'open', alarm: false },
      { temperature: 21.5, door: 'open', alarm: false },
    ],
    ['nested keys', { air: { co2: 412, t: { in: 1 } } }, { 'air.co2': 412, 'air.t.in': 1 }],
    ['value and unit', { temp: { value: 3, unit: '°C' }, hum: { value: 50 } }, { temp: 3, hum: 50 }],
    ['value with more beside it', { a: { value: 3, min: 1 } }, { 'a.value': 3, 'a.min': 1 }],
    ['null is no value', { a: null, b: 1 }, { b: 1 }],
    ['array of numbers', { samples: [1, 2, 3] }, { samples: [1, 2, 3] }],
    ['objects without time', { ch: [{ v: 1 }, { v: 2 }] }, { 'ch.0.v': 1, 'ch.1.v': 2 }],
    ['top-level objects without time', [{ a: 1 }, { b: 2 }], { a: 1, b: 2 }],
    ['bare number', 7, { value: 7 }],
    ['array of numbers alone', [1, 2], { value: [1, 2] }],
    ['zero, empty text and false are values', { a: 0, b: '', c: false }, { a: 0, b: '', c: false }],
    ['a device clock that is no date stays a variable', { time: 12, a: 1 }, { time: 12, a: 1 }],
    ['another clock that is no date', { timestamp: 12, a: 1 }, { timestamp: 12, a: 1 }],
    [
      'the error of a vendor script is a variable',
      { error: 'unsupported port' },
      { error: 'unsupported port' },
    ],
  ])('%s', (_name, output, expected) => {
    expect(only(output)).toEqual(expected)
  })

  test.each([undefined, null, {}, [], { a: null }, { a: {} }, { time: '2026-01-01T00:00:00Z' }])(
    '%j is nothing',
    (output) => {
      expect(flattenOutput(output, packetTime)).toEqual({ measurements: [], notes: [], error: null })
    },
  )

  test('drops what is no number and renames what is no name, with notes', () => {
    const { measurements, notes } = flattenOutput({ a: Number.NaN, 'Temp °C': 3, b: 1 }, packetTime)
    expect(measurements[0]?.variables).toEqual({ Temp_C: 3, b: 1 })
    expect(notes).toEqual([
      { message: 'a: NaN is no value', params: { kind: 'noValue', key: 'a', value: 'NaN' } },
      {
        message: 'Temp °C: renamed to Temp_C',
        params: { kind: 'renamed', from: 'Temp °C', to: 'Temp_C' },
      },
    ])
  })

  test.each([
    [
      { f: () => 1, b: 1 },
      { kind: 'noValue', key: 'f', value: 'function' },
    ],
    [
      { f: Number.POSITIVE_INFINITY, b: 1 },
      { kind: 'noValue', key: 'f', value: 'Infinity' },
    ],
    [
      { ['x'.repeat(decodeLimits.keyLengthMax + 1)]: 1, b: 1 },
      { kind: 'longName', start: 'x'.repeat(40), max: decodeLimits.keyLengthMax },
    ],
    [{ '': 1, b: 1 }, undefined],
  ])('of %j only b is a value', (output, params) => {
    const { measurements, notes } = flattenOutput(output, packetTime)
    expect(measurements).toEqual([{ time: packetTime, variables: { b: 1 } }])
    expect(notes[0]?.params).toEqual(params)
  })

  test('takes names as long as allowed', () => {
    const name = 'x'.repeat(decodeLimits.keyLengthMax)
    expect(only({ [name]: 1 })).toEqual({ [name]: 1 })
    expect(only({ 'a ': { [name.slice(3)]: 1 } })).toEqual({ [`a_.${name.slice(3)}`]: 1 })
  })

  test('notes the same only once, and not more than allowed', () => {
    const same = flattenOutput([{ a: Number.NaN }, { a: Number.NaN }], packetTime)
    expect(same.notes).toHaveLength(1)
    const output = Object.fromEntries(
      Array.from({ length: decodeLimits.notesMax + 5 }, (_, at) => [`v${at}`, Number.NaN]),
    )
    expect(flattenOutput(output, packetTime).notes).toHaveLength(decodeLimits.notesMax)
  })

  test('numbers and texts side by side in an array are one value', () => {
    expect(only({ a: [1, { b: 2 }] })).toEqual({ a: [1, { b: 2 }] })
    expect(only({ a: [], b: 1 })).toEqual({ b: 1 })
    expect(only([1, { b: 2 }])).toEqual({ value: 1, b: 2 })
  })

  test('an object is its value only with a unit beside it, or nothing', () => {
    expect(only({ a: { value: 1, unit: 'm', more: 2 } })).toEqual({
      'a.value': 1,
      'a.unit': 'm',
      'a.more': 2,
    })
    expect(only({ a: { value: 1, unit: 5 } })).toEqual({ 'a.value': 1, 'a.unit': 5 })
  })

  test('says when two keys become the same variable', () => {
    const { measurements, notes } = flattenOutput({ 'a.b': 1, a: { b: 2 } }, packetTime)
    expect(measurements[0]?.variables).toEqual({ 'a.b': 2 })
    expect(notes).toMatchObject([{ params: { kind: 'twice', key: 'a.b' } }])
  })

  test('leaves the prototype alone', () => {
    const { measurements } = flattenOutput(JSON.parse('{"__proto__":{"x":1},"a":1}'), packetTime)
    expect(({} as { x?: number }).x).toBeUndefined()
    expect(Object.keys(measurements[0]?.variables ?? {})).toEqual(['__proto__.x', 'a'])
  })
})

describe('several measurements', () => {
  test('an array of objects with their own times, oldest first', () => {
    const output = [
      { temperature: 2, timestamp: '2026-11-20T07:30:00Z' },
      { temperature: 1, time: 1_795_158_000 },
      { temperature: 3 },
    ]
    expect(flattenOutput(output, packetTime).measurements).toEqual([
      { time: new Date('2026-11-20T07:00:00Z'), variables: { temperature: 1 } },
      { time: new Date('2026-11-20T07:30:00Z'), variables: { temperature: 2 } },
      { time: packetTime, variables: { temperature: 3 } },
    ])
  })

  test('history holds earlier values of the same variables, other keys stay in the name', () => {
    const output = {
      temperature: 5,
      history: [{ timestamp: 1_795_158_000, temperature: 4 }],
      meter: [{ time: '2026-11-20T07:00:00.000Z', volume: 9 }],
    }
    expect(flattenOutput(output, packetTime).measurements).toEqual([
      { time: new Date('2026-11-20T07:00:00Z'), variables: { temperature: 4, 'meter.volume': 9 } },
      { time: packetTime, variables: { temperature: 5 } },
    ])
  })

  test('an object may say when it was measured', () => {
    expect(flattenOutput({ time: '2026-11-20T07:00:00Z', a: 1 }, packetTime).measurements).toEqual([
      { time: new Date('2026-11-20T07:00:00Z'), variables: { a: 1 } },
    ])
  })
})

test('more variables or measurements than allowed are refused, not cut off', () => {
  const wide = Object.fromEntries(
    Array.from({ length: decodeLimits.variablesMax + 1 }, (_, i) => [`v${i}`, i]),
  )
  expect(flattenOutput(wide, packetTime)).toMatchObject({
    measurements: [],
    error: { code: 'TOO_MANY_VARIABLES' },
  })
  const long = Array.from({ length: decodeLimits.measurementsMax + 1 }, (_, i) => ({
    time: 1_700_000_000 + i,
    a: i,
  }))
  expect(flattenOutput(long, packetTime).error).toMatchObject({
    code: 'TOO_MANY_VARIABLES',
    params: { kind: 'measurements', number: long.length, max: decodeLimits.measurementsMax },
  })
  expect(flattenOutput(long.slice(1), packetTime).measurements).toHaveLength(decodeLimits.measurementsMax)
  expect(flattenOutput(wide, packetTime).error?.params).toEqual({
    kind: 'variables',
    number: decodeLimits.variablesMax + 1,
    max: decodeLimits.variablesMax,
  })
  const allowed = Object.fromEntries(Object.entries(wide).slice(1))
  expect(only(allowed)).toEqual(allowed)
})

test.each([
  ['2026-11-20T08:00:00Z', 1_795_161_600_000],
  ['2026-11-20T09:00:00+01:00', 1_795_161_600_000],
  ['2026-11-20 08:00:00', 1_795_161_600_000],
  ['2026-11-20T08:00', 1_795_161_600_000],
  ['2026-11-20T08:00:00z', 1_795_161_600_000],
  ['2026-11-20T09:00:00+0100', 1_795_161_600_000],
  ['2026-11-20T07:00:00-01:00', 1_795_161_600_000],
  [1_795_161_600, 1_795_161_600_000],
  [1e9, 1e12],
  [1e9 - 1, null],
  [1e10, null],
  [1e12, 1e12],
  [1e12 - 1, null],
  [1e13, null],
  ['on 2026-11-20T08:00:00Z', null],
  [1_795_161_600_123, 1_795_161_600_123],
  ['2026-11-20', null],
  ['2026-13-99T99:99:99Z', null],
  ['12', null],
  [12, null],
  [-5, null],
  [true, null],
])('readTime(%j)', (value, expected) => {
  expect(readTime(value)?.getTime() ?? null).toBe(expected)
})

test('whatever JSON a driver returns: names are valid, values are JSON, nothing is thrown', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (output) => {
      const { measurements, error } = flattenOutput(output, packetTime)
      for (const { variables } of error ? [] : measurements) {
        for (const [name, value] of Object.entries(variables)) {
          expect(name).toMatch(/^[A-Za-z0-9_.]{1,100}$/)
          expect(value).not.toBeNull()
          expect(JSON.parse(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
        }
      }
    }),
  )
})
