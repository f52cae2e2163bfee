import type { PacketStatistics, SmartGroup } from '@leitstand/contract/smartGroups'
import type { VirtualDeviceSummary } from '@leitstand/contract/virtualdevices'
import { Button, Group, Progress, Skeleton, Text } from '@mantine/core'
import { IconList, IconMap2, IconPencil, IconStack2, IconTrash } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { type ReactNode, Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { formatNumber, formatTime } from '../../../lib/format.ts'
import { currentLanguage } from '../../../lib/i18n.ts'
import { onDemand } from '../../../lib/onDemand.ts'
import { useRecordRecent } from '../../../lib/recent.ts'
import { stringifySearch } from '../../../lib/url.ts'
import { Chart } from '../../../ui/chart/Chart.tsx'
import { FavoriteStar } from '../../../ui/display/FavoriteStar.tsx'
import { HealthCounts } from '../../../ui/display/HealthCounts.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { RelativeTime } from '../../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import type { FileFormat } from '../../../ui/list/files.ts'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import type { ListParams } from '../../../ui/list/types.ts'
import { MoreMenu } from '../../../ui/page/ActionMenu.tsx'
import { DetailPage } from '../../../ui/page/DetailPage.tsx'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { SlotParts } from '../../../ui/page/SlotParts.tsx'
import { deviceColumns, deviceListInput } from '../../devices/index.ts'
import { UsedBy } from '../../objects/index.ts'
import { addressOf } from '../saved.ts'
import { type GroupAction, groupActions, groupSections } from '../slots.ts'
import { DeleteGroup } from './DeleteGroup.tsx'
import { FilterWords } from './FilterWords.tsx'
import { LowDevices } from './LowDevices.tsx'
import { deviceCounts, devicesOf, refreshMs } from './queries.ts'
import classes from './smart.module.css'

const EditGroup = onDemand(() => import('./EditGroup.tsx'))

/** A smart group: how its devices are, what they send, and which they are. */
export default function GroupPage() {
  const { id: param } = useParams({ strict: false }) as { id: string }
  const id = Number(param)
  const { data, error, refetch } = useQuery(api.smartGroup.get.queryOptions({ input: { id } }))
  useRecordRecent('smartGroup', id, data?.title)
  if (!data)
    return (
      <DetailPage
        icon={IconStack2}
        title={undefined}
        error={error}
        onRetry={() => void refetch()}
        listPath="/virtual-device-groups"
      />
    )
  return <GroupDetails key={id} group={data} />
}

function GroupDetails({ group }: { group: SmartGroup }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const [action, setAction] = useState<GroupAction>()
  const close = () => setOpen(undefined)
  const packets = useQuery(
    api.smartGroup.packetStatistics.queryOptions({ input: { id: group.id }, refetchInterval: refreshMs }),
  )
  const address = addressOf(devicesOf(group))
  return (
    <>
      {action ? (
        <Suspense fallback={null}>
          <action.Dialog group={group} onClose={() => setAction(undefined)} />
        </Suspense>
      ) : null}
      <DetailPage
        icon={IconStack2}
        title={group.title}
        overline={group.accountName}
        listPath="/virtual-device-groups"
        actions={
          <Group gap={8}>
            <FavoriteStar type="smartGroup" objectId={group.id} />
            <Button
              variant="default"
              leftSection={<Icon of={IconMap2} />}
              onClick={() =>
                void navigate({ to: '/virtual-device-groups/map', search: { group: String(group.id) } })
              }
            >
              {t('smartGroups.map')}
            </Button>
            {group.editable ? (
              <Button
                variant="default"
                leftSection={<Icon of={IconPencil} />}
                onClick={() => setOpen('edit')}
              >
                {t('smartGroups.edit')}
              </Button>
            ) : null}
            <MoreMenu
              actions={[
                {
                  label: t('smartGroups.asList'),
                  icon: IconList,
                  hidden: address === null,
                  onClick: () => void navigate({ to: `/virtual-devices${stringifySearch(address ?? {})}` }),
                },
                ...groupActions.parts.map((part) => ({
                  label: t(part.label),
                  icon: part.icon,
                  onClick: () => setAction(part),
                })),
                {
                  label: t('smartGroups.delete'),
                  icon: IconTrash,
                  danger: true,
                  hidden: !group.editable,
                  onClick: () => setOpen('delete'),
                },
              ]}
            />
          </Group>
        }
        facts={[
          { label: t('smartGroups.filter'), value: <FilterWords filter={group.filter} /> },
          { label: t('smartGroups.monitoring'), value: monitoringText(t, group.monitoring) },
          { label: t('smartGroups.changed'), value: <RelativeTime time={group.updatedAt} /> },
        ]}
        tabs={[
          {
            key: 'monitoring',
            label: t('smartGroups.tabs.monitoring'),
            content: (
              <div className={classes.sections}>
                {group.description ? <Text size="sm">{group.description}</Text> : null}
                <Health group={group} />
                {packets.isError && !packets.data ? (
                  <ErrorState error={packets.error} onRetry={() => void packets.refetch()} compact />
                ) : (
                  <Packets statistics={packets.data} />
                )}
                {group.monitoring ? <LowDevices groupId={group.id} /> : null}
              </div>
            ),
          },
          {
            key: 'devices',
            label: t('smartGroups.tabs.devices'),
            count: packets.data?.devices,
            content: <Members group={group} />,
          },
          {
            key: 'files',
            label: t('smartGroups.tabs.files'),
            content: (
              <div className={classes.sections}>
                <SlotParts slot={groupSections} props={{ groupId: group.id }} />
                <UsedBy of="group" id={group.id} />
              </div>
            ),
          },
        ]}
      />
      <Suspense fallback={null}>
        {open === 'edit' ? <EditGroup group={group} onClose={close} /> : null}
      </Suspense>
      <DeleteGroup
        group={open === 'delete' ? group : undefined}
        onClose={close}
        onDeleted={() => navigate({ to: '/virtual-device-groups' })}
      />
    </>
  )
}

function monitoringText(t: TFunction, monitoring: SmartGroup['monitoring']): string {
  if (!monitoring) return t('smartGroups.notWatched')
  const { threshold, windowHours } = monitoring
  return t('smartGroups.watched', { threshold, count: windowHours })
}

/** Counts by health; each leads to these devices in the device list. */
function Health({ group }: { group: SmartGroup }) {
  const { t } = useTranslation()
  const counts = useQuery(deviceCounts(group.id))
  if (counts.isError && !counts.data)
    return <ErrorState error={counts.error} onRetry={() => void counts.refetch()} compact />
  if (!counts.data) return <Skeleton height={54} />
  const address = addressOf(devicesOf(group))
  const { disabled, neverSeen, byDriver, byOperationalStatus } = counts.data
  const rest = [
    ...(disabled > 0
      ? [t('smartGroups.disabled', { count: disabled, shown: formatNumber(disabled, 0) })]
      : []),
    ...(neverSeen > 0
      ? [t('devices.statistics.neverSeen', { count: neverSeen, shown: formatNumber(neverSeen, 0) })]
      : []),
  ]
  const share = (name: string, count: number) => `${name} (${formatNumber(count, 0)})`
  return (
    <Section title={t('smartGroups.health')}>
      <HealthCounts
        label={t('smartGroups.health')}
        counts={counts.data.byHealth}
        tile={(health, { className, children, ...tile }) =>
          address ? (
            <RouterLink
              key={health}
              {...tile}
              className={className}
              underline="never"
              to={`/virtual-devices${stringifySearch({ ...address, health: [String(health)] })}`}
            >
              {children}
            </RouterLink>
          ) : (
            <span key={health} {...tile} className={className}>
              {children}
            </span>
          )
        }
      >
        {rest.length > 0 ? (
          <Text size="sm" c="dimmed">
            {rest.join(' · ')}
          </Text>
        ) : null}
      </HealthCounts>
      {counts.data.devices > 0 ? (
        <Text size="sm" c="dimmed" mt="sm">
          {t('devices.field.operationalStatus')}:{' '}
          {byOperationalStatus
            .map(({ status, count }) => share(t(`operational.${status}`), count))
            .join(' · ')}
          <br />
          {t('devices.field.driver')}:{' '}
          {byDriver.map(({ title, count }) => share(title ?? t('devices.noDriver'), count)).join(' · ')}
        </Text>
      ) : null}
    </Section>
  )
}

/** Packets: the numbers, and both charts. */
function Packets({ statistics }: { statistics: PacketStatistics | undefined }) {
  const { t } = useTranslation()
  const series = useMemo(
    () =>
      (['hours', 'days'] as const).map((span) => ({
        span,
        series: [
          {
            key: span,
            name: t('smartGroups.packets'),
            decimals: 0,
            points: (statistics?.[span] ?? []).map(
              ({ time, packets }) => [Date.parse(time), packets] as const,
            ),
          },
        ],
      })),
    [statistics, t],
  )
  if (!statistics) return <Skeleton height={320} />
  const { devices, active, received, expected, windowHours, low, since } = statistics
  const percent = expected ? (received / expected) * 100 : null
  return (
    <>
      <Section title={t('smartGroups.packets')} description={t('smartGroups.packetsText')}>
        <div className={classes.tiles}>
          <Tile
            label={t('smartGroups.active')}
            value={`${formatNumber(active, 0)} / ${formatNumber(devices, 0)}`}
          >
            <Progress
              value={devices > 0 ? (active / devices) * 100 : 0}
              aria-label={t('smartGroups.active')}
            />
          </Tile>
          <Tile
            label={t('smartGroups.received', { count: windowHours })}
            value={
              expected === null
                ? formatNumber(received, 0)
                : `${formatNumber(received, 0)} / ${formatNumber(expected, expected < 10 ? 1 : 0)}`
            }
          >
            {percent === null ? (
              <Text size="xs" c="dimmed">
                {t('smartGroups.nothingExpected')}
              </Text>
            ) : (
              <Text size="xs" c="dimmed">
                {t('smartGroups.ofExpected', { percent: formatNumber(percent, 0) })}
              </Text>
            )}
          </Tile>
          {low === null ? null : (
            <Tile label={t('smartGroups.low')} value={formatNumber(low, 0)}>
              <Text size="xs" c="dimmed">
                {t('smartGroups.lowHint')}
              </Text>
            </Tile>
          )}
        </div>
      </Section>
      <div className={classes.charts}>
        {series.map((each) => (
          <Section key={each.span} title={t(`smartGroups.per.${each.span}`)}>
            <Chart
              kind="bar"
              title={t(`smartGroups.per.${each.span}`)}
              series={each.series}
              min={0}
              decimals={0}
              height="240px"
            />
          </Section>
        ))}
      </div>
      <Text size="xs" c="dimmed">
        {t('smartGroups.since', { time: formatTime(since) })}
      </Text>
    </>
  )
}

function Tile({ label, value, children }: { label: string; value: string; children: ReactNode }) {
  return (
    <div className={classes.tile}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <span className={classes.tileValue}>{value}</span>
      {children}
    </div>
  )
}

/** The devices of a group, paged by the server. */
function Members({ group }: { group: SmartGroup }) {
  const { t } = useTranslation()
  const columns = useMemo(() => deviceColumns(t), [t])
  return (
    <ListTable<VirtualDeviceSummary>
      name="smartGroupDevices"
      columns={columns}
      query={(params) => ({
        ...api.smartGroup.execute.queryOptions({
          input: {
            id: group.id,
            offset: params.offset,
            limit: params.limit,
            search: params.search,
            order_by: deviceListInput(params).order_by,
            include_identifiers: true,
            include_properties: true,
          },
        }),
        placeholderData: keepPreviousData,
      })}
      written={async (params, format) => ({
        name: group.title,
        ...(await membersFile(group, params, format)),
      })}
      rowKey={({ id }) => id}
      rowHref={({ id }) => `/virtual-devices/${id}`}
      searchPlaceholder={t('devices.search')}
      defaultSort="title"
      isDimmed={({ disabled }) => disabled}
      empty={
        <EmptyState
          icon={IconStack2}
          title={t('smartGroups.noDevices')}
          text={t('smartGroups.noDevicesText')}
        />
      }
    />
  )
}

/** All devices of the group that the search finds, exported by the server. */
function membersFile(group: SmartGroup, params: ListParams, format: FileFormat) {
  const { search_items: own = [], ...filters } = devicesOf(group)
  const search_items = params.search === undefined ? own : [...own, params.search]
  return client.virtualdevice.exportFile({
    filters,
    ...(search_items.length > 0 ? { search_items } : {}),
    order_by: deviceListInput(params).order_by,
    format,
    language: currentLanguage(),
  })
}
