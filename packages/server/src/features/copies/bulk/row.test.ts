import type { TwinColumn } from '@leitstand/contract/bulkDuplicate'
import { twinTypes } from '@leitstand/contract/twins'
import { describe, expect, test } from 'vitest'
import { inFormat, type RowTemplate, readTwinRow, suggestColumns } from './row.ts'

const square = (longitude: number) => ({
  type: 'Polygon' as const,
  coordinates: [
    [
      [longitude, 50],
      [longitude + 1, 50],
      [longitude + 1, 51],
      [longitude, 50],
    ],
  ],
})

const template: RowTemplate = {
  type: 'room',
  latitude: 50,
  longitude: 10,
  geoPolygon: square(10),
  keyValues: { maker: 'Acme', serial: '0' },
  referenceIds: [
    { name: 'meter', value: '4711' },
    { name: 'room', value: 'A1' },
  ],
}
const header = ['Name', 'Type', 'Tags', 'Lat', 'Lon', 'Parent', 'Serial', 'DevEUI', 'Text', 'Place', 'Zones']
const columns: TwinColumn[] = [
  { column: 0, target: 'title', format: 'text' },
  { column: 1, target: 'type', format: 'text' },
  { column: 2, target: 'tags', format: 'text' },
  { column: 3, target: 'latitude', format: 'text' },
  { column: 4, target: 'longitude', format: 'text' },
  { column: 5, target: 'parent', format: 'text' },
  { column: 6, target: 'keyValue', name: 'serial', format: 'hex' },
  { column: 7, target: 'referenceId', name: 'meter', format: 'eui' },
  { column: 8, target: 'description', format: 'text' },
  { column: 9, target: 'address', format: 'text' },
  { column: 10, target: 'zones', format: 'text' },
]
const read = (...cells: string[]) => readTwinRow(cells, header, columns, template)
const readOf = (changed: Partial<RowTemplate>, ...cells: string[]) =>
  readTwinRow(cells, header, columns, { ...template, ...changed })

describe('a row', () => {
  test('without more than a title keeps what the twin has', () => {
    expect(read('One')).toEqual({
      title: 'One',
      parent: null,
      faults: [],
      changes: { type: 'room', keyValues: template.keyValues, referenceIds: template.referenceIds },
    })
  })

  test('replaces what it has a value for, and adds its keys and reference ids', () => {
    const cells = [
      ...['One', 'Tür', 'a; b', '50', '12,5', 'House 1', '0aFf', '70-b3-d5-7e-d0-00-11-22'],
      ...['By the lift', 'Main Street 1', 'north|south'],
    ]
    expect(read(...cells)).toMatchObject({
      title: 'One',
      parent: 'house 1',
      faults: [],
      changes: {
        type: 'door',
        tags: ['a', 'b'],
        zones: ['north', 'south'],
        description: 'By the lift',
        address: 'Main Street 1',
        latitude: 50,
        longitude: 12.5,
        geoPolygon: square(12.5),
        keyValues: { maker: 'Acme', serial: '0AFF' },
        referenceIds: [
          { name: 'room', value: 'A1' },
          { name: 'meter', value: '70B3D57ED0001122' },
        ],
      },
    })
  })

  test('keeps a polygon where it is if the twin has no position', () => {
    const { changes } = readOf({ latitude: null, longitude: null }, 'One', '', '', '50', '20')
    expect(changes?.geoPolygon).toEqual(square(10))
    expect(readOf({ geoPolygon: null }, 'One', '', '', '50', '20').changes?.geoPolygon).toBeNull()
  })

  test.each<[string, string[], string, string]>([
    ['no title', [''], 'REQUIRED', 'Name'],
    ['a long title', ['x'.repeat(201)], 'TOO_LONG', 'Name'],
    ['an unknown type', ['One', 'castle'], 'TYPE_UNKNOWN', 'Type'],
    ['a long tag', ['One', '', 'x'.repeat(101)], 'TOO_LONG', 'Tags'],
    ['too many tags', ['One', '', Array.from({ length: 51 }, (_, at) => at).join(',')], 'TOO_MANY', 'Tags'],
    ['no number', ['One', '', '', 'north', '10'], 'NO_NUMBER', 'Lat'],
    ['half a position', ['One', '', '', '50'], 'POSITION_INCOMPLETE', 'Lon'],
    ['a place off the globe', ['One', '', '', '91', '10'], 'OUT_OF_RANGE', 'Lat'],
    ['a place where the polygon does not fit', ['One', '', '', '50', '179.5'], 'OUT_OF_RANGE', 'Lat'],
    ['an odd number of hex digits', ['One', '', '', '', '', '', 'ABC'], 'HEX_INVALID', 'Serial'],
    ['other than hex digits', ['One', '', '', '', '', '', 'GG'], 'HEX_INVALID', 'Serial'],
    ['a short EUI', ['One', '', '', '', '', '', '', '70B3D57ED00011'], 'EUI_INVALID', 'DevEUI'],
  ])('with %s is faulty', (_, cells, code, column) => {
    const row = read(...cells)
    expect(row.changes).toBeUndefined()
    expect(row.faults).toEqual([{ code, column }])
  })

  test('cannot make a zone of a twin without a polygon', () => {
    expect(readOf({ geoPolygon: null }, 'One', 'Zone').faults).toEqual([
      { code: 'ZONE_NEEDS_POLYGON', column: 'Type' },
    ])
    expect(read('One', 'zone').changes?.type).toBe('zone')
  })
})

test.each([
  ['allgemein', 'general', 'default'],
  ['Gebäude', 'building', 'building'],
  ['Sensor', 'SENSOR', 'sensor'],
  ['Raum', 'room', 'room'],
  ['Tür', 'Door', 'door'],
  ['Zone', 'zone', 'zone'],
  ['Etage', 'Stockwerk', 'floor'],
  ['Bewegliches Objekt', 'Movable object', 'trackable'],
])('the words %s and %s are the type %s', (one, other, type) => {
  for (const word of [one, other, type]) expect(read('One', word).changes?.type).toBe(type)
  expect(twinTypes).toContain(type)
})

test.each([
  ['text', ' as it is', ' as it is'],
  ['hex', '0aff', '0AFF'],
  ['hex', '0A FF', null],
  ['hex', '0', null],
  ['eui', '70b3d57ed0001122', '70B3D57ED0001122'],
  ['eui', '70b3d57ed000112', null],
] as const)('in the format %s, %j is %j', (format, value, stored) => {
  expect(inFormat(value, format)).toBe(stored)
})

test('columns are known by their titles, with their names and formats', () => {
  const suggested = (title: string) => suggestColumns([title])[0]
  expect(suggested('Bezeichnung')).toEqual({ target: 'title', name: 'Bezeichnung', format: 'text' })
  expect(suggested('Referenz-ID meter')).toEqual({ target: 'referenceId', name: 'meter', format: 'text' })
  expect(suggested('Reference ID: DevEUI')).toEqual({ target: 'referenceId', name: 'DevEUI', format: 'eui' })
  expect(suggested('Eigenschaft Hex-Code')).toEqual({ target: 'keyValue', name: 'Hex-Code', format: 'hex' })
  expect(suggested('Property Maker')).toEqual({ target: 'keyValue', name: 'Maker', format: 'text' })
  expect(suggested('Foo')).toEqual({ target: null, name: 'Foo', format: 'text' })
  expect(suggestColumns(['Titel', 'Name']).map(({ target }) => target)).toEqual(['title', null])
})

test.each([
  ['title', ['Title', 'Titel', 'Name', 'Bezeichnung', 'Twin', 'Zwilling']],
  ['description', ['Description', 'Beschreibung']],
  ['type', ['Type', 'Typ', 'Art']],
  ['tags', ['Tags', 'Tag', 'Schlagworte']],
  ['zones', ['Zones', 'Zone', 'Zonen']],
  ['address', ['Address', 'Adresse', 'Anschrift']],
  ['latitude', ['Latitude', 'Lat.', 'Breite', 'Breitengrad']],
  ['longitude', ['Longitude', 'Lon', 'lng', 'Länge', 'Längengrad']],
  ['parent', ['Parent', 'Parent twin', 'Übergeordnet', 'Übergeordneter Zwilling', 'Parent ID']],
])('columns of %s are known by %j', (target, titles) => {
  for (const title of titles) expect(suggestColumns([title])[0]?.target).toBe(target)
})
