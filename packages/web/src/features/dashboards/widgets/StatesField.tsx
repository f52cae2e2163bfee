import { useTranslation } from 'react-i18next'
import { StateMultiPicker } from '../../twins/index.ts'

interface StatesFieldProps {
  value: number[]
  onChange: (stateIds: number[]) => void
  max: number
  /** only states a chart can draw */
  drawable?: boolean
  boardTwinId: number | null
  error: string | null
}

/** The states a widget shows. */
export function StatesField({ drawable, boardTwinId, ...props }: StatesFieldProps) {
  const { t } = useTranslation()
  return (
    <StateMultiPicker
      {...props}
      label={t('dashboards.states')}
      required
      placeholder={t('states.searchState')}
      {...(drawable ? { valueTypes: ['number', 'boolean'] } : {})}
      {...(boardTwinId === null ? {} : { preferObjectId: boardTwinId })}
    />
  )
}

/** States of one chart, as in the contract. */
export const chartStatesMax = 20
