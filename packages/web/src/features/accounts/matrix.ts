import { type Action, actions, type RoleRule, type Subject, subjects } from '@leitstand/contract/permissions'

/** What a role says about one subject and action by name. */
export type Cell = 'unsaid' | 'granted' | 'denied'

export type Matrix = Readonly<Record<string, Cell>>

export function cellKey(subject: Subject, action: Action): string {
  return `${subject}.${action}`
}

/** The rules of a role as a matrix: for each subject and action the last rule that names both. */
export function toMatrix(rules: readonly RoleRule[]): Matrix {
  const matrix: Record<string, Cell> = {}
  for (const { subject, actions: named, inverted } of rules)
    for (const action of named) matrix[cellKey(subject, action)] = inverted ? 'denied' : 'granted'
  return matrix
}

/**
 * The matrix as rules. The last rule that fits counts, so what is general comes first: `all` before the other
 * subjects, `manage` (which contains every action) before the single actions, and what is taken away last.
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

/** What the role as a whole says about a permission, with what follows from `all` and `manage`. */
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

/** What a click on a cell makes of it. */
export function nextCell(cell: Cell): Cell {
  return order[(order.indexOf(cell) + 1) % order.length] ?? 'unsaid'
}
