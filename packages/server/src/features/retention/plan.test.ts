import { describe, expect, it } from 'vitest'
import { keptSince, partitionOf, planRetention, retentionOf } from './plan.ts'

const now = new Date('2026-11-20T12:00:00Z')
const month = (table: string, name: string) => partitionOf(table, `${table}_${name}`) ?? expect.fail(name)

describe('how long an account keeps its values', () => {
  it('is its own setting, else that of the next parent that has one', () => {
    const account = (id: number, parentId: number | null, months: number | null) => ({
      id,
      parentId,
      months,
      name: `Account ${id}`,
    })
    const accounts = [
      account(1, null, 24),
      account(2, 1, null),
      account(3, 1, 6),
      account(4, 3, null),
      account(5, null, null),
    ]
    expect(retentionOf(accounts).map(({ months }) => months)).toEqual([24, 24, 6, 6, 24])
  })
  it.each([
    [6, '2026-05-19'],
    [24, '2024-11-19'],
    [1, '2026-10-19'],
  ])('%d months ends a day after what is still let in, on a whole day', (months, day) => {
    expect(keptSince(now, months)).toEqual(new Date(day))
  })
})

describe('what retention does', () => {
  it('knows partitions by their names', () => {
    expect(partitionOf('packets', 'packets_2024_12')).toEqual({
      table: 'packets',
      name: 'packets_2024_12',
      from: new Date('2024-12-01'),
      to: new Date('2025-01-01'),
    })
    expect(partitionOf('packets', 'packets_default')).toBeNull()
    expect(partitionOf('packets', 'other_2024_12')).toBeNull()
  })
  it('drops months that are too old for every account and clears others of those with less', () => {
    const accounts = [
      { id: 1, name: 'long', months: 24 },
      { id: 2, name: 'short', months: 6 },
    ]
    const months = ['2024_09', '2024_10', '2024_11', '2026_04', '2026_05', '2026_06'].map((name) =>
      month('state_values', name),
    )
    const plan = planRetention(accounts, months, now)
    expect(plan.drop.map(({ name }) => name)).toEqual(['state_values_2024_09', 'state_values_2024_10'])
    expect([...plan.clear].map(([id, partitions]) => [id, partitions.map(({ name }) => name)])).toEqual([
      [1, ['state_values_2024_11']],
      [2, ['state_values_2024_11', 'state_values_2026_04', 'state_values_2026_05']],
    ])
  })
  it('drops nothing where there are no accounts', () => {
    expect(planRetention([], [month('packets', '2000_01')], now).drop).toEqual([])
  })
})
