import { type ApplicationScope, applicationScopes, permissionScopes } from '@leitstand/contract/applications'
import { actions, type RoleRule, subjects } from '@leitstand/contract/permissions'
import { describe, expect, test } from 'vitest'
import { Rights, type ScopeNode } from '../rights/rights.ts'
import { BoundedRights } from './bounded.ts'

const node = (id: number, parentId: number | null): ScopeNode => ({
  id,
  parentId,
  accountId: id,
  twinId: null,
  name: `scope ${id}`,
})
const tree = [node(1, null), node(2, 1), node(3, 1), node(4, 2)]
const everything: RoleRule[] = [
  { subject: 'all', actions: ['manage'] },
  { subject: 'super.system', actions: ['manage'] },
]
const rightsOf = (rules: RoleRule[], scopeId = 1) => new Rights(tree, [{ scopeId, isMain: true, rules }])
const bounded = (scopes: ApplicationScope[], rules = everything, within = [2, 4]) =>
  new BoundedRights(rightsOf(rules), scopes, new Set(within))

describe('an application may do', () => {
  test('what was allowed, in its account and below, although its person may do more everywhere', () => {
    const rights = bounded(['openid', 'devices.read'])
    expect(rights.scopeIds('VirtualDevice', 'read')).toEqual([2, 4])
    expect(rights.permissions()).toEqual(['VirtualDevice.read', 'VirtualDevice.list'])
    expect(rights.scopes.map(({ id }) => id)).toEqual([2, 4])
  })

  test('what its person may do, and no more', () => {
    const rights = bounded(['devices.manage', 'all'], [{ subject: 'VirtualDevice', actions: ['read'] }])
    expect(rights.permissions()).toEqual(['VirtualDevice.read'])
  })

  test('what was taken from its person further down is taken from it, too', () => {
    const full = new Rights(tree, [
      { scopeId: 1, isMain: true, rules: everything },
      {
        scopeId: 4,
        isMain: false,
        rules: [{ subject: 'VirtualDevice', actions: ['manage'], inverted: true }],
      },
    ])
    const rights = new BoundedRights(full, ['devices.manage'], new Set([2, 4]))
    expect(rights.scopeIds('VirtualDevice', 'write')).toEqual([2])
  })

  test('nothing when it only wants to know who somebody is', () => {
    expect(bounded(['openid', 'profile', 'email']).permissions()).toEqual([])
  })

  test('everything but the administration of the installation', () => {
    const rights = bounded(['all'])
    for (const subject of subjects)
      for (const action of actions) expect(rights.can(subject, action)).toBe(subject !== 'super.system')
  })

  test('everything about some subjects, but not everything', () => {
    const rights = bounded(['twins.manage', 'accounts.manage'])
    expect(rights.can('DigitalTwin', 'write')).toBe(true)
    expect(rights.can('UserManagement', 'create')).toBe(true)
    expect(rights.can('VirtualDevice', 'read')).toBe(false)
    expect(rights.can('all', 'manage')).toBe(false)
    expect(rights.can('super.system', 'manage')).toBe(false)
  })
})

test('every scope with permissions can be asked for', () => {
  const named: readonly string[] = applicationScopes
  for (const scope of Object.keys(permissionScopes)) expect(named).toContain(scope)
})
