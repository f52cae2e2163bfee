import { Select } from '@mantine/core'
import { IconTemperature } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { useCan } from '../../../lib/session.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { stateChoices } from './stateChoices.ts'

interface MarkerValueProps {
  /** of the map; 0: of all twins */
  twinId: number
  chosen: string | null
  onChoose: (key: string | null) => void
}

/** A field to choose a state whose value is shown at the places, instead of those of the settings. */
export function MarkerValue({ twinId, chosen, onChoose }: MarkerValueProps) {
  const { t } = useTranslation()
  const can = useCan()
  // Read once somebody wants it.
  const [asked, setAsked] = useState(false)
  const { data } = useQuery(
    api.digitaltwin.mapStates.queryOptions({
      input: twinId > 0 ? { twinId } : {},
      enabled: asked || chosen !== null,
      staleTime: 60_000,
    }),
  )
  if (!can('DigitalTwin', 'read')) return null
  return (
    <Select
      aria-label={t('twins.map.value')}
      placeholder={t('twins.map.value')}
      nothingFoundMessage={t('common.nothingFound')}
      clearable
      searchable
      leftSection={<Icon of={IconTemperature} size={16} />}
      w={260}
      data={stateChoices(data?.items, chosen === null ? [] : [chosen])}
      value={chosen}
      onChange={onChoose}
      onDropdownOpen={() => setAsked(true)}
    />
  )
}
