import { expect, test } from 'vitest'
import { tracePath } from '../../lib/trace.ts'
import { parseSearch } from '../../lib/url.ts'
import { startOf } from './start.ts'

const at = '2026-11-20T08:15:00.000Z'

test('the address says what is traced', () => {
  for (const start of [
    { packet: 1, device: 2, at },
    { state: 3, at },
    { letter: 7, connector: 8, at },
    { letter: 7, connector: 8, at, identifier: 'A:1 & b' },
    { execution: 4 },
    { mail: 5 },
    { alarm: 6 },
  ])
    expect(startOf(parseSearch(tracePath(start).slice('/trace'.length)))).toEqual(start)
})

test('an incomplete or wrong address asks for nothing', () => {
  for (const search of [
    '',
    '?packet=1&device=2',
    '?state=3&at=never',
    '?letter=7&connector=8',
    '?mail=-1',
    '?mail=1e3',
    '?alarm=0',
  ])
    expect(startOf(parseSearch(search))).toBeUndefined()
})
