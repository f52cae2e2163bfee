import { actions } from '@leitstand/contract/permissions'
import type { TFunction } from 'i18next'
import { roleText } from '../../ui/accounts/roleText.ts'
import type { Explanation } from './queries.ts'

/** Actions of a subject that the same rule decides. */
export interface Group {
  key: string
  allowed: boolean
  actions: Explanation['action'][]
  item: Explanation
}

/** Groups a subject's actions that the same rule decides. */
export function groupsOf(items: readonly Explanation[]): Group[] {
  const found = new Map<string, Group>()
  for (const action of actions) {
    const item = items.find((one) => one.action === action)
    if (!item) continue
    const key = JSON.stringify([item.allowed, item.module, item.because])
    const group = found.get(key)
    if (group) group.actions.push(action)
    else found.set(key, { key, allowed: item.allowed, actions: [action], item })
  }
  return [...found.values()]
}

/** Why an action is allowed or not: the rule, its role and where it was assigned. */
export function reasonText(t: TFunction, { because, module }: Explanation): string {
  if (module !== null) return t('users.explain.moduleOff', { module: t(`modules.name.${module}`) })
  if (because === null) return t('users.explain.unsaid')
  const { rule, roleName, roleKey, scopeName } = because
  return t(rule.inverted ? 'users.explain.denied' : 'users.explain.granted', {
    role: roleText(t, { name: roleName, key: roleKey }),
    scope: scopeName || t('users.explain.above'),
    subject: t(`permissions.subjects.${rule.subject.replace('.', '_')}`),
    actions: rule.actions.map((action) => t(`permissions.actions.${action}`)).join(', '),
  })
}
