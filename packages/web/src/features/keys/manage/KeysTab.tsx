import type { DoorKey } from '@leitstand/contract/keys'
import { Button } from '@mantine/core'
import { IconBan, IconKey, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { formatTime } from '../../../lib/format.ts'
import { currentLanguage } from '../../../lib/i18n.ts'
import { onDemand } from '../../../lib/onDemand.ts'
import { StatusBadge, type Tone } from '../../../ui/display/Badges.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ConfirmDanger } from '../../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import type { ListColumn, ListFilter, ListParams } from '../../../ui/list/types.ts'
import { hoursText, ownZone } from '../words.ts'
import { loadGroups, loadLocks, nameGroup, nameLock } from './pickers.ts'

const KeySheet = onDemand(() => import('./KeySheet.tsx'))

type Asked = Omit<ListParams, 'offset' | 'limit' | 'favorites'>

/** Keys with filters, by the newest first. */
export function KeysTab() {
  const { t } = useTranslation()
  const [edited, setEdited] = useState<DoorKey | 'new'>()
  const [doomed, setDoomed] = useState<{ key: DoorKey; how: 'revoke' | 'delete' }>()
  const create = (
    <Button leftSection={<Icon of={IconPlus} />} onClick={() => setEdited('new')}>
      {t('keys.give')}
    </Button>
  )
  return (
    <>
      <ListTable<DoorKey>
        name="door-keys"
        besideFilters={() => create}
        columns={useColumns()}
        filters={useFilters()}
        query={({ offset, limit, ...params }) =>
          api.isfmAccessMgmt.list.queryOptions({ input: { offset, limit, ...inputOf(params) } })
        }
        written={async (params, format) => ({
          ...(await client.isfmAccessMgmt.exportFile({
            ...inputOf(params),
            format,
            language: currentLanguage(),
          })),
          name: 'keys',
        })}
        rowKey={({ id }) => id}
        rowMenu={(key) => [
          {
            label: t('keys.edit'),
            icon: IconPencil,
            hidden: key.revokedAt !== null,
            onClick: () => setEdited(key),
          },
          {
            label: t('keys.revoke'),
            icon: IconBan,
            danger: true,
            hidden: key.revokedAt !== null,
            onClick: () => setDoomed({ key, how: 'revoke' }),
          },
          {
            label: t('keys.delete'),
            icon: IconTrash,
            danger: true,
            onClick: () => setDoomed({ key, how: 'delete' }),
          },
        ]}
        isDimmed={({ closed }) => closed === 'revoked' || closed === 'expired'}
        searchPlaceholder={t('keys.searchKeys')}
        withAccounts
        empty={
          <EmptyState icon={IconKey} title={t('keys.noKeys')} text={t('keys.noKeysText')} action={create} />
        }
      />
      <Suspense fallback={null}>
        {edited === undefined ? null : (
          <KeySheet
            key={edited === 'new' ? 'new' : edited.id}
            of={edited === 'new' ? null : edited}
            onClose={() => setEdited(undefined)}
          />
        )}
      </Suspense>
      <EndKey doomed={doomed} onClose={() => setDoomed(undefined)} />
    </>
  )
}

interface EndKeyProps {
  doomed: { key: DoorKey; how: 'revoke' | 'delete' } | undefined
  onClose: () => void
}

function EndKey({ doomed, onClose }: EndKeyProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { how = 'revoke' } = doomed ?? {}
  const about = { user: doomed?.key.user.name ?? '', door: doorOf(doomed?.key) }
  return (
    <ConfirmDanger
      key={`${doomed?.key.id} ${how}`}
      opened={doomed !== undefined}
      onClose={onClose}
      title={t(`keys.${how}Title`, about)}
      text={t(`keys.${how}Text`)}
      confirmLabel={t(`keys.${how}`)}
      onConfirm={async () => {
        if (doomed === undefined) return
        await client.isfmAccessMgmt[how]({ id: doomed.key.id })
        notifySuccess(t(`keys.${how}Done`, about))
        await cache.invalidateQueries({ queryKey: api.isfmAccessMgmt.key() })
      }}
    />
  )
}

const doorOf = (key: Pick<DoorKey, 'lock' | 'group'> | undefined): string =>
  (key?.lock ?? key?.group)?.title ?? ''

const orders = ['createdAt', '-createdAt', 'user', '-user', 'validUntil', '-validUntil'] as const
const validities = ['valid', 'expired', 'revoked'] as const

function inputOf({ search, accountIds, orderBy, filters }: Asked) {
  const ids = (name: string) => filters[name]?.map(Number)
  const validity = validities.filter((each) => filters.validity?.includes(each))
  const order = orders.find((each) => each === orderBy)
  return {
    ...(search ? { search } : {}),
    ...(accountIds ? { accountIds } : {}),
    ...(order ? { order_by: order } : {}),
    ...(validity.length > 0 ? { validity } : {}),
    ...(filters.lock ? { lockIds: ids('lock') } : {}),
    ...(filters.group ? { groupIds: ids('group') } : {}),
  }
}

function useFilters(): ListFilter[] {
  const { t } = useTranslation()
  return useMemo(
    () => [
      { key: 'lock', label: t('keys.field.door'), multiple: true, load: loadLocks, labelOf: nameLock },
      { key: 'group', label: t('keys.field.group'), multiple: true, load: loadGroups, labelOf: nameGroup },
      {
        key: 'validity',
        label: t('keys.field.state'),
        multiple: true,
        options: validities.map((value) => ({ value, label: t(`keys.validity.${value}`) })),
      },
    ],
    [t],
  )
}

const tones: Record<NonNullable<DoorKey['closed']>, Tone> = {
  revoked: 'error',
  expired: 'unknown',
  notYet: 'unknown',
  hours: 'warning',
}

function stateText(t: TFunction, { closed }: DoorKey): string {
  return closed === null ? t('keys.validity.valid') : t(`keys.closed.${closed}`)
}

function useColumns(): ListColumn<DoorKey>[] {
  const { t } = useTranslation()
  return useMemo(() => {
    const zone = ownZone()
    return [
      {
        key: 'user',
        title: t('keys.field.user'),
        sortable: true,
        width: 200,
        card: 'title',
        render: ({ user }) => user.name,
      },
      {
        key: 'door',
        title: t('keys.field.door'),
        width: 220,
        render: (key) =>
          key.group === null
            ? doorOf(key)
            : t('keys.groupOf', { title: doorOf(key), count: key.group.locks }),
      },
      {
        key: 'state',
        title: t('keys.field.state'),
        render: (key) => (
          <StatusBadge tone={key.closed === null ? 'ok' : tones[key.closed]} label={stateText(t, key)} />
        ),
      },
      {
        key: 'validUntil',
        title: t('keys.field.validUntil'),
        sortable: true,
        hideBelow: 'sm',
        card: 'fact',
        render: ({ validUntil }) => (validUntil === null ? t('keys.unlimited') : formatTime(validUntil)),
      },
      {
        key: 'hours',
        title: t('keys.field.hours'),
        hideBelow: 'sm',
        card: 'fact',
        render: (key) => hoursText(t, key, zone) || t('keys.always'),
      },
      {
        key: 'validFrom',
        title: t('keys.field.validFrom'),
        optional: true,
        render: ({ validFrom }) => formatTime(validFrom),
      },
      { key: 'note', title: t('keys.field.note'), hideBelow: 'md', render: ({ note }) => note || '–' },
      {
        key: 'createdAt',
        title: t('keys.field.createdAt'),
        sortable: true,
        optional: true,
        render: ({ createdAt, createdBy }) => `${formatTime(createdAt)}, ${createdBy}`,
      },
      {
        key: 'account',
        title: t('keys.field.account'),
        optional: true,
        render: ({ accountName }) => accountName,
      },
    ]
  }, [t])
}
