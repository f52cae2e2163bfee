import type { LiveValue } from '@leitstand/contract/live'
import type { State } from '@leitstand/contract/states'
import { Button } from '@mantine/core'
import { IconGauge } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { useLive } from '../../../lib/live.ts'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { HistoryDialog } from '../history/HistoryDialog.tsx'
import { useHistoryAddress } from '../history/useHistoryAddress.ts'
import { SetValueDialog } from './SetValueDialog.tsx'
import { StateTile } from './StateTile.tsx'
import classes from './states.module.css'
import { useStates } from './useStates.ts'
import { appendPoints, bridgeGaps, type Curve } from './values.ts'

/** Up to this many tiles without a value are shown next to those with one. */
const silentShown = 3
/** Maximum tiles with a sparkline; further ones only show their value. */
const curvesMax = 50
const curveStepMs = 15 * 60_000
const curveLengthMs = 24 * 3_600_000
/** Two points per quarter of an hour with live values. */
const curvePointsMax = 200

interface StateTilesProps {
  objectId: number
  /** title of the twin or device, for the dialogs */
  title: string
  editable: boolean
  /** without the last 24 hours, for narrow places */
  plain?: boolean
  /** at the bottom of each tile */
  foot?: (state: State) => ReactNode
  /** shown if there are no states */
  emptyAction?: ReactNode
}

/**
 * Current values of a twin or device as tiles, updated live, each with its last 24 hours; a click opens the
 * history.
 */
export function StateTiles({ objectId, title, editable, plain = false, foot, emptyAction }: StateTilesProps) {
  const { t } = useTranslation()
  const query = useStates(objectId)
  const states = query.data?.items as State[] | undefined
  const curves = useCurves(objectId, plain ? undefined : states)
  const history = useHistoryAddress(states)
  const [setting, setSetting] = useState<State | null>(null)
  const [withSilent, setWithSilent] = useState(false)
  if (query.isError && !states)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
  if (!states) return <Loading lines={5} />
  if (states.length === 0) {
    return (
      <EmptyState
        icon={IconGauge}
        title={t('states.empty')}
        text={t('states.emptyText')}
        action={emptyAction}
      />
    )
  }
  const speaking = states.filter(({ value }) => value !== null)
  const silentCount = states.length - speaking.length
  // Drivers declare every variable a model may send; hide those this device has never sent.
  const folded = !withSilent && speaking.length > 0 && silentCount > silentShown
  return (
    <>
      <ul className={classes.tiles} aria-label={t('states.values')}>
        {(folded ? speaking : states).map((state) => (
          <li key={state.id}>
            <StateTile
              state={state}
              curve={curves.get(state.id) ?? []}
              onOpen={() => history.open(state.id)}
              {...(foot ? { foot: foot(state) } : {})}
              {...(editable && state.source === 'none' ? { onSet: () => setSetting(state) } : {})}
            />
          </li>
        ))}
      </ul>
      {folded ? (
        <Button variant="subtle" size="compact-sm" mt="sm" onClick={() => setWithSilent(true)}>
          {t('states.showSilent', { count: silentCount })}
        </Button>
      ) : null}
      {history.shown ? (
        <HistoryDialog
          state={history.shown}
          objectTitle={title}
          editable={editable}
          onClose={history.close}
        />
      ) : null}
      {setting ? (
        <SetValueDialog state={setting} objectId={objectId} onClose={() => setSetting(null)} />
      ) : null}
    </>
  )
}

/** The last 24 hours of the numeric states in quarters of an hour, updated live. */
function useCurves(objectId: number, states: readonly State[] | undefined): ReadonlyMap<number, Curve> {
  const cache = useQueryClient()
  const ids = (states ?? [])
    .filter((state) => state.valueType === 'number')
    .slice(0, curvesMax)
    .map((state) => state.id)
  // Fixed while the tiles are mounted; reloaded the next time they are opened.
  const [startMs] = useState(() => Math.floor(Date.now() / curveStepMs) * curveStepMs - curveLengthMs)
  const options = api.series.searchAggregated.queryOptions({
    input: {
      stateIds: ids,
      startDate: new Date(startMs).toISOString(),
      endDate: new Date(startMs + curveLengthMs + curveStepMs).toISOString(),
      method: 'avg',
      duration: '15m',
    },
    staleTime: 5 * 60_000,
  })
  const query = useQuery({ ...options, enabled: ids.length > 0 })
  useLive(`twin:${objectId}`, (message) => {
    if (message.kind !== 'values') return
    cache.setQueryData(options.queryKey, (before) =>
      before ? { series: before.series.map((series) => withLive(series, message.values)) } : before,
    )
  })
  return new Map((query.data?.series ?? []).map((series) => [series.stateId, bridgeGaps(series.points)]))
}

function withLive<T extends { stateId: number; points: Curve }>(series: T, values: readonly LiveValue[]): T {
  const points = appendPoints(series.points, values, series.stateId, {
    sinceMs: Date.now() - curveLengthMs,
    max: curvePointsMax,
    gapMs: curveStepMs,
  })
  return points === series.points ? series : { ...series, points }
}
