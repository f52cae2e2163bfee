import type { ServiceBuilder } from '@leitstand/contract'
import { Anchor, Box, Button } from '@mantine/core'
import { IconBuildingStore, IconExternalLink, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { useCan } from '../../lib/session.ts'
import { useUrlSearch } from '../../lib/url.ts'
import { AccountSelect } from '../../ui/accounts/AccountSelect.tsx'
import { useChosenAccount } from '../../ui/accounts/useChosenAccount.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { ServiceBuilderDialog } from './ServiceBuilderDialog.tsx'

type Asked = { what: 'form'; builder: ServiceBuilder | null } | { what: 'delete'; builder: ServiceBuilder }

/** Service builders of an account, which open in a new window; administrators of the installation add and change them. */
export default function ServiceBuildersPage() {
  const { t } = useTranslation()
  const can = useCan()
  const cache = useQueryClient()
  const [, update] = useUrlSearch()
  const [asked, setAsked] = useState<Asked | null>(null)
  const accountId = useChosenAccount() ?? 0
  const manages = can('super.system', 'manage')
  const create = manages ? (
    <Button leftSection={<Icon of={IconPlus} />} onClick={() => setAsked({ what: 'form', builder: null })}>
      {t('serviceBuilders.create')}
    </Button>
  ) : null
  return (
    <>
      <ListPage<ServiceBuilder>
        name="service-builders"
        title={t('screens.classicServiceBuilders.title')}
        description={t('serviceBuilders.description')}
        primaryAction={create}
        withSearch={false}
        above={
          <Box maw={360} mb="md">
            <AccountSelect
              label={t('serviceBuilders.account')}
              value={String(accountId)}
              onChange={(id) => update({ account: id ?? undefined, page: undefined })}
            />
          </Box>
        }
        columns={columns(t)}
        query={({ offset, limit }) =>
          api.serviceBuilder.list.queryOptions({ input: { id: accountId, offset, limit } })
        }
        rowKey={({ id }) => id}
        rowMenu={(builder) => [
          {
            label: t('common.edit'),
            icon: IconPencil,
            onClick: () => setAsked({ what: 'form', builder }),
            hidden: !manages,
          },
          {
            label: t('serviceBuilders.delete'),
            icon: IconTrash,
            danger: true,
            onClick: () => setAsked({ what: 'delete', builder }),
            hidden: !manages,
          },
        ]}
        empty={
          <EmptyState
            icon={IconBuildingStore}
            title={t('serviceBuilders.empty')}
            text={t(manages ? 'serviceBuilders.emptyText' : 'serviceBuilders.emptyOther')}
          />
        }
      />
      {asked?.what === 'form' ? (
        <ServiceBuilderDialog accountId={accountId} builder={asked.builder} onClose={() => setAsked(null)} />
      ) : null}
      <ConfirmDanger
        opened={asked?.what === 'delete'}
        onClose={() => setAsked(null)}
        title={t('serviceBuilders.delete')}
        text={t('serviceBuilders.deleteText', { title: asked?.builder?.title ?? '' })}
        confirmLabel={t('serviceBuilders.delete')}
        onConfirm={async () => {
          if (asked?.what !== 'delete') return
          const { accountId: id, id: builderId, title } = asked.builder
          await client.serviceBuilder.delete({ id, builderId })
          notifySuccess(t('serviceBuilders.deletedNote', { title }))
          await cache.invalidateQueries({ queryKey: api.serviceBuilder.key() })
        }}
      />
    </>
  )
}

function columns(t: TFunction): ListColumn<ServiceBuilder>[] {
  return [
    {
      key: 'title',
      title: t('serviceBuilders.field.title'),
      render: (row) => (
        <Anchor href={row.url} target="_blank" rel="noreferrer" style={{ overflowWrap: 'anywhere' }}>
          {row.title} <Icon of={IconExternalLink} size={14} />
        </Anchor>
      ),
      csv: (row) => row.title,
    },
    {
      key: 'description',
      title: t('serviceBuilders.field.description'),
      hideBelow: 'sm',
      render: (row) => row.description || '–',
      csv: (row) => row.description,
    },
    {
      key: 'application',
      title: t('serviceBuilders.field.application'),
      render: (row) => row.application?.title ?? t('serviceBuilders.noApplication'),
      csv: (row) => row.application?.title ?? '',
    },
    {
      key: 'url',
      title: t('serviceBuilders.field.url'),
      optional: true,
      render: (row) => row.url,
      csv: (row) => row.url,
    },
  ]
}
