import type { WarnMonitorItem } from '@leitstand/contract/warnapp'
import { Anchor, Button, Group } from '@mantine/core'
import { IconDeviceTv, IconPencil, IconPlus, IconSpeakerphone, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { useCan } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { useFavoriteAction } from '../../ui/display/useFavoriteAction.ts'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { monitorAddress } from './draft.ts'
import { levelIcons, levelTones } from './levels.ts'
import { idsOf } from './pure.ts'

const listKey = api.isWarnapp.list.key()

const MonitorSheet = onDemand(() => import('./MonitorSheet.tsx'))
const ChooseTwin = onDemand(() => import('./ChooseTwin.tsx'))

/** Warning monitors, `/is-warnapp-admin`; `?create=1` and `?monitor=<twin>` open the form. */
export default function WarnappPage() {
  const { t } = useTranslation()
  const can = useCan()
  const favorite = useFavoriteAction('warnMonitor', listKey)
  const [search, update] = useUrlSearch()
  const [doomed, setDoomed] = useState<WarnMonitorItem>()
  // Setting up needs the twins to choose from, too.
  const mayCreate = can('DigitalTwin', 'list') || can('DigitalTwin', 'read')
  const create = mayCreate ? (
    <Button leftSection={<Icon of={IconPlus} />} onClick={() => update({ create: '1' })}>
      {t('warnapp.create')}
    </Button>
  ) : undefined
  const [edited] = idsOf(one(search, 'monitor'))
  return (
    <>
      <ListPage<WarnMonitorItem>
        name="warn-monitors"
        title={t('screens.warnappAdmin.title')}
        description={t('warnapp.text')}
        primaryAction={
          <Group gap={8}>
            <Button
              component="a"
              href="#/is-warnapp-viewer"
              variant="default"
              leftSection={<Icon of={IconDeviceTv} />}
            >
              {t('warnapp.openMonitor')}
            </Button>
            {create}
          </Group>
        }
        columns={useColumns()}
        query={({ offset, limit, search: text, accountIds, favorites }) =>
          api.isWarnapp.list.queryOptions({
            input: {
              offset,
              limit,
              ...(text ? { search: text } : {}),
              ...(accountIds ? { accountIds } : {}),
              ...(favorites ? { favorites } : {}),
            },
          })
        }
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/is-warnapp-admin?monitor=${id}`}
        rowMenu={(monitor) => [
          {
            label: t('warnapp.edit'),
            icon: IconPencil,
            hidden: !monitor.editable,
            onClick: () => update({ monitor: String(monitor.id) }),
          },
          {
            label: t('warnapp.openMonitor'),
            icon: IconDeviceTv,
            onClick: () => window.open(monitorAddress(monitor.id), '_blank', 'noopener'),
          },
          favorite(monitor),
          {
            label: t('warnapp.delete'),
            icon: IconTrash,
            danger: true,
            hidden: !monitor.editable,
            onClick: () => setDoomed(monitor),
          },
        ]}
        filters={[]}
        searchPlaceholder={t('warnapp.search')}
        withAccounts
        withFavorites
        empty={
          <EmptyState
            icon={IconSpeakerphone}
            title={t('warnapp.empty')}
            text={t('warnapp.emptyText')}
            action={create}
          />
        }
      />
      <Suspense fallback={null}>
        {one(search, 'create') === '1' ? (
          <ChooseTwin
            onChoose={(id) => update({ create: undefined, monitor: String(id) })}
            onClose={() => update({ create: undefined })}
          />
        ) : null}
        {edited === undefined ? null : (
          <MonitorSheet key={edited} id={edited} onClose={() => update({ monitor: undefined })} />
        )}
      </Suspense>
      <DeleteMonitor monitor={doomed} onClose={() => setDoomed(undefined)} />
    </>
  )
}

function DeleteMonitor({ monitor, onClose }: { monitor: WarnMonitorItem | undefined; onClose: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const remove = useMutation(
    api.isWarnapp.delete.mutationOptions({
      onSuccess: () => cache.invalidateQueries({ queryKey: api.isWarnapp.key() }),
    }),
  )
  return (
    <ConfirmDanger
      opened={monitor !== undefined}
      onClose={onClose}
      title={t('warnapp.deleteTitle', { title: monitor?.title })}
      text={t('warnapp.deleteText')}
      confirmLabel={t('warnapp.delete')}
      onConfirm={async () => {
        if (monitor) await remove.mutateAsync({ id: monitor.id })
      }}
    />
  )
}

function useColumns(): ListColumn<WarnMonitorItem>[] {
  const { t } = useTranslation()
  return useMemo(
    () => [
      {
        key: 'title',
        title: t('warnapp.field.title'),
        card: 'title',
        width: 260,
        csv: ({ title }) => title,
        render: ({ title }) => title,
      },
      {
        key: 'level',
        title: t('warnapp.field.level'),
        csv: ({ level }) => t(`warnapp.level.${level}`),
        render: ({ level }) => (
          <StatusBadge
            tone={levelTones[level]}
            icon={levelIcons[level]}
            label={t(`warnapp.level.${level}`)}
          />
        ),
      },
      {
        key: 'twin',
        title: t('warnapp.field.twin'),
        hideBelow: 'sm',
        card: 'fact',
        csv: ({ twinTitle }) => twinTitle,
        render: ({ id, twinTitle }) => <Anchor href={`#/digitaltwin-mgmt/${id}`}>{twinTitle}</Anchor>,
      },
      {
        key: 'states',
        title: t('warnapp.field.states'),
        hideBelow: 'md',
        card: 'fact',
        align: 'right',
        csv: ({ states }) => states,
        render: ({ states }) => states,
      },
      {
        key: 'oldest',
        title: t('warnapp.field.oldest'),
        hideBelow: 'md',
        card: 'fact',
        csv: ({ oldest }) => (oldest === null ? null : formatTime(oldest)),
        render: ({ oldest }) => (oldest === null ? t('warnapp.noValue') : <RelativeTime time={oldest} />),
      },
      {
        key: 'media',
        title: t('warnapp.field.media'),
        optional: true,
        render: ({ image, sound }) =>
          [image && t('warnapp.image'), sound && t('warnapp.sound')].filter(Boolean).join(', ') || '–',
      },
      {
        key: 'account',
        title: t('warnapp.field.account'),
        optional: true,
        csv: ({ accountName }) => accountName,
        render: ({ accountName }) => accountName,
      },
    ],
    [t],
  )
}
