import { Button, Group, Title } from '@mantine/core'
import { IconArrowsMove, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { usePageTitle } from '../../lib/page.ts'
import { useCan, useUser } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { isMissing, NotFound } from '../../ui/feedback/NotFound.tsx'
import { MoreMenu } from '../../ui/page/ActionMenu.tsx'
import { DetailTabs } from '../../ui/page/DetailPage.tsx'
import side from '../../ui/page/side.module.css'
import { withTabs } from '../../ui/page/tabs.ts'
import { CreateAccount, DeleteAccount, MoveAccount } from './AccountActions.tsx'
import { AccountTab } from './AccountTab.tsx'
import { AccountTree } from './AccountTree.tsx'
import { DomainsTab } from './DomainsTab.tsx'
import { LimitHitsTab } from './LimitHitsTab.tsx'
import { MailTab } from './MailTab.tsx'
import { type Account, idOf } from './queries.ts'
import { accountTabs } from './slots.ts'

/** Accounts on the left; settings and users of the selected one on the right. */
export default function AccountsPage() {
  const { t } = useTranslation()
  const user = useUser()
  const [search] = useUrlSearch()
  const { tenantId } = useParams({ strict: false }) as { tenantId?: string }
  const id = tenantId === undefined ? user.accountId : idOf(tenantId)
  const account = useQuery(api.tenant.get.queryOptions({ input: { id } }))
  usePageTitle(tenantId === undefined ? undefined : account.data?.name)
  return (
    <>
      <Title order={1} mb="md">
        {t('screens.accounts.title')}
      </Title>
      <div className={side.layout}>
        <AccountTree current={id} tab={one(search, 'tab') === 'users' ? 'users' : undefined} />
        <section aria-label={account.data?.name ?? t('common.loading')}>
          {account.isLoadingError ? (
            isMissing(account.error) ? (
              <NotFound error={account.error} listPath="/account-mgmt" />
            ) : (
              <ErrorState error={account.error} onRetry={() => void account.refetch()} />
            )
          ) : account.data ? (
            <AccountDetails key={id} account={account.data} />
          ) : (
            <Loading lines={6} />
          )}
        </section>
      </div>
    </>
  )
}

function AccountDetails({ account }: { account: Account }) {
  const { t } = useTranslation()
  const can = useCan()
  const [asking, setAsking] = useState<'create' | 'move' | 'delete' | undefined>(undefined)
  const close = () => setAsking(undefined)
  const movable = account.editable && account.parentId !== null
  return (
    <>
      <Group justify="space-between" mb="sm" gap="sm">
        <Title order={2} size="h1" style={{ overflowWrap: 'anywhere' }}>
          {account.name}
        </Title>
        <Group gap={8}>
          {can('UserManagement', 'create') ? (
            <Button
              variant="default"
              leftSection={<Icon of={IconPlus} />}
              onClick={() => setAsking('create')}
            >
              {t('accounts.create')}
            </Button>
          ) : null}
          {movable ? (
            <MoreMenu
              actions={[
                { label: t('accounts.move'), icon: IconArrowsMove, onClick: () => setAsking('move') },
                {
                  label: t('accounts.delete'),
                  icon: IconTrash,
                  onClick: () => setAsking('delete'),
                  danger: true,
                },
              ]}
            />
          ) : null}
        </Group>
      </Group>
      <DetailTabs
        tabs={withTabs(
          [
            { key: 'account', label: t('accounts.tab.account'), content: <AccountTab account={account} /> },
            {
              key: 'domains',
              label: t('accounts.tab.domains'),
              hidden: !account.editable,
              content: <DomainsTab account={account} />,
            },
            {
              key: 'mail',
              label: t('accounts.tab.mail'),
              hidden: !account.editable,
              content: <MailTab account={account} />,
            },
            {
              key: 'limits',
              label: t('accounts.tab.limits'),
              hidden: !account.editable,
              content: <LimitHitsTab account={account} />,
            },
          ],
          accountTabs,
          { account },
          { t, can },
        )}
      />
      <CreateAccount parent={account} opened={asking === 'create'} onClose={close} />
      <MoveAccount account={account} opened={asking === 'move'} onClose={close} />
      <DeleteAccount account={account} opened={asking === 'delete'} onClose={close} />
    </>
  )
}
