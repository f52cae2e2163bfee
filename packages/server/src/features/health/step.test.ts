import { HealthConfig } from '@leitstand/contract/health'
import { describe, expect, it } from 'vitest'
import { planOf } from '../drivers/index.ts'
import {
  type Finding,
  followClock,
  followIgnoring,
  followPackets,
  type HealthState,
  healthOf,
  recompute,
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

  it('ends what another configuration had, and asks to be recomputed', () => {
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

describe('recomputed health', () => {
  const known = { on: ['low'], off: ['defect', '$expression'], seen: at(0), values: new Map() }
  const bad = packets(unknown, [finding(0, { on: ['defect'] })], 0).state

  it('follows the last values', () => {
    const step = recompute(bad, plan, none, { known, disabled: false, now: at(5) })
    expect(brief(step)).toEqual(['5 defect 2→0 0', '5 low 0→1 1'])
    expect(minutes(step.state.due)).toBe(30)
  })

  it('keeps what no value says anything about, while the configuration is the same', () => {
    const silent = { ...known, on: [], off: ['$expression'] }
    expect(brief(recompute(bad, plan, none, { known: silent, disabled: false, now: at(5) }))).toEqual([])
    const other = planOf(config, 'd1.2')
    const step = recompute(bad, other, none, { known: silent, disabled: false, now: at(5) })
    expect(brief(step)).toEqual(['5 defect 2→0 0'])
  })

  it('begins a new period when the entry has another type', () => {
    const milder = { entries: config.entries.map((entry) => ({ ...entry, type: 'warning' as const })) }
    const other = planOf(HealthConfig.parse(milder), 'd1.2')
    const still = { ...known, on: ['defect'], off: [] }
    const step = recompute(bad, other, none, { known: still, disabled: false, now: at(5) })
    expect(step.changes).toMatchObject([
      { entry: 'defect', from: 2, to: 0, end: 'configuration' },
      { entry: 'defect', from: 0, to: 1 },
    ])
  })

  it('is unknown while the device is disabled', () => {
    const step = recompute(bad, plan, none, { known, disabled: true, now: at(5) })
    expect(step.changes).toMatchObject([
      { entry: null, from: 0, to: 3 },
      { entry: 'defect', from: 2, to: 0, end: 'disabled', health: 3 },
    ])
    expect(step.state.due).toBeNull()
    expect(brief(recompute(step.state, plan, none, { known, disabled: false, now: at(6) }))).toEqual([])
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

describe('the edges', () => {
  const times = (seen: number, level: number | null) => ({
    seen: at(seen),
    values: new Map(level === null ? [] : [['level', at(level)]]),
  })

  it('takes a packet of the same time as the last as not late', () => {
    const { state } = packets(unknown, [finding(5)], 5)
    expect(brief(packets(state, [finding(5, { on: ['low'] })], 5))).toEqual(['5 low 0→1 1'])
  })

  it('is too old at the very minute, not before', () => {
    const heard = packets(unknown, [finding(0, { agingFrom: new Map([['stale', at(0)]]) })], 0).state
    expect(brief(followClock(heard, plan, none, times(0, 0), at(10)))).toEqual(['10 stale 0→1 1'])
    const before = followClock(heard, plan, none, times(0, 0), new Date(at(10).getTime() - 1))
    expect(before.changes).toEqual([])
    expect(minutes(before.state.due)).toBe(10)
    expect(minutes(followClock(heard, plan, none, times(0, 0), at(10)).state.due)).toBe(30)
  })

  it('stays too old by a value whose time runs out this minute', () => {
    const heard = packets(unknown, [finding(0, { agingFrom: new Map([['stale', at(0)]]) })], 0).state
    const stale = followClock(heard, plan, none, times(0, 0), at(11)).state
    const next = finding(12, { agingFrom: new Map([['stale', at(2)]]) })
    expect(brief(packets(stale, [next], 12))).toEqual([])
    expect(brief(packets(stale, [{ ...next, agingFrom: new Map([['stale', at(3)]]) }], 12))).toEqual([
      '12 stale 1→0 0',
    ])
  })

  it('changes an entry that is already too old no second time', () => {
    const heard = packets(unknown, [finding(0)], 0).state
    const silent = followClock(heard, plan, none, times(0, null), at(31)).state
    expect(brief(followClock(silent, plan, none, times(0, null), at(40)))).toEqual([])
  })

  it('has no time to look when a device has neither packets nor values', () => {
    const { state } = packets(unknown, [finding(0)], 0)
    const step = followClock(state, plan, none, { seen: null, values: new Map() }, at(60))
    expect(step).toMatchObject({ changes: [], state: { due: null } })
  })

  it('leaves a device without packets alone, even when its last times are old', () => {
    const known = { ...unknown, config: 'd1.1' }
    const step = followClock(known, plan, none, times(0, 0), at(60))
    expect(step).toMatchObject({ changes: [], outdated: false, state: { due: null } })
  })

  it('waits with the clock until the health was made again with the new configuration', () => {
    const heard = packets(unknown, [finding(0)], 0).state
    const step = followClock(heard, planOf(config, 'd1.2'), none, times(0, 0), at(60))
    expect(step).toMatchObject({ changes: [], outdated: true, state: { config: 'd1.1', due: null } })
    expect(followClock(heard, plan, none, times(0, 0), at(5)).outdated).toBe(false)
  })

  it('never ends a period before it began', () => {
    const { state } = packets(unknown, [finding(5, { on: ['low'] })], 5)
    const step = followIgnoring(state, plan, new Set(['low']), at(3))
    expect(step.changes).toMatchObject([{ since: at(5), at: at(5), end: 'ignored' }])
    expect(step.outdated).toBe(false)
  })

  it('ends a period with "over" when a packet ends it', () => {
    const { state } = packets(unknown, [finding(0, { on: ['low'] })], 0)
    expect(packets(state, [finding(1, { off: ['low'] })], 1).changes).toMatchObject([{ end: 'over' }])
  })

  it('is invalid, without category or description, when an expression fails', () => {
    const step = packets(unknown, [finding(0, { on: ['$expression'] })], 0)
    expect(brief(step)).toEqual(['0 null 3→0 0', '0 $expression 0→4 4'])
    expect(step.changes.at(-1)?.info).toEqual({ category: null, type: 'invalid', description: '' })
  })

  it('ignores entries that the configuration does not have', () => {
    const step = packets(unknown, [finding(0, { on: ['gone'] })], 0)
    expect(brief(step)).toEqual(['0 null 3→0 0'])
    expect(step.state.open.size).toBe(0)
  })

  describe('without a configuration', () => {
    const bare = followPackets(unknown, [finding(0)], null, none, at(0))

    it('knows the device, and nothing to wait for', () => {
      expect(bare).toMatchObject({ outdated: false, state: { config: null, due: null } })
      expect(followClock(bare.state, null, none, times(0, 0), at(60))).toMatchObject({
        changes: [],
        outdated: false,
        state: { due: null },
      })
    })

    it('keeps what cannot be decoded until a packet can be', () => {
      const broken = packets(unknown, [finding(0, { on: ['$decode'], off: [] })], 0).state
      const known = { on: [], off: [], ...times(0, null) }
      const again = recompute(broken, null, none, { known, disabled: false, now: at(1) })
      expect(healthOf(again.state)).toBe(4)
      expect(again.outdated).toBe(false)
    })

    it('follows late packets', () => {
      const late = finding(1, { agingFrom: new Map([['stale', at(1)]]) })
      const { state } = followPackets(bare.state, [finding(5)], null, none, at(5))
      expect(followPackets(state, [late], null, none, at(6))).toMatchObject({
        changes: [],
        state: { due: null },
      })
    })
  })

  describe('with another configuration', () => {
    const other = planOf(config, 'd1.2')

    it('is outdated only when the device was looked at before', () => {
      expect(followPackets(unknown, [finding(0)], other, none, at(0)).outdated).toBe(false)
      const { state } = packets(unknown, [finding(0)], 0)
      expect(followPackets(state, [finding(1)], plan, none, at(1)).outdated).toBe(false)
      expect(followPackets(state, [finding(1)], other, none, at(1)).outdated).toBe(true)
    })

    it('keeps what both have, and ends what only the old one had', () => {
      const { state } = packets(unknown, [finding(0, { on: ['low', 'defect'] })], 0)
      const less = HealthConfig.parse({ entries: config.entries.slice(0, 1) })
      const step = followPackets(state, [finding(1)], planOf(less, 'd1.2'), none, at(1))
      expect(step.changes).toMatchObject([{ entry: 'defect', end: 'configuration' }])
      expect([...step.state.active]).toEqual(['low'])
    })

    it('says why: over when it has the entry, configuration when it has not', () => {
      const { state } = packets(unknown, [finding(0, { on: ['low', 'defect'] })], 0)
      const less = planOf(HealthConfig.parse({ entries: config.entries.slice(0, 1) }), 'd1.2')
      const known = { on: [], off: ['low'], ...times(0, null) }
      const step = recompute(state, less, none, { known, disabled: false, now: at(1) })
      expect(step.changes).toMatchObject([
        { entry: 'low', end: 'over' },
        { entry: 'defect', end: 'configuration' },
      ])
    })
  })

  describe('made again', () => {
    const quiet = (seen: number) => ({ on: [], off: [], ...times(seen, null) })

    it('finds what is silent by now, and drops what is not silent any more', () => {
      const heard = packets(unknown, [finding(0)], 0).state
      const step = recompute(heard, plan, none, { known: quiet(0), disabled: false, now: at(40) })
      expect(brief(step)).toEqual(['40 silent 0→2 2'])
      const back = recompute(step.state, plan, none, { known: quiet(39), disabled: false, now: at(41) })
      expect(back.changes).toMatchObject([{ entry: 'silent', to: 0, end: 'over' }])
      expect(minutes(back.state.due)).toBe(69)
    })

    it('drops what was too old and has no value now', () => {
      const heard = packets(unknown, [finding(0, { agingFrom: new Map([['stale', at(0)]]) })], 0).state
      const stale = followClock(heard, plan, none, times(0, 0), at(15)).state
      const step = recompute(stale, plan, none, { known: quiet(15), disabled: false, now: at(16) })
      expect(brief(step)).toEqual(['16 stale 1→0 0'])
    })

    it('of a device that is not known any more ends everything for the configuration', () => {
      const { state } = packets(unknown, [finding(0, { on: ['low'] })], 0)
      const lost = { ...state, evaluatedAt: null }
      const step = recompute(lost, plan, none, { known: quiet(0), disabled: false, now: at(1) })
      expect(step).toMatchObject({ outdated: false, changes: [{ entry: 'low', end: 'configuration' }] })
    })
  })
})
