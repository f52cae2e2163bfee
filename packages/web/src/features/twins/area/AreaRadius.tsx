import { NumberInput, Slider } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from './area.module.css'

/** Metres. */
const radius = { min: 1, max: 50_000 }
/** Logarithmic, so that it suits rooms and districts. */
const slider = { min: 0, max: 100, fromM: 5, toM: 5_000 }

const positionOf = (metres: number) =>
  (slider.max * Math.log(metres / slider.fromM)) / Math.log(slider.toM / slider.fromM)

function metresAt(position: number): number {
  const metres = slider.fromM * (slider.toM / slider.fromM) ** (position / slider.max)
  // A thumb sets no more than two digits.
  return Number(metres.toPrecision(2))
}

interface AreaRadiusProps {
  metres: number
  onChange: (metres: number) => void
}

/** The radius of the circle around the position. */
export function AreaRadius({ metres, onChange }: AreaRadiusProps) {
  const { t } = useTranslation()
  return (
    <div className={classes.radius}>
      <Slider
        min={slider.min}
        max={slider.max}
        value={Math.min(slider.max, Math.max(slider.min, positionOf(metres)))}
        onChange={(position) => onChange(metresAt(position))}
        label={null}
        thumbLabel={t('geoPolygon.radius')}
        thumbProps={{ 'aria-valuetext': `${metres} m` }}
      />
      <NumberInput
        label={t('geoPolygon.radius')}
        suffix=" m"
        allowDecimal={false}
        allowNegative={false}
        clampBehavior="strict"
        {...radius}
        value={metres}
        onChange={(value) => {
          if (typeof value === 'number' && value >= radius.min && value <= radius.max) onChange(value)
        }}
      />
    </div>
  )
}
