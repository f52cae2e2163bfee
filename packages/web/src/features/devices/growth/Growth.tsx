import { Group, SegmentedControl, Select, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { many, useUrlSearch } from '../../../lib/url.ts'
import { Chart } from '../../../ui/chart/Chart.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { type Split, seriesOf, stepsOf } from './series.ts'

const dayMs = 86_400_000
const periods = [30, 90, 365, 1095] as const

/** Number of devices over a period: total, by connector or by account. */
export default function Growth() {
  const { t } = useTranslation()
  const [search] = useUrlSearch()
  const [days, setDays] = useState(90)
  const [split, setSplit] = useState<Split>('total')
  // The end stays fixed while the dialog is open, so that the same period has the same query key.
  const [end] = useState(() => Date.now())
  const accountIds = many(search, 'account').map(Number).filter(Number.isInteger)
  const statistics = useQuery(
    api.virtualdevice.statistics.queryOptions({
      input: {
        ...(accountIds.length > 0 ? { account_ids: accountIds } : {}),
        period: {
          start: new Date(end - days * dayMs).toISOString(),
          end: new Date(end).toISOString(),
          steps: stepsOf(days),
        },
      },
      placeholderData: keepPreviousData,
    }),
  )
  if (statistics.isLoadingError)
    return <ErrorState error={statistics.error} onRetry={() => void statistics.refetch()} />
  const growth = statistics.data?.growth
  if (!growth) return <Loading />
  const series = seriesOf(growth, split, t('devices.growth.total'))
  const came = (growth.total.at(-1) ?? 0) - (growth.total[0] ?? 0)
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t('devices.growth.text')}
      </Text>
      <Group justify="space-between" align="flex-end" gap="sm">
        <Select
          label={t('devices.growth.period')}
          w={160}
          value={String(days)}
          onChange={(chosen) => setDays(Number(chosen ?? days))}
          allowDeselect={false}
          data={periods.map((count) => ({
            value: String(count),
            label:
              count % 365 === 0
                ? t('devices.growth.years', { count: count / 365 })
                : t('devices.growth.days', { count }),
          }))}
        />
        <SegmentedControl
          aria-label={t('devices.growth.split')}
          value={split}
          onChange={(chosen) => setSplit(chosen as Split)}
          data={(['total', 'connector', 'account'] as const).map((value) => ({
            value,
            label: t(`devices.growth.${value}`),
          }))}
        />
      </Group>
      <Text fw={550}>{t('devices.growth.came', { count: came })}</Text>
      {(growth.total.at(-1) ?? 0) === 0 ? (
        <EmptyState title={t('devices.growth.none')} compact />
      ) : (
        <Chart
          kind="line"
          title={t('devices.growth.title')}
          series={series}
          decimals={0}
          min={0}
          height="min(320px, 45dvh)"
        />
      )}
      {split !== 'total' && series.length >= 20 ? (
        <Text size="xs" c="dimmed">
          {t('devices.growth.most', { count: series.length })}
        </Text>
      ) : null}
    </Stack>
  )
}
