import type { Explanation } from '@leitstand/contract'
import { moduleOf } from '@leitstand/contract/modules'
import { type Action, actions, type RoleRule, type Subject, subjects } from '@leitstand/contract/permissions'
import type { RoleKey } from '@leitstand/contract/roles'
import { ruleFor, type ScopeNode } from '../rights.ts'

/** A role given on a scope. */
export interface NamedGrant {
  scopeId: number
  /** null for the permissions of an application */
  roleId: number | null
  roleName: string
  roleKey: RoleKey | null
  rules: readonly RoleRule[]
}

/**
 * For every permission, whether it is granted in a scope, and the rule that decides, see `explainOne`.
 * @param scopes the scopes the grants reach; the path up from `scopeId` ends where they do
 */
export function explain(
  scopes: readonly ScopeNode[],
  grants: readonly NamedGrant[],
  scopeId: number,
): Explanation[] {
  const path = wayUp(scopes, scopeId)
  return subjects.flatMap((subject) => actions.map((action) => explainOne(path, grants, subject, action)))
}

/**
 * Whether a permission is granted in a scope, and the rule that decides: from the nearest scope on the path up
 * with a matching rule, one that allows before one that denies. Where the module of a permission is off, it is
 * not granted, and the rule is the one that would decide. The same definition as `Rights`.
 * @param path the scope and those above it, nearest first
 */
export function explainOne(
  path: readonly ScopeNode[],
  grants: readonly NamedGrant[],
  subject: Subject,
  action: Action,
): Explanation {
  const own = moduleOf(subject)
  const module = own !== undefined && path[0]?.modulesOff?.includes(own) ? own : null
  for (const scope of path) {
    const said = grants
      .filter((grant) => grant.scopeId === scope.id)
      .map((grant) => ({ grant, rule: ruleFor(grant.rules, subject, action) }))
      .filter((one): one is { grant: NamedGrant; rule: RoleRule } => one.rule !== undefined)
    const decisive = said.find(({ rule }) => !rule.inverted) ?? said[0]
    if (!decisive) continue
    const { roleId, roleName, roleKey } = decisive.grant
    return {
      subject,
      action,
      allowed: module === null && !decisive.rule.inverted,
      module,
      because: {
        roleId,
        roleName,
        roleKey,
        scopeId: scope.id,
        scopeName: scope.name,
        rule: decisive.rule,
      },
    }
  }
  return { subject, action, allowed: false, module, because: null }
}

/** A scope and those above it, nearest first. */
export function wayUp(scopes: readonly ScopeNode[], scopeId: number): ScopeNode[] {
  const byId = new Map(scopes.map((scope) => [scope.id, scope]))
  const path: ScopeNode[] = []
  for (
    let here = byId.get(scopeId);
    here;
    here = here.parentId === null ? undefined : byId.get(here.parentId)
  )
    path.push(here)
  return path
}
