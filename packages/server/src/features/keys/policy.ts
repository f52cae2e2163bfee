import type { Caller } from '../../platform/http/caller.ts'

/** Where a caller may do what with keys, as scopes of twins. */
export interface KeySight {
  userId: number | null
  /** keys and locks are managed */
  manage: readonly number[]
  /** own keys open doors */
  use: readonly number[]
}

/** The right to manage keys includes that to use one's own. */
export function sightOf(caller: Pick<Caller, 'userId' | 'scopeIds'>): KeySight {
  const manage = caller.scopeIds('IsFmAccess', 'manage')
  const use = [...new Set([...caller.scopeIds('IsFmAccess', 'write'), ...manage])]
  return { userId: caller.userId, manage, use }
}
