import { type Action, actions, type RoleRule, type Subject, subjects } from '@leitstand/contract/permissions'

/** A role's explicit rule for one subject and action. */
export type Cell = 'unsaid' | 'granted' | 'denied'

export type Matrix = Readonly<Record<string, Cell>>

export function cellKey(subject: Subject, action: Action): string {
  return `${subject}.${action}`
}

/** The rules of a role as a matrix: for each subject and action the last rule that names both explicitly. */
export function toMatrix(rules: readonly RoleRule[]): Matrix {
  const matrix: Record<string, Cell> = {}
  for (const { subject, actions: named, inverted } of rules)
    for (const action of named) matrix[cellKey(subject, action)] = inverted ? 'denied' : 'granted'
  return matrix
}

/**
 * The matrix as rules. The last matching rule wins, so general rules come first: `all` before the other
 * subjects, `manage` (which includes every action) before single actions, and denials last.
 */
export function toRules(matrix: Matrix): RoleRule[] {
  const cell = (subject: Subject, action: Action) => matrix[cellKey(subject, action)] ?? 'unsaid'
  return subjects.flatMap((subject) => {
    const single = actions.filter((action) => action !== 'manage')
    const granted = single.filter((action) => cell(subject, action) === 'granted')
    const denied = single.filter((action) => cell(subject, action) === 'denied')
    const manage = cell(subject, 'manage')
    return [
      ...(manage === 'unsaid' ? [] : [rule(subject, ['manage'], manage === 'denied')]),
      ...(granted.length === 0 ? [] : [rule(subject, granted, false)]),
      ...(denied.length === 0 ? [] : [rule(subject, denied, true)]),
    ]
  })
}

function rule(subject: Subject, named: Action[], inverted: boolean): RoleRule {
  return inverted ? { subject, actions: named, inverted } : { subject, actions: named }
}

/** The role's effective decision for a permission, including what `all` and `manage` imply. */
export function decision(rules: readonly RoleRule[], subject: Subject, action: Action): Cell {
  const found = rules.findLast(
    (one) =>
      (one.subject === subject || (one.subject === 'all' && subject !== 'super.system')) &&
      (one.actions.includes(action) || one.actions.includes('manage')),
  )
  if (!found) return 'unsaid'
  return found.inverted ? 'denied' : 'granted'
}

const order: readonly Cell[] = ['unsaid', 'granted', 'denied']

/** The cell's state after a click. */
export function nextCell(cell: Cell): Cell {
  return order[(order.indexOf(cell) + 1) % order.length] ?? 'unsaid'
}
