import type { ImportSettings } from '@leitstand/contract/bulk'
import { describe, expect, test } from 'vitest'
import { editFields, needsOneAccount } from '../devices/changes.ts'
import { titleOf } from './cells.ts'
import { chooser } from './check.ts'
import { doubled, readRow, suggestTargets } from './mapping.ts'

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
  acceptDrivers: [],
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
    [['e', 'x', '', '1'], 'Lat', 'POSITION_INCOMPLETE'],
    [['e', 'x', '1', '181'], 'Lon', 'OUT_OF_RANGE'],
    [['e', 'x', '-91', '1'], 'Lat', 'OUT_OF_RANGE'],
    [['e', 'x', '', '', '12 m'], 'Floor', 'NO_NUMBER'],
    [['e', 'x', '', '', 'm12'], 'Floor', 'NO_NUMBER'],
    [['e', 'x', '', '', '1.'], 'Floor', 'NO_NUMBER'],
    [['e', 'x', '', '', '', '6'], 'Status', 'STATUS_UNKNOWN'],
    [['e', 'x', '', '', '', '12'], 'Status', 'STATUS_UNKNOWN'],
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

test('a row takes every field from its column; lists are divided and named things are in lower case', () => {
  const targets = [
    'externalId',
    'title',
    'description',
    'zones',
    'groups',
    'address',
    'driver',
    'parent',
  ] as const
  const columns = targets.map((target, column) => ({ column, target }))
  const all: ImportSettings = { ...settings, columns, groups: ['all'] }
  const cells = ['e1', 'One', 'In the cellar', 'a, b;a|c', ' x \n', 'Main Street 1', 'Driver A', '17']
  const row = readRow(cells, [...targets], all)
  expect(row.input).toMatchObject({
    description: 'In the cellar',
    zones: ['a', 'b', 'c'],
    groups: ['all', 'x'],
    address: 'Main Street 1',
  })
  expect(row.named).toEqual({ driver: 'driver a', parent: '17' })
  expect(readRow(['e1', 'One'], [...targets], all)).toMatchObject({
    input: { description: '', zones: [], groups: ['all'], address: '' },
    named: { driver: null, parent: null },
  })
})

test.each([
  [['not set', 'unset', 'nicht gesetzt', '0'], 0],
  [['in transit', 'unterwegs', 'im Transport', '1'], 1],
  [['ready for operation', 'betriebsbereit', '2', ''], 2],
  [['in operation', 'in Betrieb', '3'], 3],
  [['temporarily inactive', 'vorübergehend inaktiv', '4'], 4],
  [['decommissioned', 'außer Betrieb', 'STILLGELEGT', '5'], 5],
])('the status words %j have the code %d', (words, code) => {
  expect(words.map((word) => read('e1', 'One', '', '', '', word).input?.operationalStatus)).toEqual(
    words.map(() => code),
  )
})

test('faults are listed once each, in the order of the columns', () => {
  expect(read('', 'x'.repeat(201), 'north', 'x', '', 'broken').faults).toEqual([
    { code: 'REQUIRED', column: 'EUI' },
    { code: 'TOO_LONG', column: 'Name' },
    { code: 'NO_NUMBER', column: 'Lat' },
    { code: 'NO_NUMBER', column: 'Lon' },
    { code: 'STATUS_UNKNOWN', column: 'Status' },
  ])
  const tags = `${'x'.repeat(101)},${'y'.repeat(101)}`
  expect(read('e', 'x', '', '', '', '', tags).faults).toEqual([{ code: 'TOO_LONG', column: 'Tags' }])
})

test('a field without a column has a fault without one', () => {
  const columns = settings.columns.filter(({ target }) => target !== 'externalId')
  expect(readRow(['', 'One'], header, { ...settings, columns }).faults).toEqual([
    { code: 'REQUIRED', column: null },
  ])
  expect(titleOf(header, settings.columns, 'zones')).toBeNull()
  expect(titleOf([], settings.columns, 'title')).toBeNull()
})

test('a row is called by its title, otherwise by its external id, shortened', () => {
  expect(read('e1', 'One').title).toBe('One')
  expect(read('e1').title).toBe('e1')
  expect(read('e1', 'x'.repeat(201)).title).toBe('x'.repeat(200))
  expect(read('e'.repeat(201)).title).toBe('e'.repeat(200))
})

test('rows with the external id of an earlier row are found, however it is written', () => {
  const eui = 'a81758fffe000001'
  const rows = [eui, 'c3', 'A8-17-58-FF-FE-00-00-01', eui, 'c3'].map((id, at) =>
    read(id, at === 3 ? '' : 'x'),
  )
  expect([...doubled(rows)]).toEqual([2, 4])
})

test('columns are known by their titles, each field once', () => {
  expect(suggestTargets(['Dev-EUI', 'Name', 'Titel', 'Länge', 'Foo'])).toEqual([
    ...['externalId', 'title', null, 'longitude', null],
  ])
})

test.each([
  ['externalId', ['External ID', 'Externe ID', 'DevEUI', 'Device EUI', 'EUI', 'Device ID', 'Geräte-ID']],
  ['title', ['Title', 'Titel', 'Name', 'Bezeichnung', 'Gerät', 'Device']],
  ['description', ['Description', 'Beschreibung']],
  ['driver', ['Driver', 'Treiber', 'Device driver', 'Gerätetreiber']],
  ['operationalStatus', ['Operational status', 'Betriebsstatus', 'Status']],
  ['parent', ['Parent', 'Übergeordnet', 'Übergeordneter Zwilling', 'Parent ID', 'Twin', 'Zwilling']],
  ['tags', ['Tags', 'Tag', 'Schlagworte']],
  ['zones', ['Zones', 'Zone', 'Zonen']],
  ['groups', ['Groups', 'Group', 'Gruppen', 'Gruppe']],
  ['address', ['Address', 'Adresse', 'Anschrift']],
  ['latitude', ['Latitude', 'Lat.', 'Breite', 'Breitengrad']],
  ['longitude', ['Longitude', 'Lon.', 'Lng', 'Länge', 'Längengrad']],
  ['floorNumber', ['Floor', 'Floor number', 'Stockwerk', 'Etage']],
])('columns for %s are called %j', (target, titles) => {
  expect(titles.map((title) => suggestTargets([title])[0])).toEqual(titles.map(() => target))
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
