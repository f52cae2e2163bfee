import type { Caller } from '../../platform/http/caller.ts'
import { listScopes } from '../twins/index.ts'

/** Where a caller may do what with warn monitors, as scopes of twins. */
export interface WarnSight {
  read: readonly number[]
  /** monitors can be set up: the twins are seen, too */
  manage: readonly number[]
}

/** A `manage` right includes reading. */
export function sightOf(caller: Caller): WarnSight {
  const managed = caller.scopeIds('IsWarnapp', 'manage')
  const listed = new Set(listScopes(caller))
  return {
    read: [...new Set([...caller.scopeIds('IsWarnapp', 'read'), ...managed])],
    manage: managed.filter((scopeId) => listed.has(scopeId)),
  }
}
