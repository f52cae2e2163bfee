import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { Checkbox } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { StatesField } from '../StatesField.tsx'
import type { FieldsProps } from '../types.ts'

/** As in the contract. */
const tilesMax = 24

export default function TileFields(props: FieldsProps<WidgetOf<'value'>>) {
  const { definition, onChange, boardTwinId, faultAt } = props
  const { valueOptions: options } = definition
  const { t } = useTranslation()
  return (
    <>
      <StatesField
        value={options.stateIds}
        onChange={(stateIds) => onChange({ ...definition, valueOptions: { ...options, stateIds } })}
        max={tilesMax}
        boardTwinId={boardTwinId}
        error={faultAt('stateIds')}
      />
      <Checkbox
        label={t('dashboards.sparkline')}
        checked={options.sparkline}
        onChange={(event) =>
          onChange({ ...definition, valueOptions: { ...options, sparkline: event.currentTarget.checked } })
        }
      />
    </>
  )
}
