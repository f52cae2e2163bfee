import type { AssetZone } from '@leitstand/contract/assets'
import { Button, Group, Text } from '@mantine/core'
import { IconPlus, IconPolygon } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { useCan } from '../../lib/session.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { ListColumn, ListFilter } from '../../ui/list/types.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { lengthOf } from '../drivers/index.ts'
import { AssetsSwitch } from './AssetsSwitch.tsx'
import { inventoryPath } from './pure.ts'
import { refreshMs } from './useAssets.ts'

const periods = ['1', '7', '30', '90'] as const
const standard = '7'

/** Zones with their inventory and how they were used: `/is-assetmgmt/zones`. */
export default function ZonesPage() {
  const { t } = useTranslation()
  const can = useCan()
  const navigate = useNavigate()
  const filters = useMemo(
    (): ListFilter[] => [
      {
        key: 'days',
        label: t('assets.period'),
        multiple: false,
        options: periods.map((days) => ({ value: days, label: t('assets.days', { count: Number(days) }) })),
      },
    ],
    [t],
  )
  const draw = can('DigitalTwin', 'write') ? (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={() => void navigate({ to: '/digitaltwin-mgmt', search: { create: '1' } })}
    >
      {t('assets.drawZone')}
    </Button>
  ) : null
  return (
    <ListPage<AssetZone>
      name="assetZones"
      title={t('screens.zones.title')}
      description={t('assets.zonesText')}
      primaryAction={
        <Group gap={8}>
          <AssetsSwitch view="zones" />
          {draw}
        </Group>
      }
      columns={useColumns()}
      filters={filters}
      query={({ offset, limit, search, accountIds, filters: chosen }) => ({
        ...api.isAssetMgmt.zones.queryOptions({
          input: {
            offset,
            limit,
            days: Number(chosen.days?.[0] ?? standard),
            ...(search ? { search } : {}),
            ...(accountIds ? { accountIds } : {}),
          },
        }),
        refetchInterval: refreshMs,
      })}
      rowKey={(zone) => zone.id}
      rowHref={(zone) => inventoryPath(zone.id, 'here')}
      searchPlaceholder={t('assets.zoneSearch')}
      withAccounts
      empty={<EmptyState icon={IconPolygon} title={t('assets.noZones')} text={t('assets.noZonesText')} />}
    />
  )
}

function Count({ count, to, tone }: { count: number; to: string; tone?: 'warning' }) {
  if (count === 0)
    return (
      <Text span c="dimmed" className="tabular">
        0
      </Text>
    )
  return (
    <RouterLink to={to} c="inherit">
      {tone ? <StatusBadge tone={tone} label={formatNumber(count, 0)} /> : formatNumber(count, 0)}
    </RouterLink>
  )
}

function useColumns(): ListColumn<AssetZone>[] {
  const { t } = useTranslation()
  return useMemo(
    () => [
      {
        key: 'title',
        title: t('assets.field.zone'),
        width: 240,
        card: 'title',
        render: ({ title, hasPolygon }) => (
          <span>
            {title}{' '}
            {hasPolygon ? null : (
              <Text span size="sm" c="var(--health-warning)">
                {t('assets.noPolygon')}
              </Text>
            )}
          </span>
        ),
        csv: ({ title }) => title,
      },
      {
        key: 'assets',
        title: t('assets.here'),
        align: 'right',
        card: 'fact',
        csv: ({ assets }) => assets,
        render: ({ id, assets }) => <Count count={assets} to={inventoryPath(id, 'here')} />,
      },
      {
        key: 'expected',
        title: t('assets.expected'),
        align: 'right',
        card: 'fact',
        csv: ({ expected }) => expected,
        render: ({ id, expected }) => <Count count={expected} to={inventoryPath(id, 'expected')} />,
      },
      {
        key: 'missing',
        title: t('assets.missing'),
        align: 'right',
        card: 'fact',
        csv: ({ missing }) => missing,
        render: ({ id, missing }) => (
          <Count count={missing} to={inventoryPath(id, 'missing')} tone="warning" />
        ),
      },
      {
        key: 'strangers',
        title: t('assets.strangers'),
        align: 'right',
        hideBelow: 'sm',
        card: 'fact',
        csv: ({ strangers }) => strangers,
        render: ({ id, strangers }) => <Count count={strangers} to={inventoryPath(id, 'strangers')} />,
      },
      {
        key: 'stays',
        title: t('assets.stays'),
        align: 'right',
        hideBelow: 'sm',
        csv: ({ stays }) => stays,
        render: ({ stays }) => formatNumber(stays, 0),
      },
      {
        key: 'median',
        title: t('assets.median'),
        align: 'right',
        hideBelow: 'md',
        csv: ({ medianSeconds }) => medianSeconds,
        render: ({ medianSeconds }) => (medianSeconds === null ? '–' : lengthOf(medianSeconds * 1_000, t)),
      },
      {
        key: 'occupied',
        title: t('assets.occupied'),
        align: 'right',
        hideBelow: 'sm',
        card: 'fact',
        csv: ({ occupied }) => Math.round(occupied * 100),
        render: ({ occupied }) => `${formatNumber(occupied * 100, 0)} %`,
      },
      {
        key: 'account',
        title: t('assets.field.account'),
        optional: true,
        render: ({ accountName }) => accountName,
      },
    ],
    [t],
  )
}
