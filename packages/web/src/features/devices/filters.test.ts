import { virtualdevice } from '@leitstand/contract/virtualdevices'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { deviceListInput, silenceMinutes, silenceUnit } from './filters.ts'

const params = {
  offset: 20,
  limit: 20,
  search: 'room',
  accountIds: [3],
  orderBy: '-lastSeen',
  favorites: false,
  filters: {},
}

describe('the filters of the device list', () => {
  it('become the input of the list operation', () => {
    const input = deviceListInput({
      ...params,
      filters: {
        health: ['1', '2'],
        connector: ['7'],
        driver: ['9'],
        type: ['mqtt-in'],
        group: ['waste'],
        status: ['3'],
        silent: ['60'],
        tag: ['roof'],
        zone: ['north'],
        state: ['disabled'],
        keyvalue: ['owner=facility'],
        reference: ['asset=12'],
      },
    })
    expect(input).toEqual({
      offset: 20,
      limit: 20,
      search_items: 'room',
      account_ids: [3],
      health: [1, 2],
      connector_ids: [7],
      driver_ids: [9],
      bridge_types: ['mqtt-in'],
      groups: ['waste'],
      operational_status: [3],
      last_seen_older_minutes: 60,
      tags: ['roof'],
      zones: ['north'],
      disabled: true,
      key_value: 'owner=facility',
      reference_id: 'asset=12',
      favorites: false,
      order_by: '-lastSeen',
    })
  })

  it('leave out what an old or broken link says', () => {
    const input = deviceListInput({
      ...params,
      orderBy: 'colour',
      filters: { health: ['9', 'x'], connector: ['-1'], silent: ['0'], state: ['?'], status: ['6'] },
    })
    expect(input.connector_ids).toBeUndefined()
    expect(input.health).toEqual([])
    expect(input.operational_status).toEqual([])
    expect(input.last_seen_older_minutes).toBeUndefined()
    expect(input.disabled).toBeUndefined()
    expect(input.order_by).toBeUndefined()
  })
})

it('tells silence in its largest whole unit', () => {
  expect(silenceUnit(15)).toEqual({ unit: 'minutes', count: 15 })
  expect(silenceUnit(360)).toEqual({ unit: 'hours', count: 6 })
  expect(silenceUnit(10_080)).toEqual({ unit: 'days', count: 7 })
})

describe('one filter', () => {
  const input = (filters: Record<string, string[]>) => deviceListInput({ ...params, filters })
  test.each([
    ['connector', ['7', '8'], 'connector_ids', [7, 8]],
    ['connector', ['7', 'x', ''], 'connector_ids', [7]],
    ['connector', ['x'], 'connector_ids', undefined],
    ['connector', ['1.5'], 'connector_ids', undefined],
    ['connector', ['9999999999'], 'connector_ids', undefined],
    ['connector', [' 7'], 'connector_ids', undefined],
    ['connector', ['0'], 'connector_ids', undefined],
    ['driver', ['0012', '0'], 'driver_ids', [12]],
    ['template', ['5'], 'template_ids', [5]],
    ['status', ['0', '5', '6'], 'operational_status', [0, 5]],
    ['health', ['0', '4', '5'], 'health', [0, 4]],
    ['silent', ['0', '15'], 'last_seen_older_minutes', 15],
    ['silent', ['soon'], 'last_seen_older_minutes', undefined],
    ['tag', ['Größe', 'a,b'], 'tags', ['Größe', 'a,b']],
    ['zone', ['Nord'], 'zones', ['Nord']],
    ['group', ['Müll'], 'groups', ['Müll']],
    ['type', ['mqtt-in'], 'bridge_types', ['mqtt-in']],
    ['state', ['enabled'], 'disabled', false],
    ['state', ['disabled'], 'disabled', true],
    ['state', ['DISABLED'], 'disabled', undefined],
    ['keyvalue', ['Raum=12', 'b'], 'key_value', 'Raum=12'],
    ['reference', ['Anlage'], 'reference_id', 'Anlage'],
  ] as const)('%s %j is sent as %s %j', (key, values, name, expected) => {
    expect(input({ [key]: [...values] })[name]).toEqual(expected)
  })

  test('whatever an old link says, the operation accepts it', () => {
    const schema = virtualdevice.list['~orpc'].inputSchema
    const text = fc.oneof(fc.string({ maxLength: 100 }), fc.integer().map(String), fc.constant('1'))
    const keys = [
      'health',
      'connector',
      'driver',
      'template',
      'status',
      'silent',
      'group',
      'tag',
      'zone',
      'state',
    ]
    const filters = fc.dictionary(fc.constantFrom(...keys), fc.array(text, { minLength: 1, maxLength: 3 }))
    fc.assert(
      fc.property(filters, fc.string(), (given, orderBy) => {
        const sent = JSON.parse(JSON.stringify(deviceListInput({ ...params, orderBy, filters: given })))
        expect(schema?.safeParse(sent).error?.issues ?? []).toEqual([])
      }),
    )
  })
})

describe('silence', () => {
  test('each choice has a unit that divides it', () => {
    const minutesOf = { minutes: 1, hours: 60, days: 1440 }
    for (const minutes of silenceMinutes) {
      const { unit, count } = silenceUnit(minutes)
      expect(Number.isInteger(count)).toBe(true)
      expect(count * minutesOf[unit]).toBe(minutes)
    }
  })

  test.each([
    [1, 'minutes', 1],
    [59, 'minutes', 59],
    [60, 'hours', 1],
    [90, 'minutes', 90],
    [1439, 'minutes', 1439],
    [1440, 'days', 1],
    [1500, 'hours', 25],
    [43_200, 'days', 30],
  ])('%d minutes are said in %s', (minutes, unit, count) => {
    expect(silenceUnit(minutes)).toEqual({ unit, count })
  })
})
