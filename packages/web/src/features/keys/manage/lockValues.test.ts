import type { Lock } from '@leitstand/contract/keys'
import { describe, expect, test } from 'vitest'
import { faultsOf, lockInput, lockValues } from './lockValues.ts'

const lock: Lock = {
  id: 1,
  version: 1,
  accountId: 1,
  accountName: 'City',
  twin: { id: 7, title: 'Door' },
  way: { kind: 'connector-command', connectorId: 3, topic: 'doors/7', payload: '{"open":true}' },
  wayTo: 'Broker',
  report: { stateId: 9, value: true, title: 'Open' },
  waitSeconds: 30,
  throttleSeconds: 6,
  needsCode: true,
  withinMetres: 50,
  keys: 0,
}
const { way, report, waitSeconds, throttleSeconds, needsCode, withinMetres } = lock

describe('the form of a lock', () => {
  test('gives back what it was filled with', () => {
    const { stateId, value } = report ?? expect.fail()
    expect(lockInput(lockValues(lock))).toEqual({
      way,
      report: { stateId, value },
      waitSeconds,
      throttleSeconds,
      needsCode,
      withinMetres,
    })
    for (const other of [
      { kind: 'downlink', deviceId: 4, name: 'Open', values: { seconds: 3 } },
      { kind: 'webhook', connectorId: 5, payload: '' },
    ] as const)
      expect(lockInput(lockValues({ ...lock, way: other, report: null }))).toMatchObject({
        way: other,
        report: null,
      })
  })

  test.each([
    ['true', true],
    ['1', 1],
    ['open', 'open'],
    [' "1" ', '1'],
  ])('takes %s as the value %j', (value, meant) => {
    expect(lockInput({ ...lockValues(lock), value }).report).toEqual({ stateId: 9, value: meant })
  })

  test('says what is missing', () => {
    expect(Object.keys(faultsOf(lockValues(null), 'x'))).toEqual(['twinId', 'connectorId', 'topic'])
    expect(Object.keys(faultsOf({ ...lockValues(null), twinId: 1, kind: 'downlink' }, 'x'))).toEqual([
      'deviceId',
      'name',
    ])
    expect(faultsOf({ ...lockValues(lock), value: ' ' }, 'x')).toEqual({ value: 'x' })
    expect(faultsOf(lockValues(lock), 'x')).toEqual({})
  })
})
