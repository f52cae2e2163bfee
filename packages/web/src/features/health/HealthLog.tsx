import type { HealthConfig, HealthPeriod } from '@leitstand/contract/health'
import { Text, Title } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import { lengthOf } from '../drivers/index.ts'
import classes from './health.module.css'
import { nameOf } from './periodName.ts'

/** A device's past and present health problems, with start and end. */
export function HealthLog({ deviceId, config }: { deviceId: number; config: HealthConfig }) {
  const { t } = useTranslation()
  return (
    <section>
      <ListTable<HealthPeriod>
        name="health-log"
        heading={
          <>
            <Title order={2}>{t('deviceHealth.log')}</Title>
            <Text size="sm" c="dimmed">
              {t('deviceHealth.logText')}
            </Text>
          </>
        }
        withSearch={false}
        columns={[
          {
            key: 'entry',
            title: t('deviceHealth.what'),
            render: (period) => <What period={period} config={config} />,
            csv: (period) => nameOf(period, t),
          },
          {
            key: 'type',
            title: t('deviceHealth.type'),
            hideBelow: 'xs',
            width: 130,
            render: ({ type }) => <StatusBadge tone={type} label={t(`health.${type}`)} />,
            csv: ({ type }) => t(`health.${type}`),
          },
          {
            key: 'category',
            title: t('deviceHealth.category'),
            hideBelow: 'sm',
            render: ({ category }) => (category ? t(`deviceHealth.categories.${category}`) : '–'),
            csv: ({ category }) => (category ? t(`deviceHealth.categories.${category}`) : ''),
          },
          {
            key: 'since',
            title: t('deviceHealth.since'),
            hideBelow: 'xs',
            render: ({ since }) => formatTime(since),
            csv: ({ since }) => since,
          },
          {
            key: 'until',
            title: t('deviceHealth.until'),
            hideBelow: 'xs',
            render: (period) => <Until period={period} />,
            csv: ({ until }) => until,
          },
          {
            key: 'end',
            title: t('deviceHealth.end'),
            hideBelow: 'md',
            render: ({ end }) => (end ? t(`deviceHealth.ends.${end}`) : '–'),
            csv: ({ end }) => (end ? t(`deviceHealth.ends.${end}`) : ''),
          },
        ]}
        query={({ offset, limit }) => api.health.log.queryOptions({ input: { id: deviceId, offset, limit } })}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={IconHistory}
            title={t('deviceHealth.logNone')}
            text={t('deviceHealth.logNoneText')}
            compact
          />
        }
      />
    </section>
  )
}

function What({ period, config }: { period: HealthPeriod; config: HealthConfig }) {
  const { t } = useTranslation()
  const isGone =
    period.entry !== null && !config.entries.some(({ identifier }) => identifier === period.entry)
  return (
    <div className={classes.what}>
      <span className={classes.wrap}>{nameOf(period, t)}</span>
      {period.entry !== null && period.description !== '' ? (
        <Text span size="xs" c="dimmed">
          {period.entry}
          {isGone ? ` · ${t('deviceHealth.gone')}` : ''}
        </Text>
      ) : null}
      <span className={classes.small}>
        <StatusBadge tone={period.type} label={t(`health.${period.type}`)} />
      </span>
      <Text span size="xs" c="dimmed" className={classes.small ?? ''}>
        {formatTime(period.since)} –{' '}
        {period.until === null ? t('deviceHealth.still') : formatTime(period.until)}
      </Text>
    </div>
  )
}

function Until({ period: { since, until } }: { period: HealthPeriod }) {
  const { t } = useTranslation()
  return (
    <div className={classes.what}>
      <span>{until === null ? t('deviceHealth.still') : formatTime(until)}</span>
      <Text span size="xs" c="dimmed">
        {until === null ? <RelativeTime time={since} /> : lengthOf(Date.parse(until) - Date.parse(since), t)}
      </Text>
    </div>
  )
}
