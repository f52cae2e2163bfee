import { describe, expect, it } from 'vitest'
import type { Happening } from './causes.ts'
import { looksMin, type Measures, PlatformJudge } from './platformJudge.ts'
import type { AlarmSeverity } from './store.ts'

const fine: Measures = {
  disk: { freeBytes: 50e9, totalBytes: 100e9 },
  writeMs: 5,
  eventsLateMs: 0,
  isReplicaUnused: false,
  isLoopSlow: false,
}
const now = new Date('2026-11-27T00:00:00Z')
const nothing = new Map<string, AlarmSeverity>()

/** The last of as many looks as it takes. */
function looked(judge: PlatformJudge, measures: Measures, open = nothing): Happening[] {
  let last: Happening[] = []
  for (let n = 0; n < looksMin; n++) last = judge.look(measures, open, now)
  return last
}

const short = (happenings: readonly Happening[]) =>
  happenings.map(({ cause, event }) => [cause, event.content?.severity ?? null])

describe('the platform', () => {
  it('is well', () => {
    expect(looked(new PlatformJudge(), fine)).toEqual([])
  })

  it.each([
    ['disk', 'warning', { disk: { freeBytes: 9e9, totalBytes: 100e9 } }],
    ['disk', 'error', { disk: { freeBytes: 4e9, totalBytes: 100e9 } }],
    ['database', 'warning', { writeMs: 1_000 }],
    ['database', 'error', { writeMs: 5_000 }],
    ['database', 'error', { writeMs: null }],
    ['events', 'warning', { eventsLateMs: 60_000 }],
    ['events', 'error', { eventsLateMs: 600_000 }],
    ['replica', 'warning', { isReplicaUnused: true }],
    ['eventLoop', 'warning', { isLoopSlow: true }],
  ] as const)('has an alarm about its %s (%s) after some looks, and one only', (cause, severity, bad) => {
    const judge = new PlatformJudge()
    const measures = { ...fine, ...bad }
    for (let n = 1; n < looksMin; n++) expect(judge.look(measures, nothing, now)).toEqual([])
    expect(short(judge.look(measures, nothing, now))).toEqual([[cause, severity]])
    expect(judge.look(measures, new Map([[cause, severity]]), now)).toEqual([])
  })

  it('has no disk to look at where the database is on a server of its own', () => {
    expect(looked(new PlatformJudge(), { ...fine, disk: null })).toEqual([])
  })

  it('has enough room on a large disk', () => {
    const disk = { freeBytes: 200e9, totalBytes: 4000e9 }
    expect(looked(new PlatformJudge(), { ...fine, disk })).toEqual([])
  })

  it('stays in alarm until it is clearly well, for some looks', () => {
    const open = new Map([['disk', 'warning' as const]])
    const judge = new PlatformJudge()
    const between = { ...fine, disk: { freeBytes: 11e9, totalBytes: 100e9 } }
    expect(looked(judge, between, open)).toEqual([])
    for (let n = 1; n < looksMin; n++) expect(judge.look(fine, open, now)).toEqual([])
    expect(short(judge.look(fine, open, now))).toEqual([['disk', null]])
  })

  it('gets worse and better', () => {
    const worse = { ...fine, eventsLateMs: 700_000 }
    const judge = new PlatformJudge()
    expect(short(looked(judge, worse, new Map([['events', 'warning']])))).toEqual([['events', 'error']])
  })

  it('starts over after something else was seen in between', () => {
    const judge = new PlatformJudge()
    const slow = { ...fine, isLoopSlow: true }
    for (let n = 1; n < looksMin; n++) judge.look(slow, nothing, now)
    judge.look(fine, nothing, now)
    expect(judge.look(slow, nothing, now)).toEqual([])
  })

  it('tells afterwards that nothing could be stored, until that is stored itself', () => {
    const judge = new PlatformJudge()
    const since = new Date('2026-11-26T23:00:00Z')
    judge.failed(since)
    judge.failed(now)
    const told = [
      ['database', 'error'],
      ['database', null],
    ]
    const first = judge.look(fine, nothing, now)
    expect(short(first)).toEqual(told)
    expect(first[0]?.event).toMatchObject({ at: since, content: { details: { reason: 'databaseGone' } } })
    expect(short(judge.look(fine, nothing, now))).toEqual(told)
    judge.stored()
    expect(judge.look(fine, nothing, now)).toEqual([])
  })
})
