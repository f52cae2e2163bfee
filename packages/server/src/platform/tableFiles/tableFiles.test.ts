import { parquetReadObjects } from 'hyparquet'
import { readSheet } from 'read-excel-file/node'
import { describe, expect, test } from 'vitest'
import { type Table, tableReply } from './index.ts'

interface Reading {
  id: number
  title: string
  value: string | number | boolean | null
  level: number | null
  at: Date | null
}

const readings: Reading[] = [
  { id: 1, title: '=1+1', value: 21.5, level: 3.25, at: new Date('2026-06-15T12:00:00Z') },
  { id: 2, title: 'Tür "A"; B', value: 'open', level: null, at: null },
  { id: 3, title: '', value: true, level: 0, at: null },
]

async function* pages() {
  yield readings.slice(0, 2)
  yield readings.slice(2)
}

const table = (given: Partial<Table<Reading>> = {}): Table<Reading> => ({
  title: 'Readings',
  columns: [
    { name: 'id', title: 'Id', type: 'id', cell: ({ id }) => id },
    { name: 'title', title: 'Title', type: 'text', cell: ({ title }) => title },
    { name: 'value', title: 'Value', type: 'value', cell: ({ value }) => value },
    { name: 'level', title: 'Level', type: 'number', cell: ({ level }) => level },
    { name: 'time', title: 'Time (UTC)', type: 'time', cell: ({ at }) => at },
  ],
  language: 'de',
  pages: pages(),
  cut: null,
  ...given,
})

const bytesOf = async (stream: ReadableStream) => new Uint8Array(await new Response(stream).arrayBuffer())
const textOf = (stream: ReadableStream) => new Response(stream).text()

describe('a list as a file', () => {
  test('in CSV is harmless for spreadsheets, and says at its end that it is cut', async () => {
    const { headers, body } = tableReply('csv', 'readings', table({ cut: 'Cut after 3 rows.' }))
    expect(headers).toEqual({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="readings.csv"',
      'x-rows-left-out': 'true',
    })
    expect((await textOf(body)).split('\r\n')).toEqual([
      'Id;Title;Value;Level;Time (UTC)',
      "1;'=1+1;21.5;3.25;2026-06-15T12:00:00.000Z",
      '2;"Tür ""A""; B";open;;',
      '3;;true;0;',
      'Cut after 3 rows.',
      '',
    ])
  })

  test('in XLSX has real numbers and times', async () => {
    const { headers, body } = tableReply('xlsx', 'readings', table({ cut: 'Cut after 3 rows.' }))
    expect(headers['content-disposition']).toBe('attachment; filename="readings.xlsx"')
    expect(await readSheet(Buffer.from(await bytesOf(body)))).toEqual([
      ['Id', 'Title', 'Value', 'Level', 'Time (UTC)'],
      [1, '=1+1', 21.5, 3.25, new Date('2026-06-15T12:00:00Z')],
      [2, 'Tür "A"; B', 'open', null, null],
      [3, null, true, 0, null],
      ['Cut after 3 rows.', null, null, null, null],
    ])
  })

  test('in JSON Lines has the names for programs', async () => {
    const { headers, body } = tableReply('jsonl', 'readings', table())
    expect(headers).not.toHaveProperty('x-rows-left-out')
    const lines = (await textOf(body)).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { id: 1, title: '=1+1', value: 21.5, level: 3.25, time: '2026-06-15T12:00:00.000Z' },
      { id: 2, title: 'Tür "A"; B', value: 'open', level: null, time: null },
      { id: 3, title: '', value: true, level: 0, time: null },
    ])
  })

  test('in Parquet has a number or a text for each value', async () => {
    const { body } = tableReply('parquet', 'readings', table())
    const file = (await bytesOf(body)).buffer
    const none = { level: null, time: null }
    expect(await parquetReadObjects({ file })).toEqual([
      { id: 1, title: '=1+1', value: 21.5, value_text: null, level: 3.25, time: readings[0]?.at },
      { id: 2, title: 'Tür "A"; B', value: null, value_text: 'open', ...none },
      { id: 3, title: '', value: 1, value_text: null, ...none, level: 0 },
    ])
  })
})
