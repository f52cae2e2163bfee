import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase } from '../../../test/kit.ts'
import {
  boolArray,
  float8Array,
  int2Array,
  int4Array,
  int8Array,
  jsonArray,
  jsonbArray,
  textArray,
  timeArray,
} from './arrays.ts'
import { connectionSettings } from './index.ts'

let client: pg.Client

beforeAll(async () => {
  client = new pg.Client(connectionSettings(await createDatabase(), 'arrays'))
  await client.connect()
})

afterAll(() => client.end())

/** The elements of an array as decoded by the database, in order. */
async function read(type: string, parameter: Buffer): Promise<unknown[]> {
  const { rows } = await client.query(
    `select value from unnest($1::${type}[]) with ordinality as a (value, n) order by n`,
    [parameter],
  )
  return rows.map(({ value }) => value)
}

const nullable = <T>(values: fc.Arbitrary<T>) => fc.array(fc.option(values, { nil: null }), { maxLength: 50 })
/** PostgreSQL's text cannot hold NUL, and unpaired surrogates of JavaScript have no UTF-8 form. */
const text = fc.string({ unit: 'grapheme' }).filter((each) => !each.includes('\0') && each.isWellFormed())
const json = fc.jsonValue({ noUnicodeString: true })

const cases: [type: string, values: fc.Arbitrary<unknown[]>, toArray: (values: never) => Buffer][] = [
  ['int2', nullable(fc.integer({ min: -32_768, max: 32_767 })), int2Array],
  ['int4', nullable(fc.integer()), int4Array],
  ['int8', nullable(fc.maxSafeInteger()), int8Array],
  ['float8', nullable(fc.double({ noNaN: true })), float8Array],
  ['bool', nullable(fc.boolean()), boolArray],
  ['text', nullable(text), textArray],
  [
    'timestamptz',
    nullable(fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })),
    timeArray,
  ],
]

test.each(cases)('an array of %s arrives as it was sent', async (type, values, toArray) => {
  await fc.assert(
    fc.asyncProperty(values, async (given) => {
      expect(await read(type, toArray(given as never))).toEqual(given)
    }),
    { numRuns: 50 },
  )
})

test.each([
  ['json', jsonArray],
  ['jsonb', jsonbArray],
] as const)('JSON texts arrive as %s', async (type, toArray) => {
  await fc.assert(
    fc.asyncProperty(nullable(json), async (given) => {
      const texts = given.map((value) => (value === null ? null : JSON.stringify(value)))
      const expected = texts.map((each) => (each === null ? null : JSON.parse(each)))
      expect(await read(type, toArray(texts))).toEqual(expected)
    }),
    { numRuns: 50 },
  )
})

test('signed 64-bit numbers arrive whole', async () => {
  const given = [2n ** 63n - 1n, -(2n ** 63n), 0n, -1n]
  const { rows } = await client.query('select value::text from unnest($1::int8[]) as a (value)', [
    int8Array(given),
  ])
  expect(rows.map(({ value }) => BigInt(value))).toEqual(given)
})
