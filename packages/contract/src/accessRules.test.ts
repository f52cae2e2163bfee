import { expect, test } from 'vitest'
import { type AccessRule, anyOf, isAllowed, may } from './permissions.ts'

const read = { subject: 'Dashboards', action: 'read' } as const
const manage = { subject: 'Dashboards', action: 'manage' } as const

test.each<[string, AccessRule, string, boolean]>([
  ['one of several', may('Dashboards', 'read', 'manage'), 'manage', true],
  ['none of several', may('Dashboards', 'read', 'manage'), '', false],
  ['one of two rules', anyOf(may('Dashboards', 'read'), may('Dashboards', 'manage')), 'manage', true],
  ['all of them', { any: [{ all: [read, manage] }] }, 'read manage', true],
  ['not all of them', { any: [{ all: [read, manage] }] }, 'read', false],
  ['not the inverted one', { any: [{ ...manage, inverted: true }] }, 'read', true],
  ['the inverted one', { any: [{ ...manage, inverted: true }] }, 'manage', false],
  ['one without the inverted one', { any: [{ all: [read, { ...manage, inverted: true }] }] }, 'read', true],
  [
    'one with the inverted one',
    { any: [{ all: [read, { ...manage, inverted: true }] }] },
    'read manage',
    false,
  ],
])('a caller with %s', (_, rule, rights, expected) => {
  const can = (_subject: string, action: string) => rights.split(' ').includes(action)
  expect(isAllowed(rule, true, can)).toBe(expected)
})

test('nobody who is not signed in meets an inverted rule', () => {
  expect(isAllowed({ any: [{ ...manage, inverted: true }] }, false, () => false)).toBe(false)
})
