import { actions, subjects } from '@leitstand/contract/permissions'
import fc from 'fast-check'
import { expect, test } from 'vitest'
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
