import { expect, test } from 'vitest'
import { isEmpty, noChanges, overlaps, toChanges } from './changes.ts'

test('only what was chosen is sent', () => {
  expect(toChanges(noChanges)).toEqual({})
  expect(isEmpty(noChanges)).toBe(true)
  expect(isEmpty({ ...noChanges, description: 'typed, but switched off' })).toBe(true)
  const values = {
    ...noChanges,
    add: { ...noChanges.add, tags: ['a'] },
    keyValuesRemove: ['x'],
    on: ['driver', 'parent', 'operationalStatus', 'floorNumber', 'disabled'] as const,
    operationalStatus: '3',
    driverId: '7',
    floorNumber: null,
    disabled: false,
  }
  expect(toChanges(values)).toEqual({
    tags: { add: ['a'], remove: [] },
    keyValues: { set: {}, remove: ['x'] },
    operationalStatus: 3,
    driver: { driverId: 7, driverVersion: null },
    parentId: null,
    floorNumber: null,
    disabled: false,
  })
})

test('nothing is added and removed at once', () => {
  const values = {
    ...noChanges,
    add: { tags: ['a'], zones: ['z'], groups: [] },
    remove: { tags: ['b'], zones: ['y', 'z'], groups: [] },
    keyValuesSet: { k: '1' },
    keyValuesRemove: ['k'],
  }
  expect(overlaps(values)).toEqual(['zones', 'keyValues'])
  expect(overlaps(noChanges)).toEqual([])
})
