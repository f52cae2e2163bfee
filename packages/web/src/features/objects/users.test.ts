import { describe, expect, it } from 'vitest'
import { groupsOf, keepsIt, userPath } from './users.ts'

const twin = { kind: 'digitalTwin', id: 7 } as const
const device = { kind: 'virtualDevice', id: 8 } as const

describe('the way to a user', () => {
  it.each([
    [{ kind: 'rule', id: 1, owner: twin }, '/digitaltwin-mgmt/7?tab=rules'],
    [{ kind: 'rule', id: 1, owner: device }, '/virtual-devices/8?tab=rules'],
    [{ kind: 'state', id: 2, owner: device }, '/virtual-devices/8?tab=states'],
    [{ kind: 'digitalTwin', id: 3, owner: null }, '/digitaltwin-mgmt/3'],
    [{ kind: 'virtualDevice', id: 4, owner: null }, '/virtual-devices/4'],
    [{ kind: 'deviceTemplate', id: 5, owner: null }, '/device-templates/5'],
    [{ kind: 'dashboard', id: 6, owner: null }, '/dashboards/6'],
    [{ kind: 'alarmMaintenance', id: 7, owner: null }, '/alarm-logs?maintenance=1'],
    [{ kind: 'alarmNotification', id: 8, owner: null }, '/user-profile'],
  ] as const)('%o leads to %s', (user, path) => {
    expect(userPath(user)).toBe(path)
  })
})

describe('what keeps a thing from being deleted', () => {
  it.each([
    ['state', { kind: 'state', notes: ['source'] }, true],
    ['state', { kind: 'rule', notes: ['reads'] }, false],
    ['state', { kind: 'deviceTemplate', notes: ['fixed'] }, false],
    ['twin', { kind: 'digitalTwin', notes: ['child'] }, true],
    ['twin', { kind: 'dashboard', notes: ['belongs', 'shows'] }, false],
    ['driver', { kind: 'deviceTemplate', notes: ['driver'] }, true],
    ['connector', { kind: 'virtualDevice', notes: ['connector'] }, true],
    ['connector', { kind: 'deviceTemplate', notes: ['connector'] }, false],
  ] as const)('of a %s: %o is %s', (of, user, keeps) => {
    expect(keepsIt(of, { kind: user.kind, notes: [...user.notes] })).toBe(keeps)
  })
})

it('users are grouped in the order of the answer, with those of the first page', () => {
  const items = [
    { kind: 'rule' as const, id: 1, title: 'a', notes: [], owner: null },
    { kind: 'rule' as const, id: 2, title: 'b', notes: [], owner: null },
  ]
  const groups = [
    { kind: 'rule' as const, count: 3, more: false },
    { kind: 'dashboard' as const, count: 1, more: false },
  ]
  expect(groupsOf({ groups, items }).map(({ kind, first }) => [kind, first.length])).toEqual([
    ['rule', 2],
    ['dashboard', 0],
  ])
})
