import { RuleTrigger, type TriggerKind } from '@leitstand/contract/rules'
import { describe, expect, it } from 'vitest'
import { weekdaysText } from '../weekdays.ts'
import { timeOf, timeText } from './daily/times.ts'
import {
  fromTriggerDraft,
  renameInTrigger,
  toTriggerDraft,
  triggerFaults,
  triggerKindNames,
  triggerKinds,
  triggersPhrase,
} from './index.ts'
import type { TriggerWords } from './types.ts'

const words: TriggerWords = {
  text: (key, values = {}) => [key.split('.').slice(2).join('.'), ...Object.values(values)].join(' '),
  metric: (alias) => `“${alias}”`,
  twin: (id) => (id === 404 ? null : `Twin ${id}`),
  weekdays: (days) => weekdaysText(days, 'en-GB'),
  list: (parts) => parts.join(' or '),
}

const ready: Partial<Record<TriggerKind, object>> = {
  rule: { ruleId: 3 },
  geofence: { area: { kind: 'zones', zoneIds: [3] } },
}

describe.each(triggerKindNames)('a new trigger of kind %s', (kind) => {
  const trigger = { ...triggerKinds[kind].create(['level']), ...ready[kind] } as RuleTrigger

  it('is one of the contract', () => {
    expect(RuleTrigger.parse(trigger)).toEqual(trigger)
  })

  it('comes back from its draft', () => {
    expect(fromTriggerDraft(toTriggerDraft(5, trigger))).toEqual(trigger)
  })

  it('has no faults, and words', () => {
    expect(triggerFaults(trigger, ['level'])).toEqual([])
    expect(triggersPhrase([trigger], words)).toContain('phrases.')
  })
})

it('says what is missing', () => {
  expect(triggerFaults({ kind: 'silence', metric: 'gone', minutes: 5 }, ['level'])).toEqual([
    { field: 'metric', key: 'required' },
  ])
  expect(triggerFaults({ kind: 'daily', hour: 7, minute: 0, days: [] }, [])).toEqual([
    { field: 'days', key: 'noDay' },
  ])
  expect(triggerFaults({ kind: 'cron', expression: '0 7 * *' }, [])).toEqual([
    { field: 'expression', key: 'cron' },
  ])
  expect(triggerFaults({ kind: 'rule', ruleId: 0, on: 'met' }, [])).toEqual([
    { field: 'ruleId', key: 'required' },
  ])
})

it('follows the new name of a metric', () => {
  const silence = { kind: 'silence', metric: 'a', minutes: 5 } as const
  expect(renameInTrigger(silence, 'a', 'level')).toEqual({ ...silence, metric: 'level' })
  expect(renameInTrigger(silence, 'b', 'level')).toEqual(silence)
})

it('says weekdays only where there are others', () => {
  const daily = { kind: 'daily', hour: 7, minute: 5, days: [1, 2, 3, 4, 5, 6, 7] } as const
  expect(triggersPhrase([{ ...daily, days: [...daily.days] }], words)).toBe('phrases.everyDay 07:05')
  expect(triggersPhrase([{ ...daily, days: [7, 1] }], words)).toBe('phrases.daily 07:05 Mon, Sun')
})

it('names metrics, and says each phrase once', () => {
  const silence = { kind: 'silence', metric: 'a', minutes: 5 } as const
  const raised = { kind: 'alarm', on: 'raised', below: false } as const
  expect(triggersPhrase([silence, raised, raised], words)).toBe(
    'phrases.silence “a” 5 or phrases.alarm.own.raised',
  )
})

it('reads times of day', () => {
  expect(timeText({ hour: 7, minute: 5 })).toBe('07:05')
  expect(timeOf('23:59')).toEqual({ hour: 23, minute: 59 })
  expect(timeOf('24:00')).toBeNull()
  expect(timeOf('')).toBeNull()
})
