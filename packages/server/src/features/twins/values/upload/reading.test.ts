import { valueUploadLimits } from '@leitstand/contract/stateValues'
import { expect, test } from 'vitest'
import read from './reading.ts'
import type { TargetState } from './rows.ts'

const state = (id: number, key: string): TargetState => ({
  id,
  key,
  title: key,
  unit: '',
  valueType: 'number',
})
const input = {
  states: [state(1, 'a'), state(2, 'b'), state(3, 'c')],
  zone: 'UTC',
  only: false,
  bounds: { fromMs: Date.UTC(2006, 0), toMs: Date.UTC(2026, 10, 25) },
}

async function readAll(text: string): Promise<number> {
  let values = 0
  for await (const part of read(Buffer.from(text), input)) if ('values' in part) values += part.values.length
  return values
}

test('files with more rows or values than allowed are refused: VALUE_UPLOAD_TOO_LARGE', async () => {
  const { rowsMax, valuesMax } = valueUploadLimits
  const rows = (count: number, line: string) => `time;a;b;c\n${`${line}\n`.repeat(count)}`
  const tooLarge = { code: 'VALUE_UPLOAD_TOO_LARGE', data: { rowsMax, valuesMax } }
  await expect(readAll(rows(rowsMax + 1, '2026-01-01T00:00:00Z;1;;'))).rejects.toMatchObject(tooLarge)
  const full = '2026-01-01T00:00:00Z;1;2;3'
  await expect(readAll(rows(Math.ceil((valuesMax + 1) / 3), full))).rejects.toMatchObject(tooLarge)
  expect(await readAll(rows(5, full))).toBe(15)
})
