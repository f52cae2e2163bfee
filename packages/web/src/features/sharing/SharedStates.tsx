import type { LiveValue } from '@leitstand/contract/live'
import type { SharedState } from '@leitstand/contract/sharing'
import { Modal, Text } from '@mantine/core'
import { IconGauge, IconHistoryOff } from '@tabler/icons-react'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useLive } from '../../lib/live.ts'
import { intervalFor, type Range, rangeEnds } from '../../lib/range.ts'
import { Chart } from '../../ui/chart/Chart.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { TimeRange } from '../../ui/page/TimeRange.tsx'
import { appendPoints, bridgeGaps, StateTile, withLiveValues } from '../twins/index.ts'
import type { OpenLink } from './PublicFrame.tsx'
import classes from './sharing.module.css'

const curveLengthMs = 24 * 3_600_000
const curveStepMs = 15 * 60_000
const curvePointsMax = 200
const curvesMax = 50

interface SharedStatesProps {
  link: OpenLink
  twinId: number
  title: string
  /** without the last 24 hours */
  plain?: boolean
}

/** The states of a shared twin as tiles, live; a click opens the history. */
export function SharedStates({ link, twinId, title, plain = false }: SharedStatesProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const options = api.shared.states.queryOptions({ input: { key: link.key, id: twinId } })
  const query = useQuery(options)
  const states = query.data?.items as SharedState[] | undefined
  const curves = useCurves(link.key, plain ? [] : (states ?? []))
  const [opened, setOpened] = useState<number>()
  useLive(`twin:${twinId}`, (message) => {
    if (message.kind === 'resync') void query.refetch()
    if (message.kind !== 'values') return
    cache.setQueryData(options.queryKey, (before) => {
      if (!before) return before
      const items = withLiveValues(before.items as SharedState[], message.values)
      return items === before.items ? before : { ...before, items: [...items] }
    })
    curves.add(message.values)
  })
  if (query.isError && !states)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
  if (!states) return <Loading lines={5} />
  if (states.length === 0) return <EmptyState icon={IconGauge} title={t('sharing.noStates')} compact />
  const shown = states.find(({ id }) => id === opened)
  return (
    <>
      <ul className={classes.grid} aria-label={t('states.values')}>
        {states.map((state) => (
          <li key={state.id}>
            <StateTile state={state} curve={curves.of(state.id)} onOpen={() => setOpened(state.id)} />
          </li>
        ))}
      </ul>
      {shown ? (
        <SharedHistory link={link} state={shown} title={title} onClose={() => setOpened(undefined)} />
      ) : null}
    </>
  )
}

/** The last 24 hours of numeric states, with live values. */
function useCurves(key: string, states: readonly SharedState[]) {
  const cache = useQueryClient()
  const [startMs] = useState(() => Math.floor(Date.now() / curveStepMs) * curveStepMs - curveLengthMs)
  const stateIds = states
    .filter(({ valueType }) => valueType === 'number')
    .slice(0, curvesMax)
    .map(({ id }) => id)
  const options = api.shared.series.queryOptions({
    input: {
      key,
      stateIds,
      startDate: new Date(startMs).toISOString(),
      endDate: new Date(startMs + curveLengthMs + curveStepMs).toISOString(),
      duration: '15m',
    },
    staleTime: 5 * 60_000,
  })
  const query = useQuery({ ...options, enabled: stateIds.length > 0 })
  const byState = new Map((query.data?.series ?? []).map((series) => [series.stateId, series.points]))
  return {
    of: (stateId: number) => bridgeGaps(byState.get(stateId) ?? []),
    add: (values: readonly LiveValue[]) =>
      cache.setQueryData(options.queryKey, (before) =>
        before
          ? {
              ...before,
              series: before.series.map((series) => ({
                ...series,
                points: appendPoints(series.points, values, series.stateId, {
                  sinceMs: Date.now() - curveLengthMs,
                  max: curvePointsMax,
                  gapMs: curveStepMs,
                }) as typeof series.points,
              })),
            }
          : before,
      ),
  }
}

interface SharedHistoryProps {
  link: OpenLink
  state: SharedState
  title: string
  onClose: () => void
}

function SharedHistory({ link, state, title, onClose }: SharedHistoryProps) {
  const { t } = useTranslation()
  const [range, setRange] = useState<Range>({ preset: '24h' })
  const [openedAtMs] = useState(() => Date.now())
  const { fromMs, toMs } = rangeEnds(range, openedAtMs)
  const duration = state.valueType === 'number' ? intervalFor(toMs - fromMs) : null
  const query = useQuery({
    ...api.shared.series.queryOptions({
      input: {
        key: link.key,
        stateIds: [state.id],
        startDate: new Date(fromMs).toISOString(),
        endDate: new Date(toMs).toISOString(),
        ...(duration ? { duration } : {}),
      },
    }),
    placeholderData: keepPreviousData,
  })
  const series = query.data?.series[0]
  const isDrawn = state.valueType === 'number' || state.valueType === 'boolean'
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      closeButtonProps={{ 'aria-label': t('common.close') }}
      title={
        <>
          {state.title}
          <Text span size="sm" c="dimmed" fw={400} ml={8}>
            {title}
          </Text>
        </>
      }
    >
      <div className={classes.head}>
        <span />
        <TimeRange value={range} onChange={setRange} />
      </div>
      {!isDrawn ? (
        <EmptyState title={t('history.noChart')} compact />
      ) : series ? (
        series.points.some(([, value]) => value !== null) ? (
          <Chart
            kind="line"
            title={state.title}
            series={[
              {
                key: String(state.id),
                name: state.title,
                unit: state.unit,
                points: series.points as [number, number | string | boolean | null][],
                decimals: state.decimals,
                timeZone: series.timeZone,
                object: title,
              },
            ]}
            range={{ fromMs, toMs }}
            decimals={state.decimals}
            height="340px"
            onZoom={setRange}
          />
        ) : (
          <EmptyState icon={IconHistoryOff} title={t('history.empty')} compact />
        )
      ) : query.error ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
      ) : (
        <Loading lines={8} />
      )}
    </Modal>
  )
}
