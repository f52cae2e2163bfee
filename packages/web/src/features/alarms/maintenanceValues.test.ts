import { expect, it } from 'vitest'
import { faultKeysOf, firstTimes } from './maintenanceValues.ts'

const now = new Date(2026, 10, 26, 14, 30)

it('begins now and lasts two hours at first', () => {
  expect(firstTimes(now)).toEqual({ startsAt: '2026-11-26T14:30', endsAt: '2026-11-26T16:30' })
})

it.each([
  [{}, {}],
  [{ title: ' ' }, { title: 'required' }],
  [{ startsAt: '' }, { startsAt: 'required' }],
  [{ endsAt: '' }, { endsAt: 'required' }],
  [{ endsAt: '2026-11-26T14:30' }, { endsAt: 'past' }],
  [{ startsAt: '2026-11-27T10:00', endsAt: '2026-11-27T10:00' }, { endsAt: 'order' }],
  [{ endsAt: '2027-11-28T14:30' }, { endsAt: 'long' }],
] as const)('with %o has the faults %o', (change, faults) => {
  expect(faultKeysOf({ title: 'Works', ...firstTimes(now), ...change }, now)).toEqual(faults)
})
