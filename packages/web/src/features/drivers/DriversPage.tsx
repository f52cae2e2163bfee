import { Button, Group, Menu, Text } from '@mantine/core'
import {
  IconBooks,
  IconChevronDown,
  IconClipboardText,
  IconCode,
  IconCopy,
  IconExternalLink,
  IconFileZip,
  IconPencil,
  IconPlus,
  IconRosetteDiscountCheck,
  IconTrash,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { useCan } from '../../lib/session.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { Thumbnail } from '../../ui/display/Thumbnail.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { DeleteDriver } from './DeleteDriver.tsx'
import classes from './drivers.module.css'
import { ImportDrivers } from './importing/ImportDrivers.tsx'
import { StateBadge } from './library/StateBadge.tsx'
import { listInput } from './listInput.ts'
import { PasteDriver } from './PasteDriver.tsx'
import type { DriverRow } from './queries.ts'
import { AvailableBadge } from './versions/Acceptances.tsx'

/** Device drivers: they decode payloads into values. */
export default function DriversPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const writer = useCan()('DeviceDriver', 'manage')
  const [deleting, setDeleting] = useState<DriverRow | undefined>(undefined)
  const makers = useQuery(api.devicedrivers.list.queryOptions({ input: { limit: 1 }, staleTime: 60_000 }))
  const create = writer ? <CreateMenu /> : undefined
  const actions = (
    <Group gap={8}>
      <LibraryButton />
      {create}
    </Group>
  )
  const open = (id: number | string, search: Record<string, string> = {}) =>
    void navigate({ to: `/virtual-device-drivers/${id}`, search })
  return (
    <>
      <ListPage<DriverRow>
        name="drivers"
        title={t('drivers.title')}
        description={t('drivers.listText')}
        primaryAction={actions}
        columns={columns(t)}
        query={(params) => api.devicedrivers.list.queryOptions({ input: listInput(params) })}
        rowKey={(row) => row.id}
        rowHref={(row) => `/virtual-device-drivers/${row.id}`}
        rowMenu={(row) => [
          { label: t('drivers.open'), icon: IconExternalLink, onClick: () => open(row.id) },
          { label: t('drivers.tab.parser'), icon: IconCode, onClick: () => open(row.id, { tab: 'parser' }) },
          {
            label: t('drivers.copy'),
            icon: IconCopy,
            onClick: () => open('new', { copy: String(row.id) }),
            hidden: !writer,
          },
          {
            label: t('drivers.delete'),
            icon: IconTrash,
            onClick: () => setDeleting(row),
            danger: true,
            hidden: !writer || row.delivered,
          },
        ]}
        filters={[
          {
            key: 'origin',
            label: t('drivers.field.origin'),
            options: [
              { value: 'own', label: t('drivers.originOwn') },
              { value: 'delivered', label: t('drivers.delivered') },
            ],
          },
          {
            key: 'acceptance',
            label: t('drivers.accepted.filter'),
            multiple: false,
            options: [{ value: 'outdated', label: t('drivers.accepted.filterOutdated') }],
          },
          {
            key: 'maker',
            label: t('drivers.field.manufacturer'),
            options: (makers.data?.manufacturers ?? [])
              .filter(Boolean)
              .map((maker) => ({ value: maker, label: maker })),
          },
        ]}
        searchPlaceholder={t('drivers.search')}
        card={(row) => <DriverCard driver={row} />}
        withAccounts
        defaultSort="title"
        empty={
          <EmptyState
            icon={IconCode}
            title={t('drivers.empty')}
            text={t('drivers.emptyText')}
            action={create}
          />
        }
      />
      <DeleteDriver driver={deleting} onClose={() => setDeleting(undefined)} />
    </>
  )
}

/** A driver with its picture, manufacturer and model. */
function DriverCard({ driver }: { driver: DriverRow }) {
  const { t } = useTranslation()
  return (
    <span className={classes.card}>
      {driver.pictureId === null ? null : <Thumbnail fileId={driver.pictureId} height={120} />}
      <span className={classes.cardText}>
        <b>{driver.title}</b>
        <Text span size="sm" c="dimmed">
          {[driver.manufacturer, driver.model].filter(Boolean).join(' · ') || driver.description}
        </Text>
        <Group gap={8} fz="sm">
          <OriginBadge driver={driver} />
          {driver.updatable ? <StateBadge state="updatable" /> : null}
          <WaitingBadge driver={driver} />
        </Group>
        <Text span size="xs" c="dimmed">
          {t('drivers.cardDevices', { count: driver.deviceCount })}
        </Text>
      </span>
    </span>
  )
}

/** At least one of the user's accounts still runs a version other than the published one. */
function WaitingBadge({ driver }: { driver: DriverRow }) {
  return driver.outdatedAccounts > 0 && driver.publishedVersion !== null ? (
    <AvailableBadge number={driver.publishedVersion} />
  ) : null
}

/** Link to the library of bundled drivers; shows how many have a newer version. */
function LibraryButton() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const library = useQuery(api.devicedrivers.library.queryOptions({ input: { limit: 1 }, staleTime: 60_000 }))
  const newer = library.data?.counts.updatable ?? 0
  return (
    <Button
      variant="default"
      leftSection={<Icon of={IconBooks} />}
      onClick={() => void navigate({ to: '/virtual-device-drivers/library' })}
    >
      {newer > 0 ? t('drivers.library.openCount', { count: newer }) : t('drivers.library.open')}
    </Button>
  )
}

function CreateMenu() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [pasting, setPasting] = useState(false)
  const [importing, setImporting] = useState(false)
  return (
    <>
      <Button.Group>
        <Button
          leftSection={<Icon of={IconPlus} />}
          onClick={() => void navigate({ to: '/virtual-device-drivers/new' })}
        >
          {t('drivers.create')}
        </Button>
        <Menu>
          <Menu.Target>
            <Button px={8} ml={1} aria-label={t('drivers.otherWays')}>
              <Icon of={IconChevronDown} size={16} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              leftSection={<Icon of={IconClipboardText} size={16} />}
              onClick={() => setPasting(true)}
            >
              {t('drivers.paste.action')}
            </Menu.Item>
            <Menu.Item leftSection={<Icon of={IconFileZip} size={16} />} onClick={() => setImporting(true)}>
              {t('drivers.import.action')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Button.Group>
      <PasteDriver opened={pasting} onClose={() => setPasting(false)} />
      <ImportDrivers opened={importing} onClose={() => setImporting(false)} />
    </>
  )
}

export function columns(t: TFunction): ListColumn<DriverRow>[] {
  return [
    {
      key: 'title',
      title: t('drivers.field.title'),
      sortable: true,
      render: (row) => row.title,
      csv: (row) => row.title,
    },
    {
      key: 'manufacturer',
      title: t('drivers.field.manufacturer'),
      sortable: true,
      hideBelow: 'xs',
      render: (row) => row.manufacturer || '–',
      csv: (row) => row.manufacturer,
    },
    {
      key: 'model',
      title: t('drivers.field.model'),
      hideBelow: 'sm',
      render: (row) => row.model || '–',
      csv: (row) => row.model,
    },
    {
      key: 'origin',
      title: t('drivers.field.origin'),
      hideBelow: 'xs',
      render: (row) => (
        <Group gap={6} wrap="nowrap">
          <OriginBadge driver={row} />
          {row.updatable ? <StateBadge state="updatable" /> : null}
          <WaitingBadge driver={row} />
        </Group>
      ),
      csv: (row) =>
        row.delivered ? t(row.modified ? 'drivers.deliveredModified' : 'drivers.delivered') : row.accountName,
    },
    {
      key: 'version',
      title: t('drivers.field.version'),
      hideBelow: 'sm',
      render: (row) =>
        row.publishedVersion === null ? (
          <Text span size="sm" c="dimmed">
            {t('drivers.unpublished')}
          </Text>
        ) : (
          <span>
            v{row.publishedVersion}
            {row.latestVersion > row.publishedVersion ? (
              <Text span size="xs" c="dimmed">
                {' '}
                {t('drivers.newerDraft', { number: row.latestVersion })}
              </Text>
            ) : null}
          </span>
        ),
      csv: (row) => row.publishedVersion,
    },
    {
      key: 'deviceCount',
      title: t('drivers.field.devices'),
      sortable: true,
      align: 'right',
      render: (row) =>
        row.deviceCount === 0 ? (
          '0'
        ) : (
          <RouterLink to={`/virtual-devices?driver=${row.id}`}>{formatNumber(row.deviceCount, 0)}</RouterLink>
        ),
      csv: (row) => row.deviceCount,
    },
    {
      key: 'updatedAt',
      title: t('drivers.field.updatedAt'),
      sortable: true,
      hideBelow: 'md',
      render: (row) => <RelativeTime time={row.updatedAt} />,
      csv: (row) => formatTime(row.updatedAt),
    },
  ]
}

/** Whether a driver is bundled, else its owner. */
export function OriginBadge({
  driver,
}: {
  driver: Pick<DriverRow, 'delivered' | 'modified' | 'accountName'>
}) {
  const { t } = useTranslation()
  return driver.delivered ? (
    <>
      <StatusBadge tone="accent" icon={IconRosetteDiscountCheck} label={t('drivers.delivered')} />
      {driver.modified ? (
        <StatusBadge tone="warning" icon={IconPencil} label={t('drivers.modified')} />
      ) : null}
    </>
  ) : (
    <span>{driver.accountName}</span>
  )
}
