import { actions } from '@leitstand/contract/permissions'
import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import { groupsOf, reasonText } from './explain.ts'
import type { Explanation } from './queries.ts'

beforeAll(() =>
  i18next.init({ lng: 'de', resources: { de: { translation: de } }, interpolation: { escapeValue: false } }),
)

const because = {
  rule: { subject: 'VirtualDevice', actions: ['manage'], inverted: false },
  roleName: 'Nachtschicht',
  roleKey: null,
  scopeName: 'Stadt',
}
const item = (action: string, change: object = {}) =>
  ({
    subject: 'VirtualDevice',
    action,
    allowed: true,
    module: null,
    because,
    ...change,
  }) as unknown as Explanation

describe('permissions that the same rule decides', () => {
  test('are one group, in the order of the actions', () => {
    const groups = groupsOf([...actions].toReversed().map((action) => item(action)))
    expect(groups.map((group) => group.actions)).toEqual([[...actions]])
  })

  test.each([
    ['allowed and not', { allowed: false }],
    ['another role', { because: { ...because, roleName: 'Tagschicht' } }],
    ['another scope', { because: { ...because, scopeName: 'Bäder' } }],
    ['no rule at all', { because: null }],
    ['a module that is off', { module: 'assets' }],
  ])('are apart for %s', (_name, change) => {
    const groups = groupsOf([item('read'), item('write', change), item('create')])
    expect(groups).toHaveLength(2)
    expect(new Set(groups.flatMap((group) => group.actions))).toEqual(new Set(['read', 'write', 'create']))
    expect(new Set(groups.map(({ key }) => key)).size).toBe(2)
  })

  test('of nothing are none', () => {
    expect(groupsOf([])).toEqual([])
  })
})

describe('the reason', () => {
  test('names role, scope, subject and actions of the rule', () => {
    const text = reasonText(i18next.t, item('read'))
    for (const part of [
      'Nachtschicht',
      'Stadt',
      de.permissions.subjects.VirtualDevice,
      de.permissions.actions.manage,
    ])
      expect(text).toContain(part)
  })

  test('of a denial differs from that of a grant', () => {
    const rule = { ...because.rule, inverted: true }
    expect(reasonText(i18next.t, item('read', { because: { ...because, rule } }))).not.toBe(
      reasonText(i18next.t, item('read')),
    )
  })

  test('translates delivered roles, and names a scope that is not visible', () => {
    const text = reasonText(
      i18next.t,
      item('read', { because: { ...because, roleKey: 'viewer', scopeName: '' } }),
    )
    expect(text).toContain(de.roles.delivered.viewer.name)
    expect(text).toContain(de.users.explain.above)
  })

  test('is the module where it is off, and nothing where no rule says anything', () => {
    expect(reasonText(i18next.t, item('read', { because: null }))).toBe(de.users.explain.unsaid)
    const off = reasonText(i18next.t, item('read', { module: 'assets' }))
    expect(off).not.toContain('Nachtschicht')
    expect(off).not.toMatch(/\{\{/)
  })
})
