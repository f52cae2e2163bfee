import type { ImportSettings } from '@leitstand/contract/bulk'
import { describe, expect, test } from 'vitest'
import { editFields, needsOneAccount } from '../devices/changes.ts'
import { chooser } from './check.ts'
import { readRow, suggestTargets } from './mapping.ts'

const header = ['EUI', 'Name', 'Lat', 'Lon', 'Floor', 'Status', 'Tags', 'Serial', 'Meter']
const settings: ImportSettings = {
  connectorId: 1,
  columns: [
    { column: 0, target: 'externalId' },
    { column: 1, target: 'title' },
    { column: 2, target: 'latitude' },
    { column: 3, target: 'longitude' },
    { column: 4, target: 'floorNumber' },
    { column: 5, target: 'operationalStatus' },
    { column: 6, target: 'tags' },
    { column: 7, target: 'keyValue', name: 'serial' },
    { column: 8, target: 'referenceId', name: 'meter' },
  ],
  driverId: 7,
  driverVersion: null,
  operationalStatus: 2,
  parentId: null,
  tags: ['all'],
  groups: [],
}
const read = (...cells: string[]) => readRow(cells, header, settings)

describe('a row', () => {
  test('becomes a device; empty cells take what holds for all', () => {
    expect(read('e1', 'One', '53,5', '-9.25', '-1', 'In Betrieb', 'a| b', 'S1', 'M1').input).toMatchObject({
      externalId: 'e1',
      title: 'One',
      latitude: 53.5,
      longitude: -9.25,
      floorNumber: -1,
      operationalStatus: 3,
      tags: ['all', 'a', 'b'],
      keyValues: { serial: 'S1' },
      driverId: 7,
      referenceIds: [{ name: 'meter', value: 'M1' }],
    })
    expect(read('e1', 'One').input).toMatchObject({
      latitude: null,
      longitude: null,
      floorNumber: null,
      operationalStatus: 2,
      tags: ['all'],
      keyValues: {},
      referenceIds: [],
    })
  })

  test.each([
    [['', 'x'], 'EUI', 'REQUIRED'],
    [['e', ''], 'Name', 'REQUIRED'],
    [['e', 'x'.repeat(201)], 'Name', 'TOO_LONG'],
    [['e', 'x', 'north', '1'], 'Lat', 'NO_NUMBER'],
    [['e', 'x', '91', '1'], 'Lat', 'OUT_OF_RANGE'],
    [['e', 'x', '1', ''], 'Lon', 'POSITION_INCOMPLETE'],
    [['e', 'x', '', '', '1.5'], 'Floor', 'NO_WHOLE_NUMBER'],
    [['e', 'x', '', '', '999'], 'Floor', 'OUT_OF_RANGE'],
    [['e', 'x', '', '', '', 'broken'], 'Status', 'STATUS_UNKNOWN'],
    [['e', 'x', '', '', '', '', Array.from({ length: 60 }, (_, at) => at).join(',')], 'Tags', 'TOO_MANY'],
    [['e', 'x', '', '', '', '', 'x'.repeat(101)], 'Tags', 'TOO_LONG'],
    [['e', 'x', '', '', '', '', '', 'x'.repeat(1001)], 'serial', 'TOO_LONG'],
    [['e', 'x', '', '', '', '', '', '', 'x'.repeat(201)], 'meter', 'TOO_LONG'],
  ])('%j has a fault in %s: %s', (cells, column, code) => {
    const { input, faults } = read(...cells)
    expect(faults).toEqual([{ code, column }])
    expect(input).toBeUndefined()
  })
})

test('columns are known by their titles, each field once', () => {
  expect(suggestTargets(['Dev-EUI', 'Name', 'Titel', 'Länge', 'Foo'])).toEqual([
    ...['externalId', 'title', null, 'longitude', null],
  ])
})

test('a cell names a thing by its id before its title, and only one', () => {
  const found = [
    { id: 1, title: '2' },
    { id: 2, title: 'hall' },
    { id: 3, title: 'hall' },
  ]
  expect([null, '2', '3', 'hall', 'cellar'].map(chooser(found))).toEqual([
    ...[undefined, 2, 3, 'ambiguous', 'unknown'],
  ])
})

describe('a bulk edit', () => {
  const device = {
    tags: ['b', 'a'],
    zones: ['z'],
    groups: [],
    keyValues: { x: '1' },
    operationalStatus: 1,
    driverId: 5,
    driverVersion: 2,
    parentId: 9,
    description: 'd',
    icon: null,
    address: '',
    floorNumber: 0,
  }

  test('keeps what is not named, and the order of what was there', () => {
    expect(editFields(device, { description: '' })).toEqual({ ...device, description: '' })
    const changes = {
      tags: { add: ['c', 'a'], remove: ['b'] },
      keyValues: { set: { y: '2' }, remove: ['x'] },
    }
    expect(editFields(device, changes)).toEqual({ ...device, tags: ['a', 'c'], keyValues: { y: '2' } })
    expect(editFields(device, { driver: { driverId: null, driverVersion: 3 }, parentId: null })).toEqual({
      ...device,
      driverId: null,
      driverVersion: null,
      parentId: null,
    })
  })

  test('needs devices of one account for what belongs to an account', () => {
    const words = { add: ['a'], remove: [] }
    const bound = [{ tags: words }, { zones: words }, { groups: words }, { parentId: 1 }]
    expect(bound.every(needsOneAccount)).toBe(true)
    expect(needsOneAccount({ driver: { driverId: 1, driverVersion: null } })).toBe(true)
    expect(needsOneAccount({ parentId: null })).toBe(true)
    expect(needsOneAccount({ disabled: true, operationalStatus: 1 })).toBe(false)
  })
})
