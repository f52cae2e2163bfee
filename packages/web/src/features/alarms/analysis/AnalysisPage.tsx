import type { AlarmAnalysis } from '@leitstand/contract/alarms'
import { Button, SegmentedControl, Skeleton, Text, Title } from '@mantine/core'
import { IconCircleCheck, IconList } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { formatNumber } from '../../../lib/format.ts'
import { one, useUrlSearch } from '../../../lib/url.ts'
import { Chart } from '../../../ui/chart/Chart.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { FilterBar } from '../../../ui/list/FilterBar.tsx'
import { isFiltered, listParams } from '../../../ui/list/params.ts'
import { useListState } from '../../../ui/list/state.ts'
import type { ListFilter } from '../../../ui/list/types.ts'
import { Section } from '../../../ui/page/Section.tsx'
import { findGroups, nameGroup } from '../../groups/index.ts'
import { alarmFilterValues } from '../alarmFilter.ts'
import { durationText } from '../duration.ts'
import classes from './analysis.module.css'
import { OriginsTable } from './OriginsTable.tsx'
import { analysisFilter, changePercent, periods, pointsOf } from './values.ts'

const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** How often, how long and of what, `/alarm-logs/analysis`: the alarms of the last days in figures. */
export default function AnalysisPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const filters = useFilters()
  const list = useListState(filters)
  const [search, update] = useUrlSearch()
  const { filters: chosen, accountIds } = listParams(list.state, undefined)
  const input = analysisFilter({ ...chosen, days: [one(search, 'days') ?? ''] }, accountIds)
  const { data, error, isPlaceholderData, refetch } = useQuery(
    api.alarmLogs.analysis.queryOptions({
      input: { ...input, timeZone },
      placeholderData: keepPreviousData,
    }),
  )
  const { account, severity, category } = search
  return (
    <>
      <header className={classes.header}>
        <div>
          <Title order={1}>{t('alarms.analysis.heading')}</Title>
          <Text c="dimmed" size="sm" maw={720}>
            {t('alarms.analysis.text')}
          </Text>
        </div>
        <Button
          variant="default"
          leftSection={<Icon of={IconList} />}
          onClick={() => void navigate({ to: '/alarm-logs', search: { account, severity, category } })}
        >
          {t('alarms.analysis.log')}
        </Button>
      </header>
      <div className={classes.sections}>
        <FilterBar
          list={list}
          filters={filters}
          searchPlaceholder=""
          withSearch={false}
          withAccounts
          withFavorites={false}
        >
          <SegmentedControl
            aria-label={t('alarms.analysis.period')}
            value={String(input.days)}
            data={periods.map((days) => ({
              value: days,
              label: t('alarms.analysis.days', { count: Number(days) }),
            }))}
            onChange={(days) => update({ days })}
          />
        </FilterBar>
        {data === undefined && error !== null ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : null}
        {data === undefined && error === null ? (
          <Loading>
            <Skeleton height={96} mb={16} />
            <Skeleton height={320} />
          </Loading>
        ) : null}
        {data === undefined ? null : (
          <div className={classes.sections} aria-busy={isPlaceholderData}>
            {data.alarms === 0 ? (
              <EmptyState
                icon={IconCircleCheck}
                kind={isFiltered(list.state) ? 'filtered' : 'empty'}
                title={t('alarms.analysis.none')}
                text={t(isFiltered(list.state) ? 'alarms.analysis.noneFiltered' : 'alarms.analysis.noneText')}
              />
            ) : (
              <Figures analysis={data} logFilter={{ account, severity, category }} />
            )}
          </div>
        )}
      </div>
    </>
  )
}

function useFilters(): ListFilter[] {
  const { t } = useTranslation()
  return [
    {
      key: 'severity',
      label: t('alarms.severity'),
      multiple: false,
      options: (['error', 'warning'] as const).map((severity) => ({
        value: severity,
        label: t(`alarms.severities.${severity}`),
      })),
    },
    {
      key: 'category',
      label: t('alarms.category'),
      multiple: true,
      options: alarmFilterValues.category.map((category) => ({
        value: category,
        label: t(`alarms.categories.${category}`),
      })),
    },
    {
      key: 'group',
      label: t('alarms.analysis.group'),
      multiple: false,
      load: findGroups,
      labelOf: nameGroup,
    },
  ]
}

interface FiguresProps {
  analysis: AlarmAnalysis
  /** what the tables carry over to the alarm log */
  logFilter: Record<string, unknown>
}

function Figures({ analysis, logFilter }: FiguresProps) {
  const { t } = useTranslation()
  const { alarms, occurrences, open, seconds, previous, origins, longest } = analysis
  const mean = (sums: { alarms: number; seconds: number }) =>
    sums.alarms === 0 ? 0 : sums.seconds / sums.alarms
  const series = useMemo(
    () =>
      (['errors', 'warnings'] as const).map((key) => ({
        key,
        name: t(`alarms.analysis.${key}`),
        tone: key === 'errors' ? ('error' as const) : ('warning' as const),
        decimals: 0,
        points: pointsOf(analysis, key),
      })),
    [analysis, t],
  )
  const title = t('alarms.analysis.byDay')
  return (
    <>
      <dl className={classes.tiles} aria-label={t('alarms.analysis.sums')}>
        <Tile label={t('alarms.analysis.alarms')} value={formatNumber(alarms, 0)}>
          <Change now={alarms} before={previous.alarms} />
        </Tile>
        <Tile label={t('alarms.analysis.open')} value={formatNumber(open, 0)} />
        <Tile label={t('alarms.analysis.occurrences')} value={formatNumber(occurrences, 0)}>
          <Change now={occurrences} before={previous.occurrences} />
        </Tile>
        <Tile label={t('alarms.analysis.mean')} value={durationText(mean(analysis) * 1000)}>
          <Change now={mean(analysis)} before={mean(previous)} />
        </Tile>
        <Tile label={t('alarms.analysis.together')} value={durationText(seconds * 1000)}>
          <Change now={seconds} before={previous.seconds} />
        </Tile>
      </dl>
      <Section title={title}>
        <Chart kind="bar" stacked title={title} series={series} min={0} decimals={0} height="260px" />
      </Section>
      <div className={classes.tables}>
        <OriginsTable title={t('alarms.analysis.most')} origins={origins} logFilter={logFilter} />
        <OriginsTable title={t('alarms.analysis.longest')} origins={longest} logFilter={logFilter} />
      </div>
    </>
  )
}

interface TileProps {
  label: string
  value: string
  children?: ReactNode
}

function Tile({ label, value, children }: TileProps) {
  return (
    <div className={classes.tile}>
      <dt>{label}</dt>
      <dd className={classes.value}>{value}</dd>
      {children}
    </div>
  )
}

/** Compared with as long a time before. */
function Change({ now, before }: { now: number; before: number }) {
  const { t } = useTranslation()
  const percent = changePercent(now, before)
  return (
    <dd className={classes.change}>
      {percent === null
        ? t('alarms.analysis.noneBefore')
        : percent === 0
          ? t('alarms.analysis.same')
          : t(percent > 0 ? 'alarms.analysis.more' : 'alarms.analysis.less', { percent: Math.abs(percent) })}
    </dd>
  )
}
