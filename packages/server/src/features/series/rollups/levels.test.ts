import { describe, expect, it } from 'vitest'
import { changesOf, level, newestDue } from './levels.ts'

const at = (iso: string) => new Date(iso)

describe('the list of changes', () => {
  it('has a state as often as it has values in 5 minutes, and a row for each 5 minutes', () => {
    const values = [
      { stateId: 1, time: at('2026-11-20T10:00:00Z') },
      { stateId: 2, time: at('2026-11-20T10:04:59.999Z') },
      { stateId: 1, time: at('2026-11-20T10:05:00Z') },
      { stateId: 1, time: at('2026-11-20T10:03:00Z') },
      { stateId: 7, time: at('1969-12-31T23:59:00Z') },
    ]
    expect(changesOf(values)).toEqual([
      { slot: at('2026-11-20T10:00:00Z'), stateIds: [1, 2, 1] },
      { slot: at('2026-11-20T10:05:00Z'), stateIds: [1] },
      { slot: at('1969-12-31T23:55:00Z'), stateIds: [7] },
    ])
  })
})

describe('when an interval is rolled up', () => {
  it.each([
    [level.fiveMinutes, '2026-11-20T11:54:30Z'],
    [level.hour, '2026-11-20T10:58:00Z'],
    [level.day, '2026-11-19T11:55:00Z'],
  ] as const)('of level %d: closed and a while past at noon when it starts at %s', (of, newest) => {
    expect(newestDue(of, at('2026-11-20T12:00:00Z'))).toEqual(at(newest))
  })
})
