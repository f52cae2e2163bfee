import { UnstyledButton } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { lengthOf } from '../../drivers/index.ts'
import { keyOf, nameOf, type Place } from './places.ts'
import classes from './position.module.css'

/** Decimals of a degree shown: about a metre. */
const digits = 5

interface PlaceTableProps {
  /** oldest first; shown in reverse */
  places: readonly Place[]
  chosen: string | null
  onChoose: (key: string | null) => void
}

/** Positions by time, newest first; a click shows one on the map. */
export function PlaceTable({ places, chosen, onChoose }: PlaceTableProps) {
  const { t } = useTranslation()
  return (
    <ol className={classes.list}>
      {places.toReversed().map((place) => {
        const key = keyOf(place)
        const stayMs = Date.parse(place.until) - Date.parse(place.time)
        return (
          <li key={key}>
            <UnstyledButton
              className={classes.place ?? ''}
              aria-pressed={key === chosen}
              onClick={() => onChoose(key === chosen ? null : key)}
            >
              <span>
                {nameOf(place)}
                {stayMs > 0 ? (
                  <span className={classes.stay}>
                    {t('positions.stayed', { duration: lengthOf(stayMs, t) })}
                  </span>
                ) : null}
              </span>
              <span className={classes.degrees}>
                {formatNumber(place.latitude, digits)}°, {formatNumber(place.longitude, digits)}°
              </span>
            </UnstyledButton>
          </li>
        )
      })}
    </ol>
  )
}
