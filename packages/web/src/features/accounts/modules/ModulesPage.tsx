import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { useUrlSearch } from '../../../lib/url.ts'
import { useAccounts } from '../../../ui/accounts/AccountFilter.tsx'
import { AccountSelect } from '../../../ui/accounts/AccountSelect.tsx'
import { useChosenAccount } from '../../../ui/accounts/useChosenAccount.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { ModuleRow } from './ModuleRow.tsx'
import classes from './modules.module.css'

/** Modules of an account, and the defaults for its new users. */
export default function ModulesPage() {
  const { t } = useTranslation()
  const [, update] = useUrlSearch()
  const accountId = useChosenAccount()
  return (
    <>
      <Title order={1} mb={4}>
        {t('screens.modules.title')}
      </Title>
      <Text c="dimmed" size="sm" maw={720} mb="md">
        {t('modules.hint')}
      </Text>
      <Stack gap="md">
        <div className={classes.choice}>
          <AccountSelect
            label={t('modules.account')}
            value={accountId === undefined ? null : String(accountId)}
            onChange={(id) => update({ account: id ?? undefined }, { push: true })}
            required
          />
        </div>
        {accountId === undefined ? null : <ModulesOf key={accountId} accountId={accountId} />}
      </Stack>
    </>
  )
}

function ModulesOf({ accountId }: { accountId: number }) {
  const { t } = useTranslation()
  const accounts = useAccounts()
  const account = accounts.data?.items.find(({ id }) => id === accountId)
  const modules = useQuery(api.module.list.queryOptions({ input: { accountId } }))
  if (modules.isError && !modules.data)
    return <ErrorState error={modules.error} onRetry={() => void modules.refetch()} />
  if (!modules.data) return <Loading lines={8} />
  return (
    <Section title={account?.name ?? t('screens.modules.title')} flush>
      <ul className={classes.list}>
        {modules.data.items.map((module) => (
          <ModuleRow
            key={module.module}
            accountId={accountId}
            module={module}
            inherits={account !== undefined && account.parentId !== null}
          />
        ))}
      </ul>
    </Section>
  )
}
