import { fold } from '@leitstand/contract/search'
import { foldVectors } from '@leitstand/contract/searchVectors'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fuzzing } from '../../../test/fuzz.ts'
import { createDatabase } from '../../../test/kit.ts'
import { connectionSettings } from './index.ts'

let client: pg.Client

beforeAll(async () => {
  client = new pg.Client(connectionSettings(await createDatabase(), 'fold'))
  await client.connect()
})

afterAll(() => client.end())

async function folded(texts: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ folded: string }>(
    'select fold(text) as folded from unnest($1::text[]) with ordinality as given (text, n) order by n',
    [texts],
  )
  return rows.map((row) => row.folded)
}

test('the database folds texts like the contract', async () => {
  expect(await folded(foldVectors.map(([text]) => text))).toEqual(foldVectors.map(([, result]) => result))
})

test('the database folds any text like the contract', async () => {
  // Letters of the alphabets that names are written in, with their marks, signs and separators.
  const unit = fc
    .oneof(fc.integer({ min: 1, max: 0x5ff }), fc.integer({ min: 0x1d00, max: 0x22ff }))
    .map((code) => String.fromCodePoint(code))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit, maxLength: 12 }), { maxLength: 50 }), async (texts) => {
      expect(await folded(texts)).toEqual(texts.map(fold))
    }),
    fuzzing(100),
  )
})

test.each([
  'twins',
  'virtual_devices',
  'state_texts',
  'drivers',
  'rules',
  'users',
  'dashboards',
  'connectors',
])('searches of %s are served by an index', async (table) => {
  await client.query('begin')
  await client.query('set local enable_seqscan = off')
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(
    `explain select from ${table} where search like '%buro%' or search like '%buero%'`,
  )
  await client.query('rollback')
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(`Bitmap Index Scan on ${table}_search`)
})
