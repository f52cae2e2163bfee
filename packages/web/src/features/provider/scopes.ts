import type { ApplicationScope } from '@leitstand/contract'

export type ScopeKind = 'identity' | 'read' | 'manage' | 'all'

const identity: readonly ApplicationScope[] = ['openid', 'profile', 'email', 'grafana']

export function kindOf(scope: ApplicationScope): ScopeKind {
  if (identity.includes(scope)) return 'identity'
  if (scope === 'all') return 'all'
  return scope.endsWith('.manage') ? 'manage' : 'read'
}

/** Scopes with their level, without those included in another: `all` first, then manage, then read. */
export function shownScopes(
  scopes: readonly ApplicationScope[],
): { scope: ApplicationScope; kind: ScopeKind }[] {
  const order: readonly ScopeKind[] = ['identity', 'all', 'manage', 'read']
  const names: readonly string[] = scopes
  const includedElsewhere = (scope: ApplicationScope) => {
    const kind = kindOf(scope)
    if (kind === 'identity' || kind === 'all') return false
    if (scopes.includes('all')) return true
    return kind === 'read' && names.includes(scope.replace(/\.read$/, '.manage'))
  }
  return scopes
    .filter((scope) => !includedElsewhere(scope))
    .map((scope) => ({ scope, kind: kindOf(scope) }))
    .toSorted(
      (one, other) =>
        order.indexOf(one.kind) - order.indexOf(other.kind) ||
        identity.indexOf(one.scope) - identity.indexOf(other.scope),
    )
}
