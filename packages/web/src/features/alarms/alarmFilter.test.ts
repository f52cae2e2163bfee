import { expect, it } from 'vitest'
import { alarmFilter } from './alarmFilter.ts'

it.each([
  [{}, {}],
  [{ status: ['unresolved'] }, { status: 'unresolved' }],
  [
    { status: ['resolved'], severity: ['error'] },
    { status: 'resolved', severity: 'error' },
  ],
  [
    { status: ['untended'] },
    { status: 'unresolved', acknowledged: false, snoozed: false, maintained: false },
  ],
  [{ status: ['maintained'] }, { status: 'unresolved', maintained: true }],
  [{ status: ['snoozed'] }, { status: 'unresolved', snoozed: true }],
  [
    { acknowledged: ['yes'], assigned: ['me'] },
    { acknowledged: true, assigned: 'me' },
  ],
  [
    { category: ['battery', 'nonsense'], source: ['health'] },
    { categories: ['battery'], sources: ['health'] },
  ],
  [{ operation: ['5', '3'] }, { operationalStatus: [3, 5] }],
  [{ status: ['x'], severity: ['x'], assigned: ['x'], category: ['x'] }, {}],
])('the filter %o is %o', (filters, expected) => {
  expect(alarmFilter(filters)).toEqual(expected)
})
