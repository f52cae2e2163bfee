import { MultiSelect } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { useRoleChoices } from '../../ui/accounts/roles.ts'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { Section } from '../../ui/page/Section.tsx'
import type { AccountProps } from '../accounts/index.ts'

/** Default roles of new users; saved immediately. */
export default function DefaultRoles({ account: { scopeId } }: AccountProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { choices } = useRoleChoices()
  const chosen = useQuery(api.scope.listDefaultRoles.queryOptions({ input: { scopeId } }))
  const set = async (ids: string[]) => {
    try {
      const saved = await client.scope.setDefaultRoles({ scopeId, roleIds: ids.map(Number) })
      cache.setQueryData(api.scope.listDefaultRoles.queryKey({ input: { scopeId } }), saved)
      notifySuccess(t('common.saved'))
    } catch (error) {
      notifyError(error)
    }
  }
  return (
    <Section
      id="account-defaultRoles"
      title={t('accounts.section.defaultRoles')}
      description={t('accounts.defaultRolesHint')}
    >
      <MultiSelect
        label={t('accounts.field.defaultRoles')}
        data={choices ?? []}
        value={(chosen.data?.roleIds ?? []).map(String)}
        onChange={(ids) => void set(ids)}
        searchable
        nothingFoundMessage={t('common.nothingFound')}
        disabled={!chosen.data || !choices}
      />
    </Section>
  )
}
