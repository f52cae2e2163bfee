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

test('a file without rows', async () => {
  expect(await sheetOf()).toEqual([['Zeit', 'Wert']])
})
