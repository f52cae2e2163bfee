import type { Caller } from '../../platform/http/caller.ts'
import { readScopes } from '../twins/index.ts'

/** Where a caller may do what with assets, as scopes of twins. */
export interface AssetSight {
  /** assets and zones are seen */
  read: readonly number[]
  manage: readonly number[]
  /** devices are seen */
  devices: readonly number[]
  /** the names of users are seen */
  users: readonly number[]
}

/** A `manage` right includes reading. */
export function sightOf(caller: Caller): AssetSight {
  const manage = caller.scopeIds('IsAssetMgmt', 'manage')
  return {
    read: [...new Set([...caller.scopeIds('IsAssetMgmt', 'read'), ...manage])],
    manage,
    devices: readScopes(caller, 'virtualDevice'),
    users: [
      ...new Set([
        ...caller.scopeIds('UserManagement', 'read'),
        ...caller.scopeIds('UserManagement', 'manage'),
      ]),
    ],
  }
}
