import { DecodeSelection } from '@leitstand/contract/redecoding'
import { expect, test } from 'vitest'
import { toSelection } from './selection.ts'

const nowMs = Date.parse('2026-03-04T12:00:00Z')
const choice = { range: { preset: '24h' }, errorsOnly: false, version: 'live' } as const

test('a device or all devices of a driver, with the version in use or a chosen one', () => {
  const period = { from: '2026-03-03T12:00:00.000Z', to: '2026-03-04T12:00:00.000Z', errorsOnly: false }
  const device = { kind: 'device', id: 7, title: 'A', driverId: 3 } as const
  expect(toSelection(device, choice, nowMs)).toEqual({ ...period, deviceIds: [7], using: null })
  const driver = { kind: 'driver', id: 3, title: 'D', driverId: 3 } as const
  expect(toSelection(driver, { ...choice, version: 2 }, nowMs)).toEqual({
    ...period,
    driverId: 3,
    using: { driverId: 3, number: 2 },
  })
  const devices = { kind: 'devices', ids: [1, 2], title: '', driverId: null } as const
  expect(toSelection(devices, { ...choice, version: 2 }, nowMs)).toEqual({
    ...period,
    deviceIds: [1, 2],
    using: null,
  })
})

test.each([
  [{ kind: 'device', id: 7, title: 'A', driverId: null }, 3, null],
  [{ kind: 'device', id: 7, title: 'A', driverId: 3 }, 'live', null],
  [{ kind: 'device', id: 7, title: 'A', driverId: 3 }, 2, { driverId: 3, number: 2 }],
  [{ kind: 'driver', id: 3, title: 'D', driverId: 3 }, 'live', null],
] as const)('of %j version %s uses %j', (target, version, using) => {
  const selection = toSelection(target, { ...choice, version }, nowMs)
  expect(selection.using).toEqual(using)
  expect(DecodeSelection.safeParse(selection).success).toBe(true)
})

test('a fixed period is kept, and so are its errors only', () => {
  const range = { fromMs: nowMs - 10, toMs: nowMs - 5 }
  const device = { kind: 'device', id: 7, title: 'A', driverId: 3 } as const
  expect(toSelection(device, { ...choice, range, errorsOnly: true }, nowMs)).toMatchObject({
    from: new Date(nowMs - 10).toISOString(),
    to: new Date(nowMs - 5).toISOString(),
    errorsOnly: true,
  })
})
