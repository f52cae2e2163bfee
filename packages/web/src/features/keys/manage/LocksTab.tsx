import type { Lock } from '@leitstand/contract/keys'
import { Button } from '@mantine/core'
import { IconLock, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { onDemand } from '../../../lib/onDemand.ts'
import { StatusBadge } from '../../../ui/display/Badges.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ConfirmDanger } from '../../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import type { ListColumn, ListFilter } from '../../../ui/list/types.ts'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'

import { loadGroups, nameGroup } from './pickers.ts'

const LockSheet = onDemand(() => import('./LockSheet.tsx'))

/** Locks by the title of their door. */
export function LocksTab() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [edited, setEdited] = useState<Lock | 'new'>()
  const [doomed, setDoomed] = useState<Lock>()
  const create = (
    <Button leftSection={<Icon of={IconPlus} />} onClick={() => setEdited('new')}>
      {t('keys.createLock')}
    </Button>
  )
  return (
    <>
      <ListTable<Lock>
        name="locks"
        besideFilters={() => create}
        columns={useColumns()}
        filters={useFilters()}
        query={({ offset, limit, search, accountIds, filters }) => {
          const [group] = filters.group ?? []
          return api.isfmAccessMgmt.locks.queryOptions({
            input: { offset, limit, search, accountIds, ...(group ? { groupId: Number(group) } : {}) },
          })
        }}
        rowKey={({ id }) => id}
        rowMenu={(lock) => [
          { label: t('keys.editLock'), icon: IconPencil, onClick: () => setEdited(lock) },
          { label: t('keys.deleteLock'), icon: IconTrash, danger: true, onClick: () => setDoomed(lock) },
        ]}
        searchPlaceholder={t('keys.searchLocks')}
        withAccounts
        empty={
          <EmptyState
            icon={IconLock}
            title={t('keys.noLocks')}
            text={t('keys.noLocksText')}
            action={create}
          />
        }
      />
      <Suspense fallback={null}>
        {edited === undefined ? null : (
          <LockSheet
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
        title={t('keys.deleteLockTitle', { door: doomed?.twin.title ?? '' })}
        text={t('keys.deleteLockText', { count: doomed?.keys ?? 0 })}
        confirmLabel={t('keys.deleteLock')}
        onConfirm={async () => {
          if (doomed === undefined) return
          await client.isfmAccessMgmt.deleteLock({ id: doomed.id })
          notifySuccess(t('keys.lockDeleted', { door: doomed.twin.title }))
          await cache.invalidateQueries({ queryKey: api.isfmAccessMgmt.key() })
        }}
      />
    </>
  )
}

function useFilters(): ListFilter[] {
  const { t } = useTranslation()
  return useMemo(
    () => [
      { key: 'group', label: t('keys.field.group'), multiple: false, load: loadGroups, labelOf: nameGroup },
    ],
    [t],
  )
}

function useColumns(): ListColumn<Lock>[] {
  const { t } = useTranslation()
  return useMemo(
    () => [
      {
        key: 'door',
        title: t('keys.field.door'),
        width: 240,
        card: 'title',
        csv: ({ twin }) => twin.title,
        render: ({ twin }) => <RouterLink to={`/digitaltwin-mgmt/${twin.id}`}>{twin.title}</RouterLink>,
      },
      {
        key: 'way',
        title: t('keys.field.way'),
        width: 240,
        csv: ({ way, wayTo }) => `${t(`keys.way.${way.kind}`)}: ${wayTo ?? ''}`,
        render: ({ way, wayTo }) =>
          wayTo === null ? (
            <StatusBadge tone="error" label={t('keys.wayGone')} />
          ) : (
            `${t(`keys.way.${way.kind}`)} · ${wayTo}`
          ),
      },
      {
        key: 'report',
        title: t('keys.field.report'),
        hideBelow: 'sm',
        card: 'fact',
        csv: ({ report }) => report?.title ?? '',
        render: ({ report }) =>
          report === null
            ? t('keys.noReport')
            : t('keys.reportIs', { title: report.title, value: JSON.stringify(report.value) }),
      },
      {
        key: 'demands',
        title: t('keys.field.demands'),
        hideBelow: 'sm',
        card: 'fact',
        csv: (lock) => demandsOf(t, lock),
        render: (lock) => demandsOf(t, lock) || '–',
      },
      {
        key: 'keys',
        title: t('keys.field.keys'),
        align: 'right',
        csv: ({ keys }) => keys,
        render: ({ keys }) => keys,
      },
      {
        key: 'account',
        title: t('keys.field.account'),
        optional: true,
        csv: ({ accountName }) => accountName,
        render: ({ accountName }) => accountName,
      },
    ],
    [t],
  )
}

function demandsOf(t: ReturnType<typeof useTranslation>['t'], { needsCode, withinMetres }: Lock): string {
  return [
    needsCode ? t('keys.demand.code') : '',
    withinMetres === null ? '' : t('keys.demand.near', { count: withinMetres }),
  ]
    .filter(Boolean)
    .join(', ')
}
