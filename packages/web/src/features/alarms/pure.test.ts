import i18next from 'i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import { messageOf, originPath, reasonPath } from './pure.ts'
import { snoozeUntil } from './snooze.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

describe('the page of an alarm', () => {
  const alarm = { originCategory: 'virtualDevice', originId: 7, accountId: 2, ruleId: null } as const

  it.each([
    [{ ...alarm, ruleId: 3, source: 'rule' }, '/virtual-devices/7?tab=rules&history=3'],
    [{ ...alarm, source: 'health' }, '/virtual-devices/7?tab=health'],
    [{ ...alarm, source: 'packet-threshold' }, '/virtual-devices/7'],
    [{ ...alarm, originCategory: 'connector', source: 'connector' }, '/connectors/edit/2/7'],
    [{ ...alarm, originCategory: 'platform', originId: null, source: 'platform' }, '/system-settings'],
  ] as const)('of %o explains it', (each, path) => {
    expect(reasonPath(each)).toBe(path)
  })

  it('of a twin is that of the twin', () => {
    expect(originPath({ originCategory: 'digitalTwin', originId: 1, accountId: 2 })).toBe(
      '/digitaltwin-mgmt/1',
    )
  })
})

it('says of a packet threshold how many hours, one or several', () => {
  const say = (details: Record<string, number>) =>
    messageOf(i18next.t, {
      source: 'packet-threshold',
      message: 'Gauges',
      details: { received: 0, ...details },
    })
  expect(say({ expected: 0.5, hours: 1 })).toBe('Zu wenige Pakete: 0 statt 0,5 in einer Stunde')
  expect(say({ expected: 24, hours: 24 })).toBe('Zu wenige Pakete: 0 statt 24 in 24 Stunden')
})

describe('set aside', () => {
  // Thursday, 26 November 2026, half past two in the local time zone
  const now = new Date(2026, 10, 26, 14, 30)

  it.each([
    ['hour', new Date(2026, 10, 26, 15, 30)],
    ['fourHours', new Date(2026, 10, 26, 18, 30)],
    ['tomorrow', new Date(2026, 10, 27, 7, 0)],
    ['monday', new Date(2026, 10, 30, 7, 0)],
  ] as const)('for "%s"', (span, until) => {
    expect(snoozeUntil(span, now)).toEqual(until)
  })

  it('until Monday is a week on a Monday', () => {
    expect(snoozeUntil('monday', new Date(2026, 10, 30, 6, 0))).toEqual(new Date(2026, 11, 7, 7, 0))
  })
})
