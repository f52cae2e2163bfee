import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'

export const categories = ['digitalTwin', 'virtualDevice'] as const
/** Twins and devices share tables and code but have separate permission subjects. */
export type Category = (typeof categories)[number]

/** Scope ids per category. */
export type ScopesByCategory = Record<Category, number[]>

/** Scopes whose twins (or devices) the caller may read; write permission includes read. */
export function readScopes(caller: Caller, category: Category): number[] {
  const subject = category === 'digitalTwin' ? 'DigitalTwin' : 'VirtualDevice'
  return union(caller.scopeIds(subject, 'read'), writeScopes(caller, category))
}

/** Scopes whose twins the caller may see in lists and trees. */
export function listScopes(caller: Caller): number[] {
  return union(readScopes(caller, 'digitalTwin'), caller.scopeIds('DigitalTwin', 'list'))
}

/** Scopes whose twins (or devices) the caller may create, change and delete. */
export function writeScopes(caller: Caller, category: Category): number[] {
  const subject = category === 'digitalTwin' ? 'DigitalTwin' : 'VirtualDevice'
  return union(caller.scopeIds(subject, 'write'), caller.scopeIds(subject, 'manage'))
}

/** Scopes whose states the caller may read; some users may read states but not their twins. */
export function stateScopes(caller: Caller): ScopesByCategory {
  const statesOnly = caller.scopeIds('DigitalTwinStates', 'read')
  return {
    digitalTwin: union(readScopes(caller, 'digitalTwin'), statesOnly),
    virtualDevice: readScopes(caller, 'virtualDevice'),
  }
}

/** Scopes in which the caller may read or write twins and devices. */
export function bothScopes(caller: Caller, right: 'read' | 'write'): ScopesByCategory {
  const scopes = right === 'read' ? readScopes : writeScopes
  return { digitalTwin: scopes(caller, 'digitalTwin'), virtualDevice: scopes(caller, 'virtualDevice') }
}

/**
 * Requires write permission in a scope the caller may read.
 * @throws AppError NO_PERMISSION with the missing permission
 */
export function requireWrite(caller: Caller, category: Category, scopeId: number): void {
  if (writeScopes(caller, category).includes(scopeId)) return
  const subject = category === 'digitalTwin' ? 'DigitalTwin' : 'VirtualDevice'
  throw new AppError('NO_PERMISSION', { subject, action: 'write' })
}

/**
 * Requires the right to change who may be given what in a scope.
 * @throws AppError NO_PERMISSION with the missing permission
 */
export function requireUserManagement(caller: Caller, scopeId: number): void {
  if (caller.scopeIds('UserManagement', 'manage').includes(scopeId)) return
  throw new AppError('NO_PERMISSION', { subject: 'UserManagement', action: 'manage' })
}

function union(...lists: readonly (readonly number[])[]): number[] {
  return [...new Set(lists.flat())]
}
