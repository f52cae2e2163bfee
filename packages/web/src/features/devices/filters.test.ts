import { describe, expect, it } from 'vitest'
import { deviceListInput, silenceUnit } from './filters.ts'

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
