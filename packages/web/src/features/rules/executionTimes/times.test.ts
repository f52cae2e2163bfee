import type { ExecutionTimes } from '@leitstand/contract/rules'
import { describe, expect, test } from 'vitest'
import { newTimes, timesFaults } from './times.ts'

const none: ExecutionTimes = { windows: [], dates: [], holidays: null }

describe('times of execution', () => {
  test.each<[ExecutionTimes | null, string[]]>([
    [null, []],
    [newTimes, []],
    [none, ['noTimes']],
    [{ ...none, windows: [{ days: [], from: '', to: '10:00' }] }, ['noWeekday', 'noClock']],
    [{ ...none, windows: [{ days: [1], from: '22:00', to: '06:00' }] }, []],
    [{ ...none, dates: [{ from: '', to: '2026-01-01' }] }, ['noDate']],
    [{ ...none, dates: [{ from: '2026-01-02', to: '2026-01-01' }] }, ['datesReversed']],
    [{ ...none, dates: [{ from: '2026-01-01', to: '2026-01-01' }] }, []],
    [{ ...none, holidays: { country: '', on: 'except' } }, ['noCountry']],
    [{ ...none, holidays: { country: 'DE', on: 'except' } }, []],
  ])('%j has the faults %j', (times, faults) => {
    expect(timesFaults(times)).toEqual(faults)
  })
})
