import { actions, subjects } from '@leitstand/contract/permissions'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Cell, cellKey, decision, type Matrix, nextCell, toMatrix, toRules } from './matrix.ts'

const keys = subjects.flatMap((subject) => actions.map((action) => cellKey(subject, action)))
const anyMatrix: fc.Arbitrary<Matrix> = fc.dictionary(
  fc.constantFrom(...keys),
  fc.constantFrom<Cell>('granted', 'denied'),
)

test('a matrix becomes rules and the same matrix again', () => {
  fc.assert(
    fc.property(anyMatrix, (matrix) => {
      expect(toMatrix(toRules(matrix))).toEqual({ ...matrix })
    }),
  )
})

test('what a cell says of a single action is what the role decides', () => {
  fc.assert(
    fc.property(anyMatrix, (matrix) => {
      const rules = toRules(matrix)
      for (const subject of subjects)
        for (const action of actions) {
          const cell = matrix[cellKey(subject, action)]
          if (cell) expect(decision(rules, subject, action)).toBe(cell)
        }
    }),
  )
})

test('`all` and `manage` reach the rest, but not the platform itself', () => {
  const rules = toRules({ 'all.manage': 'granted', 'UserManagement.create': 'denied' })
  expect(decision(rules, 'Dashboards', 'write')).toBe('granted')
  expect(decision(rules, 'UserManagement', 'create')).toBe('denied')
  expect(decision(rules, 'UserManagement', 'read')).toBe('granted')
  expect(decision(rules, 'super.system', 'manage')).toBe('unsaid')
})

test('a cell goes round', () => {
  expect([nextCell('unsaid'), nextCell('granted'), nextCell('denied')]).toEqual([
    'granted',
    'denied',
    'unsaid',
  ])
})

describe('effective permissions', () => {
  const rule = (
    subject: (typeof subjects)[number],
    actionNames: (typeof actions)[number][],
    inverted = false,
  ) => ({
    subject,
    actions: actionNames,
    inverted,
  })

  test.each([
    ['nothing', [], 'Dashboards', 'read', 'unsaid'],
    ['another subject', [rule('DigitalTwin', ['read'])], 'Dashboards', 'read', 'unsaid'],
    ['another action', [rule('Dashboards', ['list'])], 'Dashboards', 'read', 'unsaid'],
    ['the action', [rule('Dashboards', ['read'])], 'Dashboards', 'read', 'granted'],
    ['manage', [rule('Dashboards', ['manage'])], 'Dashboards', 'read', 'granted'],
    ['reading all', [rule('all', ['read'])], 'Dashboards', 'read', 'granted'],
    [
      'a later denial',
      [rule('all', ['manage']), rule('Dashboards', ['read'], true)],
      'Dashboards',
      'read',
      'denied',
    ],
    [
      'a later grant',
      [rule('Dashboards', ['manage'], true), rule('Dashboards', ['read'])],
      'Dashboards',
      'read',
      'granted',
    ],
    ['the installation itself', [rule('super.system', ['manage'])], 'super.system', 'manage', 'granted'],
    ['all is not the installation', [rule('all', ['manage'])], 'super.system', 'manage', 'unsaid'],
  ] as const)('%s', (_name, rules, subject, action, expected) => {
    expect(decision(rules as unknown as Parameters<typeof decision>[0], subject, action)).toBe(expected)
  })

  test('an empty matrix has no rules, and a matrix never has two cells of one key', () => {
    expect(toRules({})).toEqual([])
    expect(toMatrix([])).toEqual({})
    const twice = [rule('Dashboards', ['read']), rule('Dashboards', ['read'], true)]
    expect(toMatrix(twice)).toEqual({ 'Dashboards.read': 'denied' })
  })

  test('three clicks lead back', () => {
    for (const cell of ['unsaid', 'granted', 'denied'] as const)
      expect(nextCell(nextCell(nextCell(cell)))).toBe(cell)
  })
})
