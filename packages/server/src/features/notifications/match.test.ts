import { expect, it } from 'vitest'
import type { AlarmChanged } from '../../topics/alarmChanged.ts'
import { toldAs, type Wish } from './match.ts'

const wish: Wish = {
  userId: 5,
  errorsOnly: false,
  categories: [],
  sources: [],
  twinId: null,
  groupId: null,
  resolved: false,
}
const change: AlarmChanged = {
  alarmId: 1,
  twinId: 7,
  connectorId: null,
  scopeId: 2,
  ruleId: null,
  severity: 'warning',
  category: 'battery',
  source: 'health',
  message: 'Low',
  resolved: false,
  what: 'raised',
  assignedTo: null,
  maintained: false,
  at: '2026-11-26T12:00:00.000Z',
}
const above = new Set([7, 3])

it.each([
  [{}, {}, 'raised'],
  [{}, { what: undefined }, 'raised'],
  [{}, { what: 'again' }, null],
  [{}, { maintained: true }, null],
  [{}, { what: 'awake' }, 'awake'],
  [{}, { what: 'severity', severity: 'error' }, 'severity'],
  [{}, { what: 'severity', severity: 'warning' }, null],
  [{}, { what: 'resolved', resolved: true }, null],
  [{ resolved: true }, { what: 'resolved', resolved: true }, 'resolved'],
  [{ errorsOnly: true }, {}, null],
  [{ errorsOnly: true }, { severity: 'error' }, 'raised'],
  [{ categories: ['device'] }, {}, null],
  [{ categories: ['device', 'battery'] }, {}, 'raised'],
  [{ sources: ['rule'] }, {}, null],
  [{ sources: ['health'] }, {}, 'raised'],
  [{ twinId: 3 }, {}, 'raised'],
  [{ twinId: 4 }, {}, null],
  [{ groupId: 8 }, {}, 'raised'],
  [{ groupId: 9 }, {}, null],
  [{ groupId: 8, twinId: 4 }, {}, null],
  [{ errorsOnly: true, twinId: 4 }, { what: 'assigned', assignedTo: 5 }, 'assigned'],
  [{}, { what: 'assigned', assignedTo: 6 }, null],
] as const)('who wants %o hears of %o as %s', (fields, changes, expected) => {
  expect(toldAs({ ...wish, ...fields }, { ...change, ...changes }, above, new Set([8]))).toBe(expected)
})
