import { BulkChanges } from '@leitstand/contract/bulk'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  accountFields,
  type ChangeValues,
  isEmpty,
  noChanges,
  overlaps,
  type SingleField,
  singleFields,
  toChanges,
} from './changes.ts'

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

describe('each switch', () => {
  const filled: ChangeValues = {
    ...noChanges,
    operationalStatus: '2',
    driverId: '7',
    parentId: '9',
    description: 'Text',
    address: 'Am Tor 1',
    floorNumber: -1,
    icon: 'waste',
    disabled: true,
  }
  test.each<[SingleField, object]>([
    ['operationalStatus', { operationalStatus: 2 }],
    ['driver', { driver: { driverId: 7, driverVersion: null } }],
    ['parent', { parentId: 9 }],
    ['description', { description: 'Text' }],
    ['address', { address: 'Am Tor 1' }],
    ['floorNumber', { floorNumber: -1 }],
    ['icon', { icon: 'waste' }],
    ['disabled', { disabled: true }],
  ])('%s changes that field and no other', (field, changes) => {
    expect(toChanges({ ...filled, on: [field] })).toEqual(changes)
    expect(isEmpty({ ...filled, on: [field] })).toBe(false)
  })

  test.each<[SingleField, object]>([
    ['driver', { driver: { driverId: null, driverVersion: null } }],
    ['parent', { parentId: null }],
    ['description', { description: '' }],
    ['address', { address: '' }],
    ['floorNumber', { floorNumber: null }],
    ['icon', { icon: null }],
  ])('%s that is on and empty removes the value', (field, changes) => {
    expect(toChanges({ ...noChanges, on: [field] })).toEqual(changes)
  })

  test('those that belong to an account are switches of the form', () => {
    for (const field of accountFields) expect(singleFields).toContain(field)
  })
})

describe('changes of any form', () => {
  const words = fc.uniqueArray(fc.constantFrom('a', 'b', 'ß', 'Straße 1'), { maxLength: 3 })
  const lists = fc.record({ tags: words, zones: words, groups: words })
  const anyValues: fc.Arbitrary<ChangeValues> = fc.record({
    add: lists,
    remove: lists,
    keyValuesSet: fc.dictionary(fc.constantFrom('k', 'ü'), fc.constantFrom('', '1')),
    keyValuesRemove: fc.uniqueArray(fc.constantFrom('k', 'ü')),
    on: fc.uniqueArray(fc.constantFrom(...singleFields)),
    operationalStatus: fc.constantFrom('0', '5'),
    driverId: fc.constantFrom(null, '7'),
    parentId: fc.constantFrom(null, '9'),
    description: fc.constantFrom('', 'Text'),
    address: fc.constantFrom('', 'Am Tor'),
    floorNumber: fc.constantFrom(null, -1),
    icon: fc.constantFrom(null, 'waste'),
    disabled: fc.boolean(),
  })

  test('are accepted exactly if there is one and nothing is both added and removed', () => {
    fc.assert(
      fc.property(anyValues, (values) => {
        const isGood = !isEmpty(values) && overlaps(values).length === 0
        expect(BulkChanges.safeParse(toChanges(values)).success).toBe(isGood)
      }),
    )
  })
})

test('the same word in two different lists is no contradiction', () => {
  const add = { tags: ['a'], zones: [], groups: [] }
  const remove = { tags: [], zones: ['a'], groups: [] }
  expect(overlaps({ ...noChanges, add, remove })).toEqual([])
  expect(overlaps({ ...noChanges, keyValuesSet: {}, keyValuesRemove: ['constructor'] })).toEqual([])
})
