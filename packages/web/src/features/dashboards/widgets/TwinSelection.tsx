import { useTranslation } from 'react-i18next'
import { EntityMultiPicker, EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import { findTwins, nameTwin } from '../../twins/index.ts'

/** As in the contract. */
const twinsMax = 200

interface Selection {
  parentTwinId?: number | undefined
  twinIds: number[]
}

/** Twins of a table or map: those below one, or an explicit list. */
export function TwinSelection(props: {
  value: Selection
  onChange: (value: Selection) => void
  hasBoardTwin: boolean
}) {
  const { value, onChange, hasBoardTwin } = props
  const { t } = useTranslation()
  return (
    <>
      <EntityPicker
        label={t('dashboards.below')}
        description={t(hasBoardTwin ? 'dashboards.belowBoard' : 'dashboards.belowHint')}
        placeholder={t(hasBoardTwin ? 'dashboards.boardTwin' : 'dashboards.allTwins')}
        value={value.parentTwinId === undefined ? null : String(value.parentTwinId)}
        onChange={(id) => onChange({ ...value, parentTwinId: id === null ? undefined : Number(id) })}
        load={findTwins}
        labelOf={nameTwin}
      />
      <EntityMultiPicker
        label={t('dashboards.named')}
        value={value.twinIds.map(String)}
        onChange={(ids) => onChange({ ...value, twinIds: ids.slice(0, twinsMax).map(Number) })}
        load={findTwins}
        labelOf={nameTwin}
      />
    </>
  )
}
