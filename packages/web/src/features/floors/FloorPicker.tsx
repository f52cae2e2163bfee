import type { Floor } from '@leitstand/contract/floors'
import { Select } from '@mantine/core'
import { IconStairs } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { floorWords } from './floorWords.ts'

interface FloorPickerProps {
  floors: readonly Floor[]
  chosen: number | null
  onChoose: (twinId: number | null) => void
}

/** Chooses a floor, from top to bottom, or all of them; nothing if there are none. */
export function FloorPicker({ floors, chosen, onChoose }: FloorPickerProps) {
  const { t } = useTranslation()
  if (floors.length === 0) return null
  return (
    <Select
      aria-label={t('floors.picker')}
      placeholder={t('floors.all')}
      clearable
      searchable={floors.length > 10}
      leftSection={<Icon of={IconStairs} size={16} />}
      w={260}
      data={floors.map((floor) => ({ value: String(floor.twinId), label: floorWords(floor) }))}
      value={chosen === null ? null : String(chosen)}
      onChange={(value) => onChoose(value === null ? null : Number(value))}
    />
  )
}
