import { expect, test } from 'vitest'
import { sequencesIn } from './liveReader.ts'

test('two values of a twin at one time carry a sequence number', () => {
  const value = (twinId: number, timeMs: number, key: string, is: number | string) => ({
    stateId: 1,
    twinId,
    timeMs,
    key,
    value: is,
  })
  const values = [
    value(1, 10, 'temperature', 20),
    value(1, 10, 'illuminance', 5),
    value(1, 11, 'illuminance', 6),
    value(2, 10, 'co2', 9),
    value(1, 10, 'co2', 1),
    value(1, 11, 'co2', 'text'),
  ]
  expect(sequencesIn(values)).toEqual([0x10005])
})
