import type { TwinSelection } from '@leitstand/contract/twinBulk'
import type { TwinFilters, TwinSummary } from '@leitstand/contract/twins'
import { Button, Group, Text } from '@mantine/core'
import { IconHierarchy3, IconPlus } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useCan } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { TagList } from '../../ui/display/TagList.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { ListColumn, ListFilter, ListParams } from '../../ui/list/types.ts'
import { SlotParts } from '../../ui/page/SlotParts.tsx'
import { CreateTwin } from './CreateTwin.tsx'
import { levelEveryMs, twinIcon, twinPath } from './kinds.ts'
import { levelColumn } from './levels/levelColumn.tsx'
import { findTwins, nameTwin } from './queries.ts'
import { type TwinSelectionAction, twinFilterActions, twinSelectionActions } from './slots.ts'
import { useTwinActions } from './TwinActions.tsx'
import { TwinsSwitch } from './TwinsSwitch.tsx'
import classes from './twins.module.css'
import { useTwinFilters } from './useTwinFilters.ts'

/** What narrows the list, as it can be saved. */
function filterOf({ search, accountIds, filters }: ListParams): TwinFilters {
  return {
    ...(search ? { search } : {}),
    ...(accountIds ? { accountIds: [...accountIds] } : {}),
    ...(filters.type ? { types: [...filters.type] as TwinSummary['type'][] } : {}),
    ...(filters.tag ? { tags: [...filters.tag] } : {}),
    ...(filters.zone ? { zones: [...filters.zone] } : {}),
    ...(filters.parent?.[0] ? { parentId: Number(filters.parent[0]) } : {}),
    ...(filters.disabled?.[0] ? { disabled: filters.disabled[0] === '1' } : {}),
  }
}

/** An action and the twins it was started for. */
interface Started {
  action: TwinSelectionAction
  selection: TwinSelection
}

/** All twins as a flat list with filters, `/digitaltwin-mgmt/list`. */
export default function TwinList() {
  const [started, setStarted] = useState<Started>()
  return (
    <>
      {/* Stays mounted, so that cancelling finds the selection again. */}
      <div hidden={started !== undefined}>
        <Twins onStart={(action, selection) => setStarted({ action, selection })} />
      </div>
      {started ? (
        <Suspense fallback={<Loading />}>
          <started.action.Content selection={started.selection} onClose={() => setStarted(undefined)} />
        </Suspense>
      ) : null}
    </>
  )
}

function Twins({ onStart }: { onStart: (action: TwinSelectionAction, selection: TwinSelection) => void }) {
  const { t } = useTranslation()
  const can = useCan()
  const [search, update] = useUrlSearch()
  const { actionsOf, dialogs } = useTwinActions()
  const writer = can('DigitalTwin', 'write') || can('DigitalTwin', 'manage')
  const create = can('DigitalTwin', 'write') ? (
    <Button leftSection={<Icon of={IconPlus} />} onClick={() => update({ create: '1' })}>
      {t('twins.create')}
    </Button>
  ) : null
  return (
    <>
      <ListPage<TwinSummary>
        name="twins"
        title={t('twins.heading')}
        primaryAction={
          <Group gap={8}>
            <TwinsSwitch view="list" />
            {create}
          </Group>
        }
        columns={useColumns()}
        filters={useFilters()}
        besideFilters={(params) => (
          <SlotParts slot={twinFilterActions} props={{ filter: filterOf(params) }} />
        )}
        query={(params) =>
          api.digitaltwin.list.queryOptions({
            input: {
              offset: params.offset,
              limit: params.limit,
              favorites: params.favorites,
              ...(params.orderBy ? { orderBy: params.orderBy as 'title' } : {}),
              ...filterOf(params),
            },
            refetchInterval: levelEveryMs,
          })
        }
        rowKey={(twin) => twin.id}
        rowHref={(twin) => twinPath(twin.id)}
        rowMenu={actionsOf}
        bulkActions={
          writer
            ? twinSelectionActions.parts.map((action) => ({
                label: t(action.label),
                icon: action.icon,
                onClick: (rows: TwinSummary[]) => onStart(action, { ids: rows.map(({ id }) => id) }),
              }))
            : []
        }
        bulkAll={(params, count) =>
          // Favourites are not part of a filter.
          params.favorites ? null : (
            <AllMatches count={count} onStart={(action) => onStart(action, { filter: filterOf(params) })} />
          )
        }
        isDimmed={(twin) => twin.disabled}
        searchPlaceholder={t('twins.searchPlaceholder')}
        withAccounts
        withFavorites
        defaultSort="title"
        empty={
          <EmptyState
            icon={IconHierarchy3}
            title={t('twins.empty')}
            text={t('twins.emptyText')}
            action={create}
          />
        }
      />
      {dialogs}
      {one(search, 'create') === '1' && create ? (
        <CreateTwin onClose={() => update({ create: undefined })} />
      ) : null}
    </>
  )
}

/** Buttons of actions on everything that matches. */
function AllMatches(props: { count: number; onStart: (action: TwinSelectionAction) => void }) {
  const { t } = useTranslation()
  return twinSelectionActions.parts.map((action) => (
    <Button
      key={action.label}
      size="compact-md"
      variant="default"
      leftSection={<Icon of={action.icon} size={16} />}
      onClick={() => props.onStart(action)}
    >
      {t(action.labelAll, { count: props.count })}
    </Button>
  ))
}

function useColumns(): ListColumn<TwinSummary>[] {
  const { t } = useTranslation()
  return [
    {
      key: 'title',
      title: t('twins.title'),
      sortable: true,
      csv: (twin) => twin.title,
      render: (twin) => (
        <span className={classes.name}>
          <Icon of={twinIcon(twin)} />
          <span>{twin.title}</span>
          {twin.disabled ? <StatusBadge tone="unknown" label={t('twins.isDisabled')} /> : null}
        </span>
      ),
    },
    {
      key: 'id',
      title: t('twins.id'),
      sortable: true,
      width: 90,
      hideBelow: 'sm',
      csv: (twin) => twin.id,
      render: (twin) => (
        <Text span size="sm" c="dimmed" className="tabular">
          {twin.id}
        </Text>
      ),
    },
    levelColumn(t),
    {
      key: 'type',
      title: t('twins.type'),
      sortable: true,
      hideBelow: 'xs',
      csv: (twin) => t(`twins.types.${twin.type}`),
      render: (twin) => t(`twins.types.${twin.type}`),
    },
    {
      key: 'parent',
      title: t('twins.parent'),
      hideBelow: 'sm',
      csv: (twin) => twin.parentTitle,
      render: (twin) => twin.parentTitle ?? '–',
    },
    {
      key: 'account',
      title: t('twins.account'),
      hideBelow: 'md',
      csv: (twin) => twin.accountName,
      render: (twin) => twin.accountName,
    },
    {
      key: 'tags',
      title: t('twins.tags'),
      hideBelow: 'md',
      csv: (twin) => twin.tags.join(', '),
      render: (twin) => <TagList tags={twin.tags} />,
    },
    {
      key: 'zones',
      title: t('twins.zones'),
      optional: true,
      csv: (twin) => twin.zones.join(', '),
      render: (twin) => <TagList tags={twin.zones} />,
    },
    {
      key: 'states',
      title: t('twins.states'),
      align: 'right',
      hideBelow: 'sm',
      csv: (twin) => twin.stateCount,
      render: (twin) => twin.stateCount,
    },
    {
      key: 'children',
      title: t('twins.children'),
      align: 'right',
      optional: true,
      csv: (twin) => twin.childCount,
      render: (twin) => twin.childCount,
    },
    {
      key: 'updatedAt',
      title: t('twins.updatedAt'),
      sortable: true,
      optional: true,
      csv: (twin) => formatTime(twin.updatedAt),
      render: (twin) => <RelativeTime time={twin.updatedAt} dimmed />,
    },
  ]
}

function useFilters(): ListFilter[] {
  const { t } = useTranslation()
  const { type, tag, zone } = useTwinFilters()
  return [
    type,
    tag,
    zone,
    { key: 'parent', label: t('twins.parent'), multiple: false, load: findTwins, labelOf: nameTwin },
    {
      key: 'disabled',
      label: t('twins.status'),
      multiple: false,
      options: [
        { value: '0', label: t('twins.isEnabled') },
        { value: '1', label: t('twins.isDisabled') },
      ],
    },
  ]
}
