import { describe, expect, test } from 'vitest'
import { taken } from './taken.ts'

const content = {
  driverId: 7,
  driverVersion: null,
  tags: ['keller'],
  groups: ['A'],
  icon: 'gauge',
  properties: [
    { key: 'interval', defaultValue: '15' },
    { key: 'größe', defaultValue: '' },
  ],
}
const nothing = { tags: [], groups: [], icon: null, keyValues: {} }

describe('a template for a new device', () => {
  test('fills what is empty', () => {
    expect(taken(content, nothing)).toEqual({
      driverId: '7',
      driverVersion: null,
      tags: ['keller'],
      groups: ['A'],
      icon: 'gauge',
      keyValues: { interval: '15', größe: '' },
    })
  })

  test.each([
    [{ tags: ['dach'] }, { tags: ['dach'] }],
    [{ groups: ['B', 'C'] }, { groups: ['B', 'C'] }],
    [{ icon: 'door' }, { icon: 'door' }],
    [{ keyValues: { interval: '5' } }, { keyValues: { interval: '5', größe: '' } }],
    [{ keyValues: { interval: '' } }, { keyValues: { interval: '', größe: '' } }],
    [{ keyValues: { other: 'x' } }, { keyValues: { interval: '15', größe: '', other: 'x' } }],
  ])('keeps what was entered: %j', (entered, expected) => {
    expect(taken(content, { ...nothing, ...entered })).toMatchObject(expected)
  })

  test('sets a fixed version of its driver', () => {
    expect(taken({ ...content, driverVersion: 3 }, nothing).driverVersion).toBe('3')
  })

  test('without properties leaves those of the user', () => {
    expect(taken({ ...content, properties: [] }, { ...nothing, keyValues: { a: 'b' } }).keyValues).toEqual({
      a: 'b',
    })
  })
})
