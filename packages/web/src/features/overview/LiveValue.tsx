import type { LiveValue } from '@leitstand/contract/live'
import type { OverviewState } from '@leitstand/contract/overview'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useLive } from '../../lib/live.ts'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { StateValue } from '../twins/index.ts'
import { withLive } from './live.ts'

/** A row with its live value; cells of the same twin share one subscription. */
function useLiveState(row: OverviewState): OverviewState {
  const cache = useQueryClient()
  const [live, setLive] = useState<LiveValue>()
  useLive(`twin:${row.twinId}`, (message) => {
    // All rows resynchronise at once: one request serves them.
    if (message.kind === 'resync')
      void cache.invalidateQueries({ queryKey: api.stateOverview.key() }, { cancelRefetch: false })
    if (message.kind !== 'values') return
    const own = message.values.filter(({ stateId }) => stateId === row.id)
    const newest = own.reduce<LiveValue | undefined>(
      (best, each) => (best && best.timeMs > each.timeMs ? best : each),
      undefined,
    )
    if (newest) setLive((before) => (before && before.timeMs > newest.timeMs ? before : newest))
  })
  return withLive(row, live)
}

/** The current value of a row. */
export function ValueCell({ row }: { row: OverviewState }) {
  return <StateValue state={useLiveState(row)} />
}

/** The time of the current value of a row. */
export function TimeCell({ row }: { row: OverviewState }) {
  const { t } = useTranslation()
  return <RelativeTime time={useLiveState(row).time} dimmed empty={t('states.noValue')} />
}
