import { expect, test } from 'vitest'
import { assetFilter, inventoryPath, isOverdue, issuesByLine, parseAssets, todayOf } from './pure.ts'

test('a list is read with or without its heading', () => {
  const row = { category: 'Pump', inventoryNumber: 'P-1', homeZone: 'Store', tracker: 'tag-1' }
  const text = 'Name;Category;Number\n"Pump; large";Pump;P-1;Store;tag-1\n;x\n'
  expect(parseAssets(text)).toEqual([
    { line: 2, row: { title: 'Pump; large', ...row }, problem: null },
    {
      line: 3,
      row: { ...row, title: '', category: 'x', inventoryNumber: '', homeZone: '', tracker: '' },
      problem: 'title',
    },
  ])
  expect(parseAssets('Bed,Beds')).toMatchObject([{ line: 1, row: { title: 'Bed', category: 'Beds' } }])
  expect(parseAssets('')).toEqual([])
})

test('what the server refuses is shown in its line', () => {
  const rows = parseAssets('Name\nA\n\nB')
  const issue = { row: 1, field: 'homeZone', why: 'unknown' } as const
  expect([...issuesByLine(rows, [issue, { ...issue, row: 9 }])]).toEqual([[4, issue]])
})

test('a loan is overdue the day after', () => {
  const loan = { borrower: 'Ward 5', since: '2026-11-01T10:00:00.000Z', dueAt: '2026-11-20' }
  expect(isOverdue(loan, '2026-11-20')).toBe(false)
  expect(isOverdue(loan, '2026-11-21')).toBe(true)
  expect(isOverdue({ ...loan, dueAt: null }, '2026-11-21')).toBe(false)
  expect(isOverdue(null, '2026-11-21')).toBe(false)
  expect(todayOf(new Date(2026, 0, 5, 23, 59))).toBe('2026-01-05')
})

test('the address of an inventory says what is listed', () => {
  expect(inventoryPath(7, 'missing')).toBe('/is-assetmgmt/assets?home=7&place=away')
  expect(assetFilter({ home: ['7', 'x'], place: ['away'], loan: ['over'] }, '2026-11-20')).toEqual({
    homeZoneIds: [7],
    places: ['away'],
    overdue: true,
    today: '2026-11-20',
  })
  expect(assetFilter({}, '2026-11-20')).toEqual({})
})
