import { Switch } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { Section } from '../../ui/page/Section.tsx'
import type { AccountProps } from '../accounts/index.ts'

/** Whether users of an account and of its sub-accounts need a second factor. */
export default function TwoFactorDemand({ account: { id: accountId } }: AccountProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const demand = useQuery(api.twofactor.ofAccount.queryOptions({ input: { id: accountId } }))
  const version = demand.data?.version ?? 1
  const save = useMutation({
    mutationFn: (required: boolean) => client.twofactor.demand({ id: accountId, version, required }),
    onSuccess: () => notifySuccess(t('common.saved')),
    onError: (error) => notifyError(error),
    onSettled: async () => {
      await cache.invalidateQueries({ queryKey: api.twofactor.key() })
      await cache.invalidateQueries({ queryKey: api.tenant.key() })
    },
  })
  return (
    <Section id="account-twoFactor" title={t('twoFactor.title')}>
      {demand.isError ? <ErrorText error={demand.error} /> : null}
      {demand.data ? (
        <Switch
          label={t('twoFactor.demand')}
          description={t(demand.data.inherited ? 'twoFactor.inherited' : 'twoFactor.demandHint')}
          checked={demand.data.required || demand.data.inherited}
          disabled={demand.data.inherited || save.isPending}
          onChange={(event) => save.mutate(event.currentTarget.checked)}
        />
      ) : demand.isPending ? (
        <Loading lines={1} />
      ) : null}
    </Section>
  )
}
