import { HealthConfig } from '@leitstand/contract/health'
import { describe, expect, it } from 'vitest'
import { planOf } from '../../drivers/index.ts'
import {
  type Finding,
  followClock,
  followIgnoring,
  followPackets,
  type HealthState,
  healthOf,
  makeAnew,
  type Step,
} from './step.ts'

const at = (minute: number): Date => new Date(Date.UTC(2026, 5, 15, 12, minute))
const minutes = (time: Date | null) => (time === null ? null : (time.getTime() - at(0).getTime()) / 60_000)

const config = HealthConfig.parse({
  entries: [
    {
      identifier: 'low',
      category: 'battery',
      type: 'warning',
      condition: { variable: 'battery', operator: 'lt', value: 20 },
    },
    {
      identifier: 'defect',
      category: 'device',
      type: 'error',
      condition: { variable: 'fault', operator: 'eq', value: true },
    },
    { identifier: 'silent', category: 'connectivity', type: 'error', olderThanDuration: 30 },
    {
      identifier: 'stale',
      category: 'device',
      type: 'warning',
      olderThanDuration: 10,
      olderThanVariable: 'level',
    },
  ],
})
const plan = planOf(config, 'd1.1')
const none: ReadonlySet<string> = new Set()
const unknown: HealthState = { evaluatedAt: null, config: null, active: none, due: null, open: new Map() }

const finding = (minute: number, more: Partial<Finding> = {}): Finding => ({
  time: at(minute),
  receivedAt: at(minute),
  on: [],
  off: ['$decode'],
  agingFrom: new Map(),
  ...more,
})

const brief = ({ changes }: Step) =>
  changes.map(({ entry, from, to, health, at: time }) => `${minutes(time)} ${entry} ${from}→${to} ${health}`)

const packets = (state: HealthState, findings: Finding[], now: number, ignored = none) =>
  followPackets(state, findings, plan, ignored, at(now))

describe('health after packets', () => {
  it('is ok with the first, then as bad as the worst entry', () => {
    const first = packets(unknown, [finding(0)], 0)
    expect(brief(first)).toEqual(['0 null 3→0 0'])
    const worse = packets(first.state, [finding(1, { on: ['low', 'defect'] })], 1)
    expect(brief(worse)).toEqual(['1 low 0→1 1', '1 defect 0→2 2'])
    const better = packets(worse.state, [finding(2, { off: ['defect'] })], 2)
    expect(brief(better)).toEqual(['2 defect 2→0 1'])
    expect(healthOf(packets(better.state, [finding(3, { off: ['low'] })], 3).state)).toBe(0)
  })

  it('changes once however often the same is said', () => {
    const { state } = packets(unknown, [finding(0, { on: ['low'] })], 0)
    expect(brief(packets(state, [finding(1, { on: ['low'] }), finding(2, { on: ['low'] })], 2))).toEqual([])
  })

  it('goes through the packets of a batch in the order of time', () => {
    const step = packets(unknown, [finding(2, { off: ['low'] }), finding(1, { on: ['low'] })], 2)
    expect(brief(step)).toEqual(['1 null 3→0 0', '1 low 0→1 1', '2 low 1→0 0'])
  })

  it('does not change by what is older than what was looked at last', () => {
    const { state } = packets(unknown, [finding(5)], 5)
    const late = packets(state, [finding(4, { on: ['low'], receivedAt: at(6) })], 6)
    expect(brief(late)).toEqual([])
    expect(minutes(late.state.evaluatedAt)).toBe(5)
  })

  it('is invalid while packets cannot be decoded, unless something is known to be wrong', () => {
    const { state } = packets(unknown, [finding(0, { on: ['$decode'], off: [] })], 0)
    expect(healthOf(state)).toBe(4)
    expect(healthOf(packets(state, [finding(1, { on: ['low', '$decode'], off: [] })], 1).state)).toBe(1)
    expect(healthOf(packets(state, [finding(1)], 1).state)).toBe(0)
  })

  it('leaves out what is ignored', () => {
    const step = packets(unknown, [finding(0, { on: ['low'] })], 0, new Set(['low']))
    expect(brief(step)).toEqual(['0 null 3→0 0'])
    expect([...step.state.active]).toEqual(['low'])
  })

  it('ends what another configuration had, and asks to be made anew', () => {
    const { state } = packets(unknown, [finding(0, { on: ['low'] })], 0)
    const step = followPackets(state, [finding(1)], null, none, at(1))
    expect(step.outdated).toBe(true)
    expect(step.changes).toMatchObject([{ entry: 'low', from: 1, to: 0, end: 'configuration' }])
  })
})

describe('health by the clock', () => {
  const heard = packets(unknown, [finding(0, { agingFrom: new Map([['stale', at(0)]]) })], 0).state
  const last = (seen: number, level: number) => ({ seen: at(seen), values: new Map([['level', at(level)]]) })

  it('has to be looked at when the first entry gets too old', () => {
    expect(minutes(heard.due)).toBe(10)
    expect(minutes(packets(heard, [finding(5)], 5).state.due)).toBe(10)
  })

  it('turns when an entry gets too old, at that very time', () => {
    const step = followClock(heard, plan, none, last(0, 0), at(31))
    expect(brief(step)).toEqual(['10 stale 0→1 1', '30 silent 0→2 2'])
    expect(step.state.due).toBeNull()
  })

  it('waits as long as what it looks at is newer than it knew', () => {
    const step = followClock(heard, plan, none, last(9, 5), at(10))
    expect(brief(step)).toEqual([])
    expect(minutes(step.state.due)).toBe(15)
  })

  it('turns back with the next packet, a late one too', () => {
    const silent = followClock(heard, plan, none, last(0, 0), at(31)).state
    const late = packets({ ...silent, evaluatedAt: at(20) }, [finding(15, { receivedAt: at(40) })], 40)
    expect(brief(late)).toEqual(['40 silent 2→0 1'])
    const fresh = packets(silent, [finding(40, { agingFrom: new Map([['stale', at(40)]]) })], 40)
    expect(brief(fresh)).toEqual(['40 stale 1→0 2', '40 silent 2→0 0'])
    expect(minutes(fresh.state.due)).toBe(50)
  })

  it('stays when a packet brings a value that is too old itself', () => {
    const silent = followClock(heard, plan, none, last(0, 0), at(31)).state
    const old = packets(
      silent,
      [finding(5, { receivedAt: at(31), agingFrom: new Map([['stale', at(5)]]) })],
      31,
    )
    expect(brief(old)).toEqual(['31 silent 2→0 1'])
  })

  it('is not looked at for a device that is unknown', () => {
    expect(brief(followClock(unknown, plan, none, last(0, 0), at(60)))).toEqual([])
  })
})

describe('health made anew', () => {
  const known = { on: ['low'], off: ['defect', '$expression'], seen: at(0), values: new Map() }
  const bad = packets(unknown, [finding(0, { on: ['defect'] })], 0).state

  it('follows the last values', () => {
    const step = makeAnew(bad, plan, none, { known, disabled: false, now: at(5) })
    expect(brief(step)).toEqual(['5 defect 2→0 0', '5 low 0→1 1'])
    expect(minutes(step.state.due)).toBe(30)
  })

  it('keeps what no value says anything about, while the configuration is the same', () => {
    const silent = { ...known, on: [], off: ['$expression'] }
    expect(brief(makeAnew(bad, plan, none, { known: silent, disabled: false, now: at(5) }))).toEqual([])
    const other = planOf(config, 'd1.2')
    const step = makeAnew(bad, other, none, { known: silent, disabled: false, now: at(5) })
    expect(brief(step)).toEqual(['5 defect 2→0 0'])
  })

  it('begins a period anew when the entry has another type', () => {
    const milder = { entries: config.entries.map((entry) => ({ ...entry, type: 'warning' as const })) }
    const other = planOf(HealthConfig.parse(milder), 'd1.2')
    const still = { ...known, on: ['defect'], off: [] }
    const step = makeAnew(bad, other, none, { known: still, disabled: false, now: at(5) })
    expect(step.changes).toMatchObject([
      { entry: 'defect', from: 2, to: 0, end: 'configuration' },
      { entry: 'defect', from: 0, to: 1 },
    ])
  })

  it('is unknown while the device is disabled', () => {
    const step = makeAnew(bad, plan, none, { known, disabled: true, now: at(5) })
    expect(step.changes).toMatchObject([
      { entry: null, from: 0, to: 3 },
      { entry: 'defect', from: 2, to: 0, end: 'disabled', health: 3 },
    ])
    expect(step.state.due).toBeNull()
    expect(brief(makeAnew(step.state, plan, none, { known, disabled: false, now: at(6) }))).toEqual([])
  })
})

describe('ignoring', () => {
  it('ends the period of an entry that holds, and setting it active again begins another', () => {
    const { state } = packets(unknown, [finding(0, { on: ['low'] })], 0)
    const ignored = followIgnoring(state, plan, new Set(['low']), at(1))
    expect(ignored.changes).toMatchObject([{ entry: 'low', from: 1, to: 0, end: 'ignored', health: 0 }])
    expect(brief(followIgnoring(ignored.state, plan, none, at(2)))).toEqual(['2 low 0→1 1'])
  })
})
