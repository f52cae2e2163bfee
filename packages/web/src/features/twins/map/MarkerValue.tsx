import { Select } from '@mantine/core'
import { IconTemperature } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { useCan } from '../../../lib/session.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import type { MapPoint } from '../../../ui/map/MapView.tsx'
import { keyChoices, markedIds, withMarkerValues } from './markerValues.ts'

const refreshMs = 10_000
const statesMax = 1_000

/** A field to choose the state whose value is on the markers, and the points with it. */
export function useMarkerValue(
  points: readonly MapPoint[],
  { chosen, onChoose }: { chosen: string | null; onChoose: (key: string | null) => void },
) {
  const { t } = useTranslation()
  const can = useCan()
  const mayRead =
    can('DigitalTwin', 'read') || (can('DigitalTwinStates', 'read') && can('DigitalTwin', 'list'))
  // Read once somebody wants it.
  const [asked, setAsked] = useState(false)
  const ids = useMemo(() => markedIds(points), [points])
  const { data } = useQuery(
    api.stateOverview.fetch.queryOptions({
      input: {
        filter: { attribute: 'dtwinId', operator: 'equals', value: ids },
        limit: statesMax,
      },
      enabled: mayRead && ids.length > 0 && (asked || chosen !== null),
      placeholderData: keepPreviousData,
      refetchInterval: refreshMs,
    }),
  )
  const states = data?.items
  const choices = useMemo(() => keyChoices(states ?? []), [states])
  const known = choices.some(({ value }) => value === chosen) || chosen === null
  return {
    points: useMemo(() => withMarkerValues(points, states ?? [], chosen), [points, states, chosen]),
    field: mayRead ? (
      <Select
        aria-label={t('twins.map.value')}
        placeholder={t('twins.map.value')}
        nothingFoundMessage={t('common.nothingFound')}
        clearable
        searchable
        leftSection={<Icon of={IconTemperature} size={16} />}
        w={260}
        data={known ? choices : [...choices, { value: chosen ?? '', label: chosen ?? '' }]}
        value={chosen}
        onChange={onChoose}
        onDropdownOpen={() => setAsked(true)}
      />
    ) : null,
  }
}
