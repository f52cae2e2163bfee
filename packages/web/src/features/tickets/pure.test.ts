import { describe, expect, it } from 'vitest'
import { idOf, isOverdue, placeText, ticketFilter, today } from './pure.ts'

describe('a ticket', () => {
  it('is overdue after its day until it is done', () => {
    const open = { state: 0, dueAt: '2026-06-14' } as const
    expect(isOverdue(open, '2026-06-14')).toBe(false)
    expect(isOverdue(open, '2026-06-15')).toBe(true)
    expect(isOverdue({ ...open, state: 2 }, '2026-06-15')).toBe(false)
    expect(isOverdue({ ...open, dueAt: null }, '2026-06-15')).toBe(false)
    expect(today(new Date(2026, 0, 5, 23, 59))).toBe('2026-01-05')
  })
  it('names its place from the top', () => {
    expect(placeText({ id: 1, title: 'Room 101', above: ['Town hall', 'First floor'] })).toBe(
      'Town hall › First floor › Room 101',
    )
  })
  it('is looked for only by what the server knows', () => {
    expect(ticketFilter({ state: ['0', '7', 'x'], assigned: ['me'] })).toEqual({
      states: [0],
      assigned: 'me',
    })
    expect(ticketFilter({})).toEqual({})
    expect(['1', '0', '-1', '1.5', 'x', undefined].map(idOf)).toEqual([1, null, null, null, null, null])
  })
})
