import { terminalLimits } from '@leitstand/contract/terminal'
import { expect, it } from 'vitest'
import { table } from './output.ts'

it('a table has its columns in order, one line a cell, and an end', () => {
  const at = new Date('2026-06-15T12:00:00.000Z')
  expect(table(['b', 'a'], [{ a: 'one\n\u202etwo\u001b[31m', b: at }])).toEqual({
    kind: 'table',
    columns: ['b', 'a'],
    rows: [[at.toISOString(), 'one two [31m']],
    isCut: false,
  })
  const many = table(
    ['n'],
    Array.from({ length: terminalLimits.rowsMax + 1 }, (_, n) => ({ n })),
  )
  expect(many).toMatchObject({ isCut: true, rows: { length: terminalLimits.rowsMax } })
  expect(JSON.stringify(table(['t'], [{ t: 'x'.repeat(100_000) }])).length).toBeLessThan(1_000)
})
