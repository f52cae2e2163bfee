import { describe, expect, test } from 'vitest'
import { networkOf } from '../net/address.ts'
import { liveBounds, Paces, type Place, Places, userMessageRate } from './bounds.ts'

function enter(places: Places, ip: string): Place {
  const place = places.enter(ip)
  if (typeof place === 'string') throw new Error(place)
  return place
}

let serial = 0
/** A connection from an address of its own. */
const seated = (places: Places, userId: number, accountIds: readonly number[]) => {
  const place = enter(places, `10.${serial >> 16}.${(serial >> 8) & 255}.${serial++ & 255}`)
  const refusal = places.seat(place, { by: `user ${userId}`, accountIds })
  if (refusal) places.leave(place)
  return { place, refusal }
}

describe('places of live connections', () => {
  test('a user has so many, others are not concerned, and a place that is given back can be taken', () => {
    const places = new Places()
    const taken = Array.from({ length: liveBounds.perUserMax }, () => seated(places, 1, [7]))
    expect(taken.every(({ refusal }) => refusal === null)).toBe(true)
    expect(seated(places, 1, [7]).refusal).toBe('user')
    expect(seated(places, 2, [7]).refusal).toBeNull()
    for (const { place } of taken.slice(0, 2)) places.leave(place)
    // Releasing twice counts once.
    for (const { place } of taken.slice(0, 1)) places.leave(place)
    expect(seated(places, 1, [7]).refusal).toBeNull()
    expect(seated(places, 1, [7]).refusal).toBeNull()
    expect(seated(places, 1, [7]).refusal).toBe('user')
  })

  test('an account counts with all below it, and another one is not concerned', () => {
    const places = new Places()
    for (let n = 0; n < liveBounds.perAccountMax; n++)
      expect(seated(places, n, n % 2 === 0 ? [5] : [6, 5]).refusal).toBeNull()
    expect(seated(places, -1, [6, 5]).refusal).toBe('account')
    expect(seated(places, -2, [9]).refusal).toBeNull()
  })

  test('large accounts together leave places for those who have few', () => {
    const places = new Places()
    let user = 0
    const refusals = new Set<string>()
    for (const account of [1, 2, 3, 4])
      for (let n = 0; n < liveBounds.perAccountMax; n++) {
        const { refusal } = seated(places, user++, [account])
        if (refusal) refusals.add(refusal)
      }
    expect(refusals).toEqual(new Set(['account']))
    expect(places.size).toBeLessThan(liveBounds.connectionsMax)
    for (let n = 0; n < liveBounds.reservedPerAccount; n++)
      expect(seated(places, user++, [99]).refusal).toBeNull()
  })

  test('who says nothing takes few places of his address, and none of others', () => {
    const places = new Places()
    for (let n = 0; n < liveBounds.waitingPerAddressMax; n++) enter(places, '203.0.113.1')
    expect(places.enter('203.0.113.1')).toBe('address')
    expect(places.enter('::ffff:203.0.113.1')).toBe('address')
    const other = enter(places, '203.0.113.2')
    expect(places.seat(other, { by: 'user 1', accountIds: [1] })).toBeNull()
  })

  test('an address has so many also when everybody says who he is', () => {
    const places = new Places()
    for (let n = 0; n < liveBounds.perAddressMax; n++)
      expect(places.seat(enter(places, '2001:db8::1'), { by: `user ${n}`, accountIds: [n] })).toBeNull()
    expect(places.enter('2001:db8:0:0:ffff::2')).toBe('address')
    expect(typeof places.enter('2001:db8:0:1::2')).toBe('object')
  })
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001::6', '2001:db8:1:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['', ''],
])('%s belongs to %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network)
})

test('messages of one user are read later beyond a rate, those of others are not', () => {
  const paces = new Paces()
  const pauses = Array.from({ length: userMessageRate.burst + 100 }, () => paces.count({ userId: 1 }, 0))
  expect(pauses.slice(0, userMessageRate.burst).every((ms) => ms === 0)).toBe(true)
  expect(pauses[userMessageRate.burst]).toBe(1000 / userMessageRate.perSecond)
  expect(Math.max(...pauses)).toBeLessThanOrEqual(1_000)
  expect(paces.count({ userId: 2 }, 0)).toBe(0)
  expect(paces.count(undefined, 0)).toBe(0)
  expect(paces.count({ userId: 1 }, 60_000)).toBe(0)
})

const addressOf = (n: number) => `172.${n >> 16}.${(n >> 8) & 255}.${n & 255}`

test('silent connections may take only part of the places, until they leave or say hello', () => {
  const places = new Places()
  const waiting = Array.from({ length: liveBounds.waitingMax }, (_, n) => enter(places, addressOf(n)))
  expect(places.enter('192.0.2.1')).toBe('total')
  places.leave(waiting[0] as Place)
  const late = enter(places, '192.0.2.1')
  expect(places.enter('192.0.2.2')).toBe('total')
  expect(places.seat(late, { by: 'user 1', accountIds: [1] })).toBeNull()
  enter(places, '192.0.2.2')
  expect(places.enter('192.0.2.3')).toBe('total')
  expect(places.size).toBe(liveBounds.waitingMax + 1)
})

test('the total number of connections is limited', () => {
  const places = new Places()
  const first = seated(places, 0, [0]).place
  for (let n = 1; n < liveBounds.connectionsMax; n++) expect(seated(places, n, [n]).refusal).toBeNull()
  expect(places.enter('192.0.2.1')).toBe('total')
  places.leave(first)
  enter(places, '192.0.2.1')
  expect(places.size).toBe(liveBounds.connectionsMax)
})

test('the last places are kept for accounts with few connections', () => {
  const places = new Places()
  const { reservedPerAccount, connectionsMax, reservedPlaces } = liveBounds
  for (let n = 0; n < reservedPerAccount; n++) seated(places, n, [1])
  for (let n = reservedPerAccount; n < connectionsMax - reservedPlaces - 1; n++) seated(places, n, [n])
  expect(seated(places, -1, [1]).refusal).toBeNull()
  expect(places.size).toBe(connectionsMax - reservedPlaces)
  const { refusal } = seated(places, -2, [1])
  expect(refusal).toBe('account')
  expect(seated(places, -3, [2]).refusal).toBeNull()
})

test('a place is assigned once, and not after it was left', () => {
  const places = new Places()
  const place = enter(places, '192.0.2.1')
  expect(places.seat(place, { by: 'user 1', accountIds: [1] })).toBeNull()
  expect(places.seat(place, { by: 'user 2', accountIds: [2] })).toBe('total')
  const left = enter(places, '192.0.2.1')
  places.leave(left)
  expect(places.seat(left, { by: 'user 1', accountIds: [1] })).toBe('total')
  expect(places.size).toBe(1)
})

test('addresses and accounts get back the places they leave', () => {
  const places = new Places()
  const { perAddressMax, perAccountMax, waitingPerAddressMax } = liveBounds
  const seats = Array.from({ length: perAddressMax }, (_, n) => {
    const place = enter(places, '192.0.2.1')
    places.seat(place, { by: `user ${n}`, accountIds: [] })
    return place
  })
  expect(places.enter('192.0.2.1')).toBe('address')
  places.leave(seats[0] as Place)
  const waiting = enter(places, '192.0.2.1')
  places.leave(waiting)
  places.leave(waiting)
  for (const seat of seats) places.leave(seat)
  for (let n = 0; n < waitingPerAddressMax; n++) enter(places, '192.0.2.1')
  expect(places.enter('192.0.2.1')).toBe('address')

  const others = new Places()
  const held = Array.from({ length: perAccountMax }, (_, n) => seated(others, n, [1]).place)
  expect(seated(others, -1, [1]).refusal).toBe('account')
  others.leave(held[0] as Place)
  expect(seated(others, -1, [1]).refusal).toBeNull()
})

test('messages are delayed by at most a second, and those without a user are not counted', () => {
  const paces = new Paces()
  const count = (userId: number | null, nowMs: number) => paces.count({ userId }, nowMs)
  for (let n = 0; n < userMessageRate.burst + 1_000; n++) count(1, 0)
  expect(count(1, 0)).toBe(1_000)
  for (let n = 0; n < userMessageRate.burst + 1; n++) expect(count(null, 0)).toBe(0)
})
