import { moduleOf } from '@leitstand/contract/modules'
import {
  type Action,
  actions,
  moduleKeys,
  type RoleRule,
  type Subject,
  subjects,
} from '@leitstand/contract/permissions'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decisionOf, type Grant, gainBeyond, Rights, type ScopeNode, shared } from './rights.ts'
import { explain } from './roles/explain.ts'

const rule = (subject: Subject, allowed: Action[], inverted = false): RoleRule => ({
  subject,
  actions: allowed,
  inverted,
})
const grant = (scopeId: number, ...rules: RoleRule[]): Grant => ({ scopeId, isMain: false, rules })
const scope = (id: number, parentId: number | null): ScopeNode => ({
  id,
  parentId,
  accountId: id,
  twinId: null,
  name: '',
})

/** 1 ─┬─ 2 ─── 4
 *     └─ 3        */
const tree = [scope(1, null), scope(2, 1), scope(3, 1), scope(4, 2)]

describe('Rights', () => {
  test.each<[string, Grant[], Subject, Action, number[]]>([
    [
      'a grant holds for the subtree',
      [grant(2, rule('VirtualDevice', ['read']))],
      'VirtualDevice',
      'read',
      [2, 4],
    ],
    ['and for nothing beside it', [grant(3, rule('VirtualDevice', ['read']))], 'VirtualDevice', 'read', [3]],
    [
      'manage contains every action',
      [grant(2, rule('VirtualDevice', ['manage']))],
      'VirtualDevice',
      'write',
      [2, 4],
    ],
    [
      'write does not contain read',
      [grant(1, rule('VirtualDevice', ['write']))],
      'VirtualDevice',
      'read',
      [],
    ],
    [
      'all.manage contains everything',
      [grant(1, rule('all', ['manage']))],
      'Dashboards',
      'create',
      [1, 2, 3, 4],
    ],
    ['all.read contains reading', [grant(1, rule('all', ['read']))], 'Dashboards', 'read', [1, 2, 3, 4]],
    ['but not writing', [grant(1, rule('all', ['read']))], 'Dashboards', 'write', []],
    ['all.manage is not the installation', [grant(1, rule('all', ['manage']))], 'super.system', 'manage', []],
    [
      'which must be named',
      [grant(1, rule('super.system', ['manage']))],
      'super.system',
      'manage',
      [1, 2, 3, 4],
    ],
    [
      'a later inverted rule of the role takes away',
      [grant(1, rule('all', ['manage']), rule('UserManagement', ['create'], true))],
      'UserManagement',
      'create',
      [],
    ],
    [
      'only what it names',
      [grant(1, rule('all', ['manage']), rule('UserManagement', ['create'], true))],
      'UserManagement',
      'read',
      [1, 2, 3, 4],
    ],
    [
      'a role further down takes away what was given further up',
      [grant(1, rule('VirtualDevice', ['read'])), grant(2, rule('VirtualDevice', ['read'], true))],
      'VirtualDevice',
      'read',
      [1, 3],
    ],
    [
      'on one scope a role that grants is enough',
      [grant(2, rule('VirtualDevice', ['read'], true)), grant(2, rule('VirtualDevice', ['read']))],
      'VirtualDevice',
      'read',
      [2, 4],
    ],
  ])('%s', (_name, grants, subject, action, expected) => {
    expect(new Rights(tree, grants).scopeIds(subject, action)).toEqual(expected)
  })

  const anyRule = fc.record({
    subject: fc.constantFrom(...subjects),
    actions: fc.uniqueArray(fc.constantFrom(...actions), { minLength: 1, maxLength: 3 }),
    inverted: fc.boolean(),
  })
  const anyTree = fc
    .array(fc.nat(), { minLength: 1, maxLength: 12 })
    .map((parents) => parents.map((seed, index) => scope(index + 1, index === 0 ? null : (seed % index) + 1)))
  /** Some modules off in some scopes. */
  const anyMaskedTree = anyTree.chain((scopes) =>
    fc
      .array(fc.subarray([...moduleKeys]), { minLength: scopes.length, maxLength: scopes.length })
      .map((off) => scopes.map((one, index) => ({ ...one, modulesOff: off[index] ?? [] }))),
  )
  const anyCase = anyTree.chain((scopes) =>
    fc.record({
      scopes: fc.constant(scopes),
      grants: fc.array(
        fc.record({
          scopeId: fc.integer({ min: 1, max: scopes.length }),
          isMain: fc.constant(false),
          rules: fc.array(anyRule, { minLength: 1, maxLength: 4 }),
        }),
        { maxLength: 5 },
      ),
    }),
  )
  const anyPermission = fc.record({
    subject: fc.constantFrom(...subjects),
    action: fc.constantFrom(...actions),
  })

  test('scopes are allowed exactly where the nearest role on the way up says so', () => {
    fc.assert(
      fc.property(anyCase, anyPermission, ({ scopes, grants }, { subject, action }) => {
        const expected = scopes
          .filter(({ id }) => oracle(scopes, grants, id, subject, action))
          .map(({ id }) => id)
        expect(new Rights(scopes, grants).scopeIds(subject, action)).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })

  test('the order in which roles were given does not matter', () => {
    fc.assert(
      fc.property(anyCase, anyPermission, ({ scopes, grants }, { subject, action }) => {
        const there = new Rights(scopes, grants).scopeIds(subject, action)
        expect(new Rights(scopes, [...grants].reverse()).scopeIds(subject, action)).toEqual(there)
      }),
    )
  })

  test('what is explained is what is decided', () => {
    fc.assert(
      fc.property(anyCase, ({ scopes, grants }) => {
        const rights = new Rights(scopes, grants)
        const named = grants.map((one, index) => ({
          ...one,
          roleId: index + 1,
          roleName: `role ${index}`,
          roleKey: null,
        }))
        for (const { id } of scopes) {
          for (const { subject, action, allowed, because } of explain(scopes, named, id)) {
            expect(allowed).toBe(rights.scopeIds(subject, action).includes(id))
            if (because) expect(because.rule.inverted ?? false).toBe(!allowed)
          }
        }
      }),
      { numRuns: 50 },
    )
  })

  test('a module that is off takes its permissions there and nothing else, and the explanation names it', () => {
    fc.assert(
      fc.property(anyCase, anyMaskedTree, ({ scopes, grants }, masked) => {
        const tree = scopes.map((one, index) => ({ ...one, modulesOff: masked[index]?.modulesOff ?? [] }))
        const [whole, less] = [new Rights(scopes, grants), new Rights(tree, grants)]
        const named = grants.map((one, index) => ({
          ...one,
          roleId: index + 1,
          roleName: `role ${index}`,
          roleKey: null,
        }))
        for (const { id, modulesOff } of tree) {
          const explained = explain(tree, named, id)
          for (const { subject, action, allowed, module } of explained) {
            const own = moduleOf(subject)
            const off = own !== undefined && modulesOff.includes(own)
            const granted = whole.scopeIds(subject, action).includes(id)
            expect(less.scopeIds(subject, action).includes(id)).toBe(granted && !off)
            expect(less.grantedIn(subject, action).includes(id)).toBe(granted)
            expect({ allowed, module }).toEqual({ allowed: granted && !off, module: off ? own : null })
          }
        }
      }),
      { numRuns: 50 },
    )
  })

  test('a role alone decides as it does on its scope', () => {
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 5 }), anyPermission, (rules, { subject, action }) => {
        const rights = new Rights([scope(1, null)], [grant(1, ...rules)])
        expect(decisionOf(rules, subject, action) === 'granted').toBe(rights.can(subject, action))
      }),
    )
  })

  test('a change that passes gives nobody what the one who made it does not have', () => {
    fc.assert(
      fc.property(anyCase, anyCase, anyCase, ({ scopes, grants }, before, granter) => {
        const onTree = (given: Grant[]) =>
          given.map((one) => ({ ...one, scopeId: ((one.scopeId - 1) % scopes.length) + 1 }))
        const [old, next, mine] = [onTree(before.grants), grants, onTree(granter.grants)].map(
          (given) => new Rights(scopes, given),
        )
        if (!old || !next || !mine) throw new Error('three')
        const gain = gainBeyond(old, next, mine)
        const gained = subjects.flatMap((subject) =>
          actions.flatMap((action) =>
            next
              .scopeIds(subject, action)
              .filter((id) => !old.scopeIds(subject, action).includes(id))
              .filter((id) => !mine.scopeIds(subject, action).includes(id))
              .map((scopeId) => ({ subject, action, scopeId })),
          ),
        )
        if (gain === null) expect(gained).toEqual([])
        else expect(gained).toContainEqual(gain)
      }),
    )
  })

  test('nobody reaches a scope outside the subtrees of their grants', () => {
    fc.assert(
      fc.property(anyCase, anyPermission, ({ scopes, grants }, { subject, action }) => {
        const granted = new Set(grants.map(({ scopeId }) => scopeId))
        for (const id of new Rights(scopes, grants).scopeIds(subject, action)) {
          expect(pathUp(scopes, id).some((above) => granted.has(above))).toBe(true)
        }
      }),
    )
  })
})

/** The definition, implemented naively. */
function oracle(scopes: ScopeNode[], grants: Grant[], id: number, subject: Subject, action: Action): boolean {
  for (const here of pathUp(scopes, id)) {
    const said = grants
      .filter(({ scopeId }) => scopeId === here)
      .map(({ rules }) =>
        rules.findLast(
          (one) =>
            (one.subject === subject || (one.subject === 'all' && subject !== 'super.system')) &&
            (one.actions.includes(action) || one.actions.includes('manage')),
        ),
      )
      .filter((one) => one !== undefined)
    if (said.some(({ inverted }) => !inverted)) return true
    if (said.length > 0) return false
  }
  return false
}

function pathUp(scopes: ScopeNode[], id: number): number[] {
  const parentId = scopes.find((one) => one.id === id)?.parentId ?? null
  return parentId === null ? [id] : [id, ...pathUp(scopes, parentId)]
}

test('permissions are all that are held somewhere', () => {
  const rights = new Rights(tree, [
    grant(3, rule('VirtualDevice', ['read', 'write'])),
    grant(4, rule('Dashboards', ['read'])),
  ])
  expect(rights.permissions().toSorted()).toEqual([
    'Dashboards.read',
    'VirtualDevice.read',
    'VirtualDevice.write',
  ])
})

test('two people share the rights that both have, scope by scope', () => {
  const one = new Rights(tree, [grant(2, rule('VirtualDevice', ['read', 'write']))])
  const other = new Rights(tree, [
    grant(4, rule('VirtualDevice', ['read'])),
    grant(3, rule('VirtualDevice', ['read', 'write'])),
  ])
  for (const both of [shared(one, other), shared(other, one)]) {
    expect(both.scopeIds('VirtualDevice', 'read')).toEqual([4])
    expect(both.grantedIn('VirtualDevice', 'read')).toEqual([4])
    expect(both.can('VirtualDevice', 'read')).toBe(true)
    expect(both.scopeIds('VirtualDevice', 'write')).toEqual([])
    expect(both.can('VirtualDevice', 'write')).toBe(false)
  }
})

test('what two people may grant is counted with modules that are off', () => {
  const module = moduleKeys.find((key) => subjects.some((subject) => moduleOf(subject) === key))
  const subject = subjects.find((each) => moduleOf(each) === module) as Subject
  const off = [{ ...scope(1, null), modulesOff: moduleKeys }]
  const one = new Rights(off, [grant(1, rule(subject, ['read']))])
  const both = shared(one, one)
  expect(both.scopeIds(subject, 'read')).toEqual([])
  expect(both.grantedIn(subject, 'read')).toEqual([1])
})
