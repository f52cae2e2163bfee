import type { Caller } from '../../../platform/http/caller.ts'

/** Scopes in which the caller may see users and their roles. */
export function scopesSeen(caller: Caller): number[] {
  return [
    ...new Set([
      ...caller.scopeIds('UserManagement', 'read'),
      ...caller.scopeIds('UserManagement', 'manage'),
    ]),
  ]
}
