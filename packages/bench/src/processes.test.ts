import { expect, test } from 'vitest'
import { CostMeter, parseRss, parseStat, totalCost } from './processes.ts'

test('processor time is read, whatever the process is called', () => {
  const stat = '42 (a) b (c) S 7 42 42 0 -1 4194560 1 2 3 4 150 50 300 100 20 0 12 0 1 2 3'
  expect(parseStat(stat)).toEqual({ parent: 7, cpuSeconds: 6 })
})

test('memory is read in bytes', () => {
  expect(parseRss('Name:\tx\nVmHWM:\t  300 kB\nVmRSS:\t    200 kB\n')).toBe(204_800)
  expect(parseRss('Name:\tx\n')).toBe(0)
})

test('what is not known is null, the own processor time never is', () => {
  using meter = new CostMeter({ server: null, database: null })
  const { generatorCpuSeconds, ...others } = meter.stop()
  expect(others).toEqual({ serverCpuSeconds: null, databaseCpuSeconds: null, serverRssBytesMax: null })
  expect(generatorCpuSeconds).toBeGreaterThanOrEqual(0)
})

test('costs add up, memory is the most of them, and what one of them lacks is not known', () => {
  const cost = { serverCpuSeconds: 1, databaseCpuSeconds: 2, generatorCpuSeconds: 3, serverRssBytesMax: 4 }
  const blind = { ...cost, databaseCpuSeconds: null, serverRssBytesMax: null }
  expect(totalCost([cost, cost])).toEqual({
    ...cost,
    serverCpuSeconds: 2,
    databaseCpuSeconds: 4,
    generatorCpuSeconds: 6,
  })
  expect(totalCost([cost, blind])).toMatchObject({ databaseCpuSeconds: null, serverRssBytesMax: 4 })
})
