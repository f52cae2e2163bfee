import { deliveredRoles } from '@leitstand/contract/roles'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useRoles } from '../../ui/accounts/roles.ts'
import { roleText } from '../../ui/accounts/roleText.ts'
import { scopePaths, useScopes } from '../rights/index.ts'
import type { RoleNames } from './csvRoles.ts'

const distanceOf = (accountId: number, role: { accountId: number | null }) =>
  role.accountId === accountId ? 0 : role.accountId === null ? 1 : 2

function nearest(accountId: number) {
  return (one: { accountId: number | null }, other: { accountId: number | null }) =>
    distanceOf(accountId, one) - distanceOf(accountId, other)
}

/** The names of roles and scopes for lists of users; undefined while loading. Roles of other accounts cannot be given. */
export function useRoleNames(account: { id: number; scopeId: number } | undefined): {
  names: RoleNames | undefined
  error: Error | null
} {
  const { t } = useTranslation()
  const roles = useRoles()
  const scopes = useScopes()
  const names = useMemo(() => {
    if (!account || !roles.items || !scopes.data) return undefined
    const { items } = scopes.data
    const paths = scopePaths(items)
    return {
      // Of several roles with a name, the one of the account comes first.
      roles: roles.items.toSorted(nearest(account.id)).map((role) => ({
        id: role.id,
        names: [roleText(t, role), role.name, ...(role.key === null ? [] : [deliveredRoles[role.key]])],
      })),
      scopes: items.map(({ id, name }) => ({ id, names: [name, paths.get(id) ?? name] })),
      accountScopeId: account.scopeId,
    }
  }, [account, roles.items, scopes.data, t])
  return { names, error: roles.error ?? scopes.error }
}
