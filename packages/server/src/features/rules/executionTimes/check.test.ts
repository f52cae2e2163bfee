import type { ExecutionTimes } from '@leitstand/contract/rules'
import { expect, it } from 'vitest'
import { checkExecutionTimes } from './check.ts'

const always: ExecutionTimes = { windows: [], dates: [], holidays: null }

it.each<[string, ExecutionTimes | null, string[]]>([
  ['none', null, []],
  ['a day', { ...always, dates: [{ from: '2026-01-01', to: '2026-01-01' }] }, []],
  ['a range the wrong way', { ...always, dates: [{ from: '2026-01-02', to: '2026-01-01' }] }, ['dates.0.to']],
  ['holidays', { ...always, holidays: { country: 'DE', region: 'BY', on: 'only' } }, []],
  ['an unknown country', { ...always, holidays: { country: 'QQ', on: 'only' } }, ['holidays.country']],
  [
    'an unknown region',
    { ...always, holidays: { country: 'DE', region: 'Q', on: 'only' } },
    ['holidays.region'],
  ],
])('times: %s', (_name, times, paths) => {
  expect(checkExecutionTimes(times).map(({ path }) => path.slice(1).join('.'))).toEqual(paths)
})
