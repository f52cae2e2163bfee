import { Group, Select, Stack, Text, Title } from '@mantine/core'
import { IconWorld } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { useCan } from '../../../lib/session.ts'
import { one, useUrlSearch } from '../../../lib/url.ts'
import { AccountSelect } from '../../../ui/accounts/AccountSelect.tsx'
import { useChosenAccount } from '../../../ui/accounts/useChosenAccount.ts'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { DetailTabs } from '../../../ui/page/DetailPage.tsx'
import { accountPath } from '../../accounts/index.ts'
import { BrandForm } from './BrandForm.tsx'
import classes from './branding.module.css'
import { Elsewhere, elsewhereTabs } from './Elsewhere.tsx'
import { LinkButton } from './LinkButton.tsx'
import { Missing } from './Missing.tsx'

/** How the console of an account looks under its domains, and where its other settings are. */
export default function SystemSettingsPage() {
  const { t } = useTranslation()
  const [, update] = useUrlSearch()
  const can = useCan()
  const accountId = useChosenAccount()
  return (
    <>
      <Title order={1} mb={4}>
        {t('screens.systemSettings.title')}
      </Title>
      <Text c="dimmed" size="sm" maw={720} mb="md">
        {t('branding.hint')}
      </Text>
      <Stack gap="md">
        <div className={classes.choice}>
          <AccountSelect
            label={t('modules.account')}
            value={accountId === undefined ? null : String(accountId)}
            onChange={(id) => update({ account: id ?? undefined, domain: undefined }, { push: true })}
            required
          />
        </div>
        {can('super.system', 'manage') ? (
          <Group gap={8}>
            <LinkButton to="/setup">{t('screens.setup.title')}</LinkButton>
            <LinkButton to="/drawer-links">{t('screens.drawerLinks.title')}</LinkButton>
            <LinkButton to="/account-mgmt-flags">{t('screens.featureFlags.title')}</LinkButton>
          </Group>
        ) : null}
        {accountId === undefined ? null : <SettingsOf key={accountId} accountId={accountId} />}
      </Stack>
    </>
  )
}

function SettingsOf({ accountId }: { accountId: number }) {
  const { t } = useTranslation()
  const [search, update] = useUrlSearch()
  const brands = useQuery(api.brand.list.queryOptions({ input: { id: accountId } }))
  if (brands.isError && !brands.data)
    return <ErrorState error={brands.error} onRetry={() => void brands.refetch()} />
  if (!brands.data) return <Loading lines={8} />
  const { items } = brands.data
  const wanted = one(search, 'domain')
  const brand = items.find(({ domain }) => domain === wanted) ?? items[0]
  return (
    <>
      <Missing accountId={accountId} />
      {brand === undefined ? (
        <>
          <EmptyState
            icon={IconWorld}
            title={t('branding.noDomain')}
            text={t('branding.noDomainText')}
            order={2}
            compact
            action={
              <LinkButton to={`${accountPath(accountId)}?tab=domains`}>{t('branding.toDomains')}</LinkButton>
            }
          />
          <DetailTabs
            tabs={elsewhereTabs.map((key) => ({
              key,
              label: t(`branding.tab.${key}`),
              content: <Elsewhere accountId={accountId} what={key} />,
            }))}
          />
        </>
      ) : (
        <>
          {items.length > 1 ? (
            <div className={classes.choice}>
              <Select
                label={t('branding.domain')}
                data={items.map(({ domain }) => ({
                  value: domain || ' ',
                  label: domain || t('branding.everywhere'),
                }))}
                value={brand.domain || ' '}
                allowDeselect={false}
                onChange={(domain) => update({ domain: domain?.trim() || undefined }, { push: true })}
              />
            </div>
          ) : null}
          <BrandForm key={brand.domain} accountId={accountId} brand={brand} />
        </>
      )}
    </>
  )
}
