import type { PastMoment, PastResult } from '@leitstand/contract/rules/past'
import { expect, test } from 'vitest'
import { linesOf, marksOf, newestFirst, runsOf } from './moments.ts'

const moment = (minute: number, value: unknown): PastMoment => ({
  at: new Date(minute * 60_000).toISOString(),
  cause: { kind: 'values' },
  inputs: value === undefined ? null : ({ a: value } as PastMoment['inputs']),
  branch: null,
})

test('marks are the moments that fired and have a number', () => {
  const moments = [moment(1, 5), moment(2, 'text'), moment(3, true), moment(5, undefined)]
  expect(marksOf({ moments }, 'a')).toEqual([
    [60_000, 5],
    [180_000, 1],
  ])
  expect(marksOf({ moments }, 'b')).toEqual([])
  expect(newestFirst(moments)[0]).toBe(moments[3])
})

test('a result has the lines that there are', () => {
  const results = { fired: 1, throttled: 2, not_met: 3, outside_times: 4, aborted: 5, error: 6 }
  const line = { results, fired: [1], throttled: [2], moments: [], error: null }
  const result: PastResult = {
    from: '2026-06-01T00:00:00Z',
    to: '2026-06-02T00:00:00Z',
    stopped: null,
    draft: line,
    stored: null,
    real: null,
    charts: [],
  }
  expect(linesOf(result)).toEqual([{ key: 'draft', counts: results, fired: [1], paused: [2] }])
  const real = { fired: 3, throttled: 1, firedStretches: [0, 3] }
  expect(linesOf({ ...result, stored: line, real }).map(({ key }) => key)).toEqual([
    'draft',
    'stored',
    'real',
  ])
  expect(linesOf({ ...result, real })[1]).toEqual({
    key: 'real',
    counts: { fired: 3, throttled: 1, not_met: null, outside_times: null, aborted: null, error: null },
    fired: [0, 3],
    paused: [],
  })
})

test('neighbouring stretches are drawn together', () => {
  expect(runsOf([0, 1, 2, 0, 0, 1])).toEqual([
    { start: 1, length: 2 },
    { start: 5, length: 1 },
  ])
  expect(runsOf([])).toEqual([])
})
