import type { contract } from '@leitstand/contract'
import type { RoleName } from '@leitstand/contract/roles'
import type { InferContractRouterOutputs } from '@orpc/contract'
import { useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { currentLanguage } from '../../lib/i18n.ts'

export type Role = InferContractRouterOutputs<typeof contract>['acl']['listRoles']['items'][number]

const rolesMax = 1000

/** Name of a role; built-in roles are translated. */
export function roleText(t: TFunction, { name, key }: RoleName): string {
  return key === null ? name : t(`roles.delivered.${key}.name`)
}

/** Description of a role; built-in roles are translated. */
export function roleDescription(
  t: TFunction,
  { description, key }: Pick<Role, 'description' | 'key'>,
): string {
  return key === null ? description : t(`roles.delivered.${key}.description`)
}

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
