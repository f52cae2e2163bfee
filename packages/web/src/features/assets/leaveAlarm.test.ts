import { ddr } from '@leitstand/contract/rules'
import type { TFunction } from 'i18next'
import { expect, test } from 'vitest'
import { leaveRule, returnRule, zoneToWatch } from './leaveAlarm.ts'

const t = ((key: string, values: object) => `${key} ${JSON.stringify(values)}`) as unknown as TFunction
const [ward, store] = [
  { id: 3, title: 'Ward' },
  { id: 4, title: 'Store' },
]

test('the zone an asset is in comes before the one it belongs to', () => {
  expect(zoneToWatch({ zone: ward, homeZone: store })).toEqual(ward)
  expect(zoneToWatch({ zone: null, homeZone: store })).toEqual(store)
  expect(zoneToWatch({ zone: null, homeZone: null })).toBeNull()
})

test('an alarm is raised on leaving and resolved on returning, by rules the server accepts', () => {
  const leave = leaveRule(t, { title: 'Pump 1' }, ward)
  const back = returnRule(t, ward, 7)
  const at = (mode: string) => ({ kind: 'geofence', mode, area: { kind: 'zones', zoneIds: [3] } })
  expect(leave).toMatchObject({ triggers: [at('exit')], actions: [{ kind: 'alarm', severity: 'warning' }] })
  expect(back).toMatchObject({ triggers: [at('enter')], actions: [{ kind: 'resolve-alarm', ruleId: 7 }] })
  for (const rule of [leave, back])
    expect(ddr.create['~orpc'].inputSchema?.safeParse({ dtwinId: 1, ...rule }).success).toBe(true)
})
