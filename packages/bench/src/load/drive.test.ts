import { expect, test } from 'vitest'
import { Histogram } from '../report/histogram.ts'
import { Ledger, together } from './drive.ts'

test('a ledger numbers uplinks from 1 and knows which were acknowledged', () => {
  const ledger = new Ledger(2, { keepTimes: true })
  expect([ledger.take(10), ledger.take(20)]).toEqual([1, 2])
  expect([ledger.dueAt(1), ledger.dueAt(2), ledger.dueAt(3)]).toEqual([10, 20, undefined])
  ledger.acknowledge(2)
  expect([ledger.isAcknowledged(1), ledger.isAcknowledged(2)]).toEqual([false, true])
  expect(ledger.isFull).toBe(true)
  expect(() => ledger.take(30)).toThrow(/all the uplinks/)
})

test('the rate of several phases weighs them by their length', () => {
  const phase = (seconds: number, uplinksPerSecond: number) => {
    const latency = new Histogram()
    latency.add(seconds)
    return { seconds, uplinksPerSecond, latency, sent: 10, acknowledged: 9, notSent: 1 }
  }
  const all = together([phase(1, 100), phase(3, 200)])
  expect(all).toMatchObject({ seconds: 4, uplinksPerSecond: 175, sent: 20, acknowledged: 18, notSent: 2 })
  expect(all.latency.count).toBe(2)
  expect(together([]).uplinksPerSecond).toBe(0)
})
