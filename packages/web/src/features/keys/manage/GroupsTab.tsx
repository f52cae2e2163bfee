import type { LockGroup } from '@leitstand/contract/keys'
import { Button } from '@mantine/core'
import { IconLock, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { onDemand } from '../../../lib/onDemand.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ConfirmDanger } from '../../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import type { ListColumn } from '../../../ui/list/types.ts'

const GroupSheet = onDemand(() => import('./GroupSheet.tsx'))

/** Groups of locks, for keys that open several doors. */
export function GroupsTab() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [edited, setEdited] = useState<LockGroup | 'new'>()
  const [doomed, setDoomed] = useState<LockGroup>()
  const create = (
    <Button leftSection={<Icon of={IconPlus} />} onClick={() => setEdited('new')}>
      {t('keys.createGroup')}
    </Button>
  )
  return (
    <>
      <ListTable<LockGroup>
        name="lock-groups"
        besideFilters={() => create}
        columns={useColumns()}
        query={({ offset, limit, search, accountIds }) =>
          api.isfmAccessMgmt.groups.queryOptions({ input: { offset, limit, search, accountIds } })
        }
        rowKey={({ id }) => id}
        rowMenu={(group) => [
          { label: t('keys.editGroup'), icon: IconPencil, onClick: () => setEdited(group) },
          { label: t('keys.deleteGroup'), icon: IconTrash, danger: true, onClick: () => setDoomed(group) },
        ]}
        searchPlaceholder={t('keys.searchGroups')}
        withAccounts
        empty={
          <EmptyState
            icon={IconLock}
            title={t('keys.noGroups')}
            text={t('keys.noGroupsText')}
            action={create}
          />
        }
      />
      <Suspense fallback={null}>
        {edited === undefined ? null : (
          <GroupSheet
            key={edited === 'new' ? 'new' : edited.id}
            of={edited === 'new' ? null : edited}
            onClose={() => setEdited(undefined)}
          />
        )}
      </Suspense>
      <ConfirmDanger
        key={doomed?.id ?? 'none'}
        opened={doomed !== undefined}
        onClose={() => setDoomed(undefined)}
        title={t('keys.deleteGroupTitle', { title: doomed?.title ?? '' })}
        text={t('keys.deleteGroupText')}
        confirmLabel={t('keys.deleteGroup')}
        onConfirm={async () => {
          if (doomed === undefined) return
          await client.isfmAccessMgmt.deleteGroup({ id: doomed.id })
          notifySuccess(t('keys.groupDeleted', { title: doomed.title }))
          await cache.invalidateQueries({ queryKey: api.isfmAccessMgmt.key() })
        }}
      />
    </>
  )
}

function useColumns(): ListColumn<LockGroup>[] {
  const { t } = useTranslation()
  return useMemo(() => {
    const doors = ({ locks }: LockGroup) => locks.map(({ title }) => title).join(', ')
    return [
      {
        key: 'title',
        title: t('keys.field.group'),
        width: 240,
        card: 'title',
        csv: ({ title }) => title,
        render: ({ title }) => title,
      },
      {
        key: 'count',
        title: t('keys.field.locks'),
        align: 'right',
        csv: ({ locks }) => locks.length,
        render: ({ locks }) => locks.length,
      },
      {
        key: 'doors',
        title: t('keys.field.doors'),
        hideBelow: 'sm',
        card: 'fact',
        csv: doors,
        render: (group) => doors(group) || '–',
      },
      {
        key: 'account',
        title: t('keys.field.account'),
        hideBelow: 'md',
        csv: ({ accountName }) => accountName,
        render: ({ accountName }) => accountName,
      },
    ]
  }, [t])
}
