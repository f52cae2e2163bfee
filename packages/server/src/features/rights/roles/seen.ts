import type { Caller } from '../../../platform/http/caller.ts'

/** Scopes in which the caller may see who there is and what they have. */
export function scopesSeen(caller: Caller): number[] {
  return [
    ...new Set([
      ...caller.scopeIds('UserManagement', 'read'),
      ...caller.scopeIds('UserManagement', 'manage'),
    ]),
  ]
}
