import { parquetReadObjects } from 'hyparquet'
import readExcelFile from 'read-excel-file/node'
import { expect, test } from 'vitest'
import { toFile } from './files.ts'

const header = ['Name', 'Wert', 'Name']
const rows = [
  ['=1+1', 1.5, null],
  ['Zoë "x"', undefined, 'zwei'],
] as const

test('Excel: numbers stay numbers, and texts are no formulas', async () => {
  const blob = await toFile('xlsx', header, rows)
  const read = await readExcelFile(Buffer.from(await blob.arrayBuffer()))
  expect(JSON.stringify(read)).toContain('=1+1')
  expect(read).toMatchObject([{ data: [header, ['=1+1', 1.5, null], ['Zoë "x"', null, 'zwei']] }])
})

test('JSON Lines: an object for each row', async () => {
  const text = await (await toFile('jsonl', header, rows)).text()
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { Name: '=1+1', Wert: 1.5, 'Name 2': null },
    { Name: 'Zoë "x"', Wert: null, 'Name 2': 'zwei' },
  ])
})

test('Parquet: typed columns', async () => {
  const blob = await toFile('parquet', header, rows)
  expect(await parquetReadObjects({ file: await blob.arrayBuffer() })).toEqual([
    { Name: '=1+1', Wert: 1.5, 'Name 2': null },
    { Name: 'Zoë "x"', Wert: null, 'Name 2': 'zwei' },
  ])
})

test('a list without rows has only titles', async () => {
  for (const format of ['csv', 'xlsx', 'jsonl', 'parquet'] as const)
    expect((await toFile(format, header, [])).size, format).toBeGreaterThanOrEqual(
      format === 'jsonl' ? 0 : 10,
    )
})
