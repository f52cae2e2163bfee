import { boundsOfCorners, type Corners, cornersOfBounds } from '@leitstand/contract/floors'
import { Collapse, NumberInput, SimpleGrid, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import classes from './floors.module.css'

interface BoundsFieldsProps {
  corners: Corners
  onChange: (corners: Corners) => void
}

const fields = [
  ['northEast', 'latitude'],
  ['northEast', 'longitude'],
  ['southWest', 'latitude'],
  ['southWest', 'longitude'],
] as const

/** North-east and south-west of the plan as numbers; entering one makes it upright. */
export function BoundsFields({ corners, onChange }: BoundsFieldsProps) {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(false)
  const bounds = boundsOfCorners(corners)
  return (
    <div>
      <UnstyledButton
        className={classes.more ?? ''}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        fz="sm"
        fw={550}
      >
        <Icon of={isOpen ? IconChevronDown : IconChevronRight} size={14} /> {t('floors.bounds.title')}
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={12} mt={8}>
          {fields.map(([corner, axis]) => (
            <NumberInput
              key={`${corner} ${axis}`}
              label={t(`floors.bounds.${corner}`, { axis: t(`floors.bounds.${axis}`) })}
              decimalScale={7}
              hideControls
              min={axis === 'latitude' ? -90 : -180}
              max={axis === 'latitude' ? 90 : 180}
              value={bounds[corner][axis]}
              onChange={(value) => {
                if (typeof value !== 'number' || value === bounds[corner][axis]) return
                const next = { ...bounds, [corner]: { ...bounds[corner], [axis]: value } }
                onChange(cornersOfBounds(next.northEast, next.southWest))
              }}
            />
          ))}
        </SimpleGrid>
      </Collapse>
    </div>
  )
}
