import { Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { formatTime } from '../../lib/format.ts'
import { HealthBadge, healthTones, OperationalBadge } from '../../ui/display/Badges.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { TagList } from '../../ui/display/TagList.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import classes from './devices.module.css'
import type { DeviceRow } from './queries.ts'

/** Links to what is wrong. */
function HealthLink({ row }: { row: DeviceRow }) {
  const badge = <HealthBadge health={row.health} />
  return row.health === healthOk || row.health === healthUnknown ? (
    badge
  ) : (
    <RouterLink to={`/virtual-devices/${row.id}?tab=health`}>{badge}</RouterLink>
  )
}

const healthOk = 0
const healthUnknown = 3

/** Columns of the device list; the first four matter most to an operator. */
export function deviceColumns(t: TFunction): ListColumn<DeviceRow>[] {
  return [...mainColumns(t), ...placeColumns(t), ...propertyColumns(t)]
}

function mainColumns(t: TFunction): ListColumn<DeviceRow>[] {
  return [
    {
      key: 'title',
      title: t('devices.field.title'),
      sortable: true,
      render: (row) => (
        <span className={classes.titleCell}>
          <span className={classes.title}>{row.title}</span>
          {row.disabled ? <span className={classes.disabled}>{t('devices.disabled')}</span> : null}
          <span className={classes.small}>
            <HealthBadge health={row.health} />
            <RelativeTime time={row.lastSeen} empty={t('devices.never')} dimmed />
          </span>
        </span>
      ),
      csv: (row) => row.title,
    },
    {
      key: 'externalId',
      title: t('devices.field.externalId'),
      sortable: true,
      hideBelow: 'sm',
      render: (row) => <span className={classes.mono}>{row.externalId}</span>,
      csv: (row) => row.externalId,
    },
    {
      key: 'health',
      title: t('devices.field.health'),
      sortable: true,
      hideBelow: 'xs',
      render: (row) => <HealthLink row={row} />,
      csv: (row) => t(`health.${healthTones[row.health] ?? 'unknown'}`),
    },
    {
      key: 'lastSeen',
      title: t('devices.field.lastSeen'),
      sortable: true,
      hideBelow: 'xs',
      render: (row) => <RelativeTime time={row.lastSeen} empty={t('devices.never')} />,
      csv: (row) => (row.lastSeen ? formatTime(row.lastSeen) : ''),
    },
    {
      key: 'operationalStatus',
      title: t('devices.field.operationalStatus'),
      sortable: true,
      hideBelow: 'md',
      render: (row) => <OperationalBadge status={row.operationalStatus} />,
      csv: (row) => t(`operational.${row.operationalStatus}`),
    },
    {
      key: 'connector',
      title: t('devices.field.connector'),
      hideBelow: 'sm',
      render: (row) => (
        <span className={classes.clip} title={row.connectorName}>
          {row.connectorName}
        </span>
      ),
      csv: (row) => row.connectorName,
    },
    {
      key: 'driver',
      title: t('devices.field.driver'),
      hideBelow: 'md',
      render: (row) =>
        row.driverTitle === null ? (
          <Text span inherit c="dimmed">
            {t('devices.noDriver')}
          </Text>
        ) : (
          <span className={classes.clip} title={row.driverTitle}>
            {row.driverTitle}
          </span>
        ),
      csv: (row) => row.driverTitle,
    },
    {
      key: 'template',
      title: t('devices.field.template'),
      optional: true,
      render: (row) =>
        row.templateId === null ? (
          '–'
        ) : (
          <RouterLink to={`/device-templates/${row.templateId}`}>{row.templateTitle}</RouterLink>
        ),
      csv: (row) => row.templateTitle,
    },
  ]
}

function placeColumns(t: TFunction): ListColumn<DeviceRow>[] {
  return [
    {
      key: 'account',
      title: t('devices.field.account'),
      optional: true,
      render: (row) => row.accountName,
      csv: (row) => row.accountName,
    },
    {
      key: 'parent',
      title: t('devices.field.parent'),
      optional: true,
      render: (row) =>
        row.parentId === null ? (
          '–'
        ) : (
          <RouterLink to={`/digitaltwin-mgmt/${row.parentId}`}>{row.parentTitle}</RouterLink>
        ),
      csv: (row) => row.parentTitle,
    },
    {
      key: 'tags',
      title: t('devices.field.tags'),
      optional: true,
      render: (row) => <TagList tags={row.tags} />,
      csv: (row) => row.tags.join(', '),
    },
    {
      key: 'zones',
      title: t('devices.field.zones'),
      optional: true,
      render: (row) => <TagList tags={row.zones} />,
      csv: (row) => row.zones.join(', '),
    },
    {
      key: 'groups',
      title: t('devices.field.groups'),
      optional: true,
      render: (row) => <TagList tags={row.groups} />,
      csv: (row) => row.groups.join(', '),
    },
    {
      key: 'bridgeType',
      title: t('devices.field.bridgeType'),
      optional: true,
      render: (row) => t(`connectors.kind.${row.connectorKind}.name`, { defaultValue: row.connectorKind }),
      csv: (row) => t(`connectors.kind.${row.connectorKind}.name`, { defaultValue: row.connectorKind }),
    },
    {
      key: 'id',
      title: t('devices.field.id'),
      sortable: true,
      optional: true,
      render: (row) => <span className={classes.mono}>{row.id}</span>,
      csv: (row) => row.id,
    },
    {
      key: 'createdAt',
      title: t('devices.field.createdAt'),
      sortable: true,
      optional: true,
      render: (row) => <RelativeTime time={row.createdAt} />,
      csv: (row) => formatTime(row.createdAt),
    },
    {
      key: 'updatedAt',
      title: t('devices.field.updatedAt'),
      sortable: true,
      optional: true,
      render: (row) => <RelativeTime time={row.updatedAt} />,
      csv: (row) => formatTime(row.updatedAt),
    },
    {
      key: 'position',
      title: t('devices.field.position'),
      optional: true,
      render: (row) => positionText(row) ?? '–',
      csv: positionText,
    },
  ]
}

/** Optional master data columns. */
function propertyColumns(t: TFunction): ListColumn<DeviceRow>[] {
  const text = (value: string | undefined) =>
    value ? (
      <span className={classes.clip} title={value}>
        {value}
      </span>
    ) : (
      '–'
    )
  return [
    {
      key: 'address',
      title: t('devices.field.address'),
      optional: true,
      render: (row) => text(row.address),
      csv: (row) => row.address,
    },
    {
      key: 'floorNumber',
      title: t('devices.field.floorNumber'),
      optional: true,
      render: (row) => row.floorNumber ?? '–',
      csv: (row) => row.floorNumber,
    },
    {
      key: 'referenceIds',
      title: t('devices.field.referenceIds'),
      optional: true,
      render: (row) => <TagList tags={references(row)} />,
      csv: (row) => references(row).join(', '),
    },
    {
      key: 'keyValues',
      title: t('devices.field.keyValues'),
      optional: true,
      render: (row) => <TagList tags={pairs(row)} />,
      csv: (row) => pairs(row).join(', '),
    },
    {
      key: 'description',
      title: t('devices.field.description'),
      optional: true,
      render: (row) => text(row.description),
      csv: (row) => row.description,
    },
  ]
}

function references({ referenceIds }: DeviceRow): string[] {
  return (referenceIds ?? []).map(({ name, value }) => `${name}=${value}`)
}

function pairs({ keyValues }: DeviceRow): string[] {
  return Object.entries(keyValues ?? {}).map(([key, value]) => `${key}=${value}`)
}

function positionText({ latitude, longitude }: DeviceRow): string | null {
  return latitude === null || longitude === null ? null : `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`
}
