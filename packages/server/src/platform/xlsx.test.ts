import { readSheet } from 'read-excel-file/node'
import { expect, test } from 'vitest'
import { type XlsxCell, xlsxFile } from './xlsx.ts'

async function sheetOf(...pages: XlsxCell[][][]) {
  async function* given() {
    yield* pages
  }
  const pieces: Uint8Array[] = []
  const about = { sheet: "Halle [1]: 'Süd'", header: ['Zeit', 'Wert'], widths: [20, 10] }
  for await (const piece of xlsxFile(about, given())) pieces.push(piece)
  return readSheet(Buffer.concat(pieces))
}

test('a file with real times, numbers and texts', async () => {
  const time = { wallMs: Date.UTC(2026, 10, 24, 1, 30, 15) }
  const rows = await sheetOf(
    [[time, 21.5]],
    [[time, '=1+1 <&> "a"\u0001\n b']],
    [
      [time, true],
      [null, -1e-7],
    ],
  )
  expect(rows).toEqual([
    ['Zeit', 'Wert'],
    [new Date('2026-11-24T01:30:15Z'), 21.5],
    [new Date('2026-11-24T01:30:15Z'), '=1+1 <&> "a"\n b'],
    [new Date('2026-11-24T01:30:15Z'), true],
    [null, -1e-7],
  ])
})

test('every millisecond of a time is read again', async () => {
  const times = Array.from({ length: 2_000 }, (_, n) => Date.UTC(2026, 5, 15, 11) + n * 3_600_001)
  const rows = await sheetOf(times.map((wallMs) => [{ wallMs }]))
  expect(rows.slice(1).map(([time]) => (time as unknown as Date).getTime())).toEqual(times)
})

test('a file without rows', async () => {
  expect(await sheetOf()).toEqual([['Zeit', 'Wert']])
})
