import type { SmartGroup } from '@leitstand/contract/smartGroups'
import { Button, Group, Text, Title } from '@mantine/core'
import { IconExternalLink, IconMap2, IconPencil, IconPlus, IconStack2, IconTrash } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { formatNumber } from '../../../lib/format.ts'
import { onDemand } from '../../../lib/onDemand.ts'
import { useCan } from '../../../lib/session.ts'
import { one, useUrlSearch } from '../../../lib/url.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { CardRows } from '../../../ui/list/CardRows.tsx'
import { FilterBar } from '../../../ui/list/FilterBar.tsx'
import { isFiltered, listParams } from '../../../ui/list/params.ts'
import { useListState } from '../../../ui/list/state.ts'
import { DeleteGroup } from './DeleteGroup.tsx'
import { GroupCard } from './GroupCard.tsx'
import classes from './smart.module.css'

const EditGroup = onDemand(() => import('./EditGroup.tsx'))

/** Smart groups as cards; with `?create=1` the form for a new one. */
export default function GroupsPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [search, update] = useUrlSearch()
  const manages = useCan()('VirtualDevice', 'manage')
  const list = useListState([])
  const [edited, setEdited] = useState<SmartGroup>()
  const [doomed, setDoomed] = useState<SmartGroup>()
  const { offset, limit, search: text, accountIds, favorites } = listParams(list.state, undefined)
  const groups = useQuery(
    api.smartGroup.list.queryOptions({
      input: { offset, limit, favorites, search: text, tenantIds: accountIds },
      placeholderData: keepPreviousData,
    }),
  )
  const total = groups.data?.total
  const create = manages ? (
    <Button leftSection={<Icon of={IconPlus} />} onClick={() => update({ create: '1' })}>
      {t('smartGroups.create')}
    </Button>
  ) : null
  return (
    <>
      <Group justify="space-between" align="flex-start" mb={16} gap={12}>
        <div>
          <Group gap={10} align="baseline">
            <Title order={1}>{t('screens.deviceGroups.title')}</Title>
            {total === undefined ? null : (
              <Text span c="dimmed" className="tabular" aria-label={t('list.count', { count: total })}>
                {formatNumber(total, 0)}
              </Text>
            )}
          </Group>
          <Text c="dimmed" size="sm" maw={720}>
            {t('smartGroups.text')}
          </Text>
        </div>
        <Group gap={8}>
          {total ? (
            <Button
              variant="default"
              leftSection={<Icon of={IconMap2} />}
              onClick={() => void navigate({ to: '/virtual-device-groups/map' })}
            >
              {t('smartGroups.map')}
            </Button>
          ) : null}
          {create}
        </Group>
      </Group>
      {total === 0 && !isFiltered(list.state) ? (
        <EmptyState
          icon={IconStack2}
          title={t('smartGroups.empty')}
          text={t('smartGroups.emptyText')}
          action={create}
        />
      ) : (
        <div className={classes.list}>
          <FilterBar
            list={list}
            filters={[]}
            searchPlaceholder={t('smartGroups.searchPlaceholder')}
            withAccounts
            withFavorites
          />
          {groups.data ? (
            <CardRows<SmartGroup>
              page={groups.data}
              list={list}
              rowKey={({ id }) => id}
              rowHref={({ id }) => `/virtual-device-groups/${id}`}
              rowMenu={(group) => [
                {
                  label: t('smartGroups.open'),
                  icon: IconExternalLink,
                  onClick: () => void navigate({ to: `/virtual-device-groups/${group.id}` }),
                },
                {
                  label: t('smartGroups.edit'),
                  icon: IconPencil,
                  hidden: !group.editable,
                  onClick: () => setEdited(group),
                },
                {
                  label: t('smartGroups.delete'),
                  icon: IconTrash,
                  danger: true,
                  hidden: !group.editable,
                  onClick: () => setDoomed(group),
                },
              ]}
              card={(group) => <GroupCard group={group} />}
            />
          ) : groups.isError ? (
            <ErrorState error={groups.error} onRetry={() => void groups.refetch()} />
          ) : (
            <Loading lines={6} />
          )}
        </div>
      )}
      <Suspense fallback={null}>
        {one(search, 'create') === '1' && manages ? (
          <EditGroup
            onClose={() => update({ create: undefined })}
            onCreated={(id) => void navigate({ to: `/virtual-device-groups/${id}` })}
          />
        ) : null}
        {edited ? <EditGroup group={edited} onClose={() => setEdited(undefined)} /> : null}
      </Suspense>
      <DeleteGroup group={doomed} onClose={() => setDoomed(undefined)} />
    </>
  )
}
