import { beforeEach, describe, expect, test } from 'vitest'
import { KnownDevices } from './knownDevices.ts'

interface Device {
  id: number
  driver: { driverId: number } | null
}

let known: KnownDevices<Device>
const device = (id: number, driverId: number | null): Device => ({
  id,
  driver: driverId === null ? null : { driverId },
})
const names = () => ['1 a', '1 b', '2 a', '2 b'].filter((name) => known.get(name) !== undefined)
beforeEach(() => {
  known = new KnownDevices()
  known.set('1 a', device(1, 7))
  known.set('1 b', device(2, 7))
  known.set('2 a', device(3, 8))
  known.set('2 b', device(4, null))
})

describe('known devices', () => {
  test('are forgotten by their ids', () => {
    known.forget([2, 99])
    expect(names()).toEqual(['1 a', '2 a', '2 b'])
  })

  test('are forgotten with their driver, and without one when any driver changes', () => {
    known.forgetDrivers([7])
    expect(names()).toEqual(['2 a'])
    known.set('2 b', device(4, null))
    known.forgetDrivers([99])
    expect(names()).toEqual(['2 a'])
  })

  test('are all forgotten, and then known again by id and driver', () => {
    known.clear()
    expect(names()).toEqual([])
    known.set('1 a', device(1, 8))
    known.set('1 b', device(2, 8))
    known.forget([1])
    expect(names()).toEqual(['1 b'])
    known.forgetDrivers([8])
    expect(names()).toEqual([])
  })

  test('that have another driver now are forgotten with that one only', () => {
    known.set('1 a', device(1, 8))
    known.forgetDrivers([7])
    expect(names()).toEqual(['1 a', '2 a'])
    known.forgetDrivers([8])
    expect(names()).toEqual([])
  })

  test('that are at another address now are known by that, and forgotten by their id', () => {
    known.set('1 c', device(1, 7))
    known.set('1 a', device(9, 7))
    expect(known.get('1 c')?.id).toBe(1)
    known.forget([1])
    expect([known.get('1 c'), known.get('1 a')?.id]).toEqual([undefined, 9])
  })

  test('are at most 120 000', () => {
    for (let id = 10; id < 120_010; id++) known.set(`3 ${id}`, device(id, 9))
    expect(known.get('1 a')).toBeUndefined()
    expect(known.get('3 120009')?.id).toBe(120_009)
    known.forgetDrivers([7, 8])
    known.forget([1, 2, 3, 4])
    expect(known.get('3 10')?.id).toBe(10)
  })
})
