import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AlarmContent,
  type AlarmTimes,
  type CauseEvent,
  type CauseState,
  followCause,
  followDue,
} from './machine.ts'

const start = Date.UTC(2026, 10, 26, 12)
const at = (seconds: number) => new Date(start + seconds * 1000)
const nothing: CauseState = { alarm: null, waiting: null }
const content = (severity: 'warning' | 'error' = 'warning', message = 'Battery is low'): AlarmContent => ({
  severity,
  category: 'battery',
  message,
  details: {},
})
const on = (seconds: number, severity?: 'warning' | 'error', message?: string): CauseEvent => ({
  at: at(seconds),
  content: content(severity, message),
})
const off = (seconds: number): CauseEvent => ({ at: at(seconds), content: null })
const times = (fields: Partial<AlarmTimes> = {}): AlarmTimes => ({
  openAfterMs: 0,
  resolveAfterMs: 0,
  reopenWithinMs: 0,
  ...fields,
})
const whats = ({ steps }: ReturnType<typeof followCause>) =>
  steps.map(({ what, at: time }) => `${what} ${(time.getTime() - start) / 1000}`)

describe('a cause', () => {
  it('opens an alarm and resolves it', () => {
    const { state, steps, touched } = followCause(nothing, [on(0), off(60)], times())
    expect(steps.map(({ what }) => what)).toEqual(['raised', 'resolved'])
    expect(steps.map(({ alarm }) => alarm.resolvedAt)).toEqual([null, at(60)])
    expect(touched).toEqual([state.alarm])
    expect(state.alarm).toMatchObject({ raisedAt: at(0), resolvedAt: at(60), occurrences: 1 })
  })

  it('that is reported again while its alarm is open joins it', () => {
    const result = followCause(nothing, [on(0), on(10), on(20)], times())
    expect(whats(result)).toEqual(['raised 0'])
    expect(result.state.alarm).toMatchObject({ raisedAt: at(0), lastRaisedAt: at(0), occurrences: 1 })
  })

  it('that is over without having been true does nothing', () => {
    expect(followCause(nothing, [off(0)], times())).toEqual({ state: nothing, touched: [], steps: [] })
  })

  it('says something new in the same alarm, and nobody is told', () => {
    const result = followCause(nothing, [on(0), on(10, 'warning', 'Battery at 5 %')], times())
    expect(whats(result)).toEqual(['raised 0'])
    expect(result.state.alarm?.message).toBe('Battery at 5 %')
  })

  it('changes the severity up and down; a higher one needs attention again', () => {
    const open = followCause(nothing, [on(0)], times()).state
    const tended: CauseState = {
      alarm: { ...(open.alarm as object), isAcknowledged: true } as CauseState['alarm'],
      waiting: null,
    }
    const worse = followCause(tended, [on(10, 'error')], times())
    expect(whats(worse)).toEqual(['severity 10'])
    expect(worse.state.alarm).toMatchObject({ severity: 'error', isAcknowledged: false })
    const error = { ...worse.state, alarm: { ...worse.state.alarm, isAcknowledged: true } } as CauseState
    const better = followCause(error, [on(20, 'warning')], times())
    expect(whats(better)).toEqual(['severity 20'])
    expect(better.state.alarm).toMatchObject({ severity: 'warning', isAcknowledged: true })
  })

  it.each([
    [60, 120, ['raised 0', 'resolved 60', 'again 120'], 2],
    [60, 121, ['raised 0', 'resolved 60', 'raised 121'], 1],
  ])('resolved at %i that is back at %i, within a minute or not', (over, back, expected, occurrences) => {
    const result = followCause(nothing, [on(0), off(over), on(back)], times({ reopenWithinMs: 60_000 }))
    expect(whats(result)).toEqual(expected)
    expect(result.state.alarm).toMatchObject({ occurrences, lastRaisedAt: at(back), resolvedAt: null })
    expect(result.touched).toHaveLength(3 - occurrences)
  })

  it('back with a higher severity is the same alarm, and that it is worse is told', () => {
    const result = followCause(nothing, [on(0), off(1), on(2, 'error')], times({ reopenWithinMs: 60_000 }))
    expect(whats(result)).toEqual(['raised 0', 'resolved 1', 'again 2', 'severity 2'])
  })

  it('is never resolved before it was raised, whatever the clocks say', () => {
    const { state } = followCause(nothing, [on(60), off(0)], times())
    expect(state.alarm?.resolvedAt).toEqual(at(60))
  })
})

describe('with a delay until it opens', () => {
  const delayed = times({ openAfterMs: 60_000 })

  it('opens at its time as of when it began, with what it says then', () => {
    const { state, steps } = followCause(nothing, [on(0), on(30, 'error')], delayed)
    expect(steps).toEqual([])
    expect(state.waiting).toMatchObject({ opens: true, dueAt: at(60), severity: 'error' })
    expect(followDue(state, at(59), delayed)).toEqual({ state, touched: [], steps: [] })
    const due = followDue(state, at(75), delayed)
    expect(whats(due)).toEqual(['raised 0'])
    expect(due.state).toMatchObject({ waiting: null, alarm: { raisedAt: at(0), severity: 'error' } })
  })

  it('does not open if it is over before', () => {
    const { state } = followCause(nothing, [on(0), off(59)], delayed)
    expect(state).toEqual(nothing)
    expect(followDue(state, at(60), delayed).steps).toEqual([])
  })
})

describe('with a delay until it ends', () => {
  const delayed = times({ resolveAfterMs: 60_000 })

  it('ends at its time as of when it was over', () => {
    const { state } = followCause(nothing, [on(0), off(10), off(20)], delayed)
    expect(state).toMatchObject({ alarm: { resolvedAt: null }, waiting: { opens: false, dueAt: at(70) } })
    const due = followDue(state, at(70), delayed)
    expect(whats(due)).toEqual(['resolved 10'])
    expect(due.state).toMatchObject({ waiting: null, alarm: { resolvedAt: at(10) } })
  })

  it('stays open if it is back before, and counts it', () => {
    const result = followCause(nothing, [on(0), off(10), on(69)], delayed)
    expect(whats(result)).toEqual(['raised 0', 'again 69'])
    expect(result.state).toMatchObject({ waiting: null, alarm: { occurrences: 2, lastRaisedAt: at(69) } })
  })
})

it('in any pieces comes out the same, open when the last event says so, and counts every time it opened', () => {
  const Event = fc.record({
    gap: fc.integer({ min: 0, max: 100 }),
    says: fc.constantFrom('warning', 'error', null),
  })
  const Times = fc.record({ reopenWithinMs: fc.integer({ min: 0, max: 100_000 }) })
  fc.assert(
    fc.property(fc.array(Event, { maxLength: 30 }), Times, fc.nat(30), (list, fields, cut) => {
      let second = 0
      const events = list.map(({ gap, says }): CauseEvent => {
        second += gap
        return { at: at(second), content: says === null ? null : content(says) }
      })
      const rules = times(fields)
      const whole = followCause(nothing, events, rules)
      const first = followCause(nothing, events.slice(0, cut), rules)
      const rest = followCause(first.state, events.slice(cut), rules)
      expect(rest.state).toEqual(whole.state)
      expect([...first.steps, ...rest.steps]).toEqual(whole.steps)
      const isOpen = whole.state.alarm !== null && whole.state.alarm.resolvedAt === null
      expect(isOpen).toBe(events.at(-1)?.content != null)
      const openings = events.filter(
        ({ content: says }, index) => says !== null && (events[index - 1]?.content ?? null) === null,
      ).length
      const counted = whole.touched.reduce((sum, { occurrences }) => sum + occurrences, 0)
      expect(counted).toBe(openings)
    }),
  )
})
