import type { contract } from '@leitstand/contract'
import type { InferContractRouterOutputs } from '@orpc/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { currentLanguage } from '../../lib/i18n.ts'
import { roleText } from './roleText.ts'

export type Role = InferContractRouterOutputs<typeof contract>['acl']['listRoles']['items'][number]

const rolesMax = 1000

/** Assignable roles, sorted by displayed name; one page is enough. */
export function useRoles() {
  const { t } = useTranslation()
  const { data, ...query } = useQuery(api.acl.listRoles.queryOptions({ input: { limit: rolesMax } }))
  const items = useMemo(() => {
    const { compare } = new Intl.Collator(currentLanguage())
    return data?.items.toSorted((a, b) => compare(roleText(t, a), roleText(t, b)))
  }, [data, t])
  return { ...query, items }
}

/** The roles as select options; empty while loading. */
export function useRoleChoices() {
  const { t } = useTranslation()
  const { items, error } = useRoles()
  const choices = useMemo(
    () => items?.map((role) => ({ value: String(role.id), label: roleText(t, role) })),
    [items, t],
  )
  return { choices, error }
}
