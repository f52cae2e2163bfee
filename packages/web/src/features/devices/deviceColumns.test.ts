import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../../../test/browser.ts'
import de from '../../locales/de.json' with { type: 'json' }
import type { DeviceRow } from './queries.ts'

openBrowser()
const { deviceColumns } = await import('./deviceColumns.tsx')

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

const device = (change: object = {}) =>
  ({
    id: 12,
    title: 'Zähler Süd',
    externalId: 'A81758FFFE000001',
    health: 2,
    lastSeen: '2026-11-20T12:00:00Z',
    operationalStatus: 1,
    connectorName: 'Stadt LoRa',
    connectorKind: 'mqtt-in',
    driverTitle: null,
    templateTitle: null,
    accountName: 'Stadtwerke',
    parentTitle: 'Halle 1',
    tags: ['keller', 'nord'],
    zones: [],
    groups: ['A', 'B'],
    createdAt: '2026-01-02T12:00:00Z',
    updatedAt: '2026-01-03T12:00:00Z',
    latitude: 53.5,
    longitude: 9.993_456_7,
    ...change,
  }) as unknown as DeviceRow

const cells = (row: DeviceRow) =>
  Object.fromEntries(deviceColumns(i18next.t).map(({ key, csv }) => [key, csv?.(row)]))

describe('the CSV of the device list', () => {
  test('has every column that can be shown', () => {
    expect(deviceColumns(i18next.t).flatMap(({ key, csv }) => (csv ? [] : [key]))).toEqual([])
  })

  test('names states in the language of the console', () => {
    expect(cells(device())).toMatchObject({
      health: de.health.error,
      operationalStatus: de.operational['1'],
      bridgeType: de.connectors.kind['mqtt-in'].name,
    })
  })

  test.each([
    [99, de.health.unknown],
    [0, de.health.ok],
  ])('names the health %d', (health, text) => {
    expect(cells(device({ health })).health).toBe(text)
  })

  test('joins lists', () => {
    expect(cells(device())).toMatchObject({ tags: 'keller, nord', zones: '', groups: 'A, B' })
  })

  test('has references and pairs as name and value', () => {
    const row = device({
      referenceIds: [{ name: 'meterNo', value: '7=8' }],
      keyValues: { Ort: 'Flur', größe: 'XL' },
    })
    expect(cells(row)).toMatchObject({ referenceIds: 'meterNo=7=8', keyValues: 'Ort=Flur, größe=XL' })
  })

  test('is empty where the list has not read a property', () => {
    expect(cells(device())).toMatchObject({ referenceIds: '', keyValues: '', address: undefined })
  })

  test.each([
    [{ latitude: 0, longitude: 0 }, '0.00000, 0.00000'],
    [{}, '53.50000, 9.99346'],
    [{ latitude: null }, null],
    [{ longitude: null }, null],
  ])('has the position %j as %j', (change, text) => {
    expect(cells(device(change)).position).toBe(text)
  })

  test('of a device that has never sent has no time', () => {
    expect(cells(device({ lastSeen: null })).lastSeen).toBe('')
  })
})

test('every column has a name, and each a key of its own', () => {
  const columns = deviceColumns(i18next.t)
  expect(columns.filter(({ title }) => title === '' || title.startsWith('devices.'))).toEqual([])
  expect(new Set(columns.map(({ key }) => key)).size).toBe(columns.length)
})
