import type { WarnMonitor } from '@leitstand/contract/warnapp'
import { describe, expect, it } from 'vitest'
import {
  afterOf,
  contactMs,
  idsOf,
  knownOf,
  nextAlarms,
  secondsOf,
  silenced,
  sinceStamp,
  turnsOf,
  withValues,
} from './pure.ts'

const now = '2026-06-15T12:00:00.000Z'
const monitor = {
  id: 7,
  now,
  states: [
    {
      stateId: 1,
      value: 0.5,
      time: now,
      silentMinutes: 1,
      limits: { kind: 'number', badTo: null, okayTo: null, okayFrom: null, badFrom: 1 },
    },
  ],
} as unknown as WarnMonitor
const stamp = { steadyMs: 1000, wallMs: 5000 }
const later = (ms: number) => ({ steadyMs: stamp.steadyMs + ms, wallMs: stamp.wallMs + ms })

it('reads the address', () => {
  expect(idsOf('3,1,3,x,-2,0')).toEqual([3, 1])
  expect(idsOf(undefined)).toEqual([])
  expect([secondsOf(undefined), secondsOf('1'), secondsOf('9999'), secondsOf('7'), secondsOf('x')]).toEqual([
    20, 5, 600, 7, 20,
  ])
})

describe('a screen', () => {
  it('knows nothing once the server was silent for too long', () => {
    expect(knownOf({ monitor, stamp }, later(contactMs))).toMatchObject({ level: 'good', isLost: false })
    expect(knownOf({ monitor, stamp }, later(contactMs + 1))).toMatchObject({
      level: 'unknown',
      levels: ['unknown'],
      isLost: true,
    })
  })
  it('is not misled by a clock that is set, nor by one that slept', () => {
    expect(sinceStamp(stamp, { steadyMs: 2000, wallMs: 5000 - 3_600_000 })).toBe(3_600_000)
    expect(sinceStamp(stamp, { steadyMs: 2000, wallMs: 5000 + 3_600_000 })).toBe(3_600_000)
    expect(sinceStamp(stamp, { steadyMs: 61_000, wallMs: 5000 })).toBe(60_000)
  })
  it('judges the age of values by the time of the server', () => {
    const old = { ...monitor, now: '2026-06-15T12:00:50.000Z' }
    expect(knownOf({ monitor: old, stamp }, later(10_000)).level).toBe('good')
    expect(knownOf({ monitor: old, stamp }, later(10_001)).level).toBe('unknown')
  })
  it('takes newer values only', () => {
    const at = Date.parse(now)
    const values = [
      { stateId: 1, value: 2, timeMs: at + 5 },
      { stateId: 9, value: 3, timeMs: at + 9 },
    ]
    expect(withValues(monitor, values).states).toMatchObject([{ value: 2, time: '2026-06-15T12:00:00.005Z' }])
    expect(withValues(monitor, [{ stateId: 1, value: 2, timeMs: at - 5 }]).states).toMatchObject([
      { value: 0.5 },
    ])
  })
})

describe('an alarm', () => {
  it('sounds until the state is good or it is silenced; the next one sounds again', () => {
    const bad = nextAlarms(new Map(), [
      { stateId: 1, level: 'bad' },
      { stateId: 2, level: 'good' },
    ])
    expect([...bad]).toEqual([[1, 'heard']])
    const quiet = silenced(bad)
    expect(nextAlarms(quiet, [{ stateId: 1, level: 'bad' }])).toBe(quiet)
    expect([
      ...nextAlarms(quiet, [
        { stateId: 1, level: 'bad' },
        { stateId: 2, level: 'bad' },
      ]),
    ]).toEqual([
      [1, 'silenced'],
      [2, 'heard'],
    ])
    expect(nextAlarms(quiet, [{ stateId: 1, level: 'okay' }]).size).toBe(0)
  })
  it('goes on while nobody knows that it is over', () => {
    const heard = new Map([[1, 'heard']] as const)
    expect(nextAlarms(heard, [{ stateId: 1, level: 'unknown' }])).toBe(heard)
    expect(nextAlarms(new Map(), [{ stateId: 1, level: 'unknown' }]).size).toBe(0)
  })
})

describe('the turns', () => {
  const three = [
    { id: 1, level: 'good' },
    { id: 2, level: 'bad' },
    { id: 3, level: 'unknown' },
  ] as const
  it('go through all, and only through the bad ones while there are some', () => {
    expect(turnsOf(three)).toEqual([2])
    expect(turnsOf([three[0], three[2]])).toEqual([1, 3])
    expect([
      afterOf([1, 3], 1),
      afterOf([1, 3], 3),
      afterOf([1, 3], 1, -1),
      afterOf([2], 1),
      afterOf([], 1),
    ]).toEqual([3, 1, 3, 2, undefined])
  })
})
