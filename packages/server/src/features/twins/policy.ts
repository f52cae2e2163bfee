import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'

export const categories = ['digitalTwin', 'virtualDevice'] as const
/** Twins and devices are one family with two permission subjects. */
export type Category = (typeof categories)[number]

/** Scope ids per category. */
export type ScopesByCategory = Record<Category, number[]>

/** Scopes whose twins (or devices) the caller may open; who may change something may see it too. */
export function readScopes(caller: Caller, category: Category): number[] {
  const subject = category === 'digitalTwin' ? 'DigitalTwin' : 'VirtualDevice'
  return union(caller.scopeIds(subject, 'read'), writeScopes(caller, category))
}

/** Scopes whose twins the caller may pick from lists and trees. */
export function listScopes(caller: Caller): number[] {
  return union(readScopes(caller, 'digitalTwin'), caller.scopeIds('DigitalTwin', 'list'))
}

/** Scopes whose twins (or devices) the caller may create, change and delete. */
export function writeScopes(caller: Caller, category: Category): number[] {
  const subject = category === 'digitalTwin' ? 'DigitalTwin' : 'VirtualDevice'
  return union(caller.scopeIds(subject, 'write'), caller.scopeIds(subject, 'manage'))
}

/** Scopes whose states the caller may see; some may only see states, not the twins around them. */
export function stateScopes(caller: Caller): ScopesByCategory {
  const statesOnly = caller.scopeIds('DigitalTwinStates', 'read')
  return {
    digitalTwin: union(readScopes(caller, 'digitalTwin'), statesOnly),
    virtualDevice: readScopes(caller, 'virtualDevice'),
  }
}

/** Scopes in which the caller may read, or may write, twins and devices. */
export function bothScopes(caller: Caller, right: 'read' | 'write'): ScopesByCategory {
  const scopes = right === 'read' ? readScopes : writeScopes
  return { digitalTwin: scopes(caller, 'digitalTwin'), virtualDevice: scopes(caller, 'virtualDevice') }
}

/**
 * Refuses a change in a scope the caller may see but not change.
 * @throws AppError NO_PERMISSION with the permission that is missing
 */
export function requireWrite(caller: Caller, category: Category, scopeId: number): void {
  if (writeScopes(caller, category).includes(scopeId)) return
  const subject = category === 'digitalTwin' ? 'DigitalTwin' : 'VirtualDevice'
  throw new AppError('NO_PERMISSION', { subject, action: 'write' })
}

function union(...lists: readonly (readonly number[])[]): number[] {
  return [...new Set(lists.flat())]
}
