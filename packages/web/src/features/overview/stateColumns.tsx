import type { OverviewState } from '@leitstand/contract/overview'
import { UnstyledButton } from '@mantine/core'
import { IconGauge } from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { formatNumber } from '../../lib/format.ts'
import { thingPath } from '../../lib/recent.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { thingIcon } from '../../ui/display/icons.ts'
import { TagList } from '../../ui/display/TagList.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { opensHistory } from '../twins/index.ts'
import { TimeCell, ValueCell } from './LiveValue.tsx'
import classes from './overview.module.css'

type Column = ListColumn<OverviewState>

export interface ColumnOptions {
  onOpen: (id: number) => void
  /** whether the page of a twin or device can be opened */
  opens: Opens
  /** below the twins: the order is that of the twins */
  grouped: boolean
}

type Opens = (category: OverviewState['category']) => boolean

/** The twin or device of a state. */
export function TwinLink({ row, opens }: { row: OverviewState; opens: Opens }) {
  if (!opens(row.category)) return row.twinTitle
  return (
    <RouterLink to={`${thingPath(row.category, row.twinId)}?tab=states`} c="inherit">
      {row.twinTitle}
    </RouterLink>
  )
}

/** Columns of the overview; the first four matter most to an operator. */
export function stateColumns(t: TFunction, options: ColumnOptions): Column[] {
  const all = [...mainColumns(t, options), ...sourceColumns(t), ...twinColumns(t)]
  if (!options.grouped) return all
  // The headings name the twins, in whose order they are.
  return all.flatMap((column) => (column.key === 'twin' ? [] : { ...column, sortable: false }))
}

function mainColumns(t: TFunction, { onOpen, opens }: ColumnOptions): Column[] {
  return [
    {
      key: 'title',
      title: t('stateOverview.column.state'),
      sortable: true,
      render: (row) => (
        <span className={classes.name}>
          <Icon of={thingIcon(row.icon, IconGauge)} />
          <span className={classes.nameText}>
            <UnstyledButton
              className={classes.open ?? ''}
              onClick={() => onOpen(row.id)}
              {...opensHistory(row.id)}
            >
              {row.title}
            </UnstyledButton>
            {row.key === row.title ? null : <span className={classes.key}>{row.key}</span>}
          </span>
        </span>
      ),
    },
    {
      key: 'value',
      title: t('states.value'),
      sortable: true,
      align: 'right',
      card: 'fact',
      render: (row) => <ValueCell row={row} />,
    },
    {
      key: 'time',
      title: t('states.time'),
      sortable: true,
      card: 'fact',
      render: (row) => <TimeCell row={row} />,
    },
    {
      key: 'twin',
      title: t('stateOverview.column.twin'),
      sortable: true,
      card: 'fact',
      render: (row) => <TwinLink row={row} opens={opens} />,
    },
  ]
}

function sourceColumns(t: TFunction): Column[] {
  return [
    {
      key: 'source',
      title: t('states.source'),
      hideBelow: 'md',
      render: (row) => t(`states.sources.${row.source}`),
    },
    { key: 'unit', title: t('states.unit'), optional: true, render: (row) => row.unit || '–' },
    {
      key: 'type',
      title: t('states.valueType'),
      optional: true,
      render: (row) => t(`states.valueTypes.${row.valueType}`),
    },
    {
      key: 'identifier',
      title: t('stateOverview.column.identifier'),
      optional: true,
      render: (row) => <span className={classes.key}>{row.sourceIdentifier ?? '–'}</span>,
    },
    {
      key: 'variable',
      title: t('states.variable'),
      optional: true,
      render: (row) => <span className={classes.key}>{row.parserVariable ?? '–'}</span>,
    },
    {
      key: 'driver',
      title: t('stateOverview.column.driver'),
      optional: true,
      render: (row) => row.driverTitle ?? '–',
    },
  ]
}

function twinColumns(t: TFunction): Column[] {
  return [
    {
      key: 'category',
      title: t('stateOverview.column.category'),
      optional: true,
      render: (row) => t(`stateOverview.category.${row.category}`),
    },
    {
      key: 'tags',
      title: t('stateOverview.column.tags'),
      hideBelow: 'md',
      render: (row) => <TagList tags={row.tags} />,
    },
    {
      key: 'groups',
      title: t('stateOverview.column.groups'),
      optional: true,
      render: (row) => <TagList tags={row.groups} />,
    },
    {
      key: 'account',
      title: t('stateOverview.column.account'),
      optional: true,
      render: (row) => row.accountName,
    },
    {
      key: 'keyValues',
      title: t('stateOverview.column.keyValues'),
      optional: true,
      render: (row) => (
        <TagList tags={Object.entries(row.keyValues).map(([name, value]) => `${name}: ${value}`)} />
      ),
    },
    {
      key: 'position',
      title: t('stateOverview.column.position'),
      optional: true,
      render: (row) =>
        row.latitude === null || row.longitude === null
          ? '–'
          : `${formatNumber(row.latitude, 5)}, ${formatNumber(row.longitude, 5)}`,
    },
    {
      key: 'id',
      title: t('stateOverview.column.id'),
      sortable: true,
      optional: true,
      render: (row) => row.id,
    },
  ]
}
