import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { NumberInput, TagsInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { TwinSelection } from '../TwinSelection.tsx'
import type { FieldsProps } from '../types.ts'
import { withoutUndefined } from '../withoutUndefined.ts'

/** Columns and tags, as in the contract. */
const columnsMax = 20

export default function TableFields({
  definition,
  onChange,
  boardTwinId,
}: FieldsProps<WidgetOf<'twin-table'>>) {
  const { t } = useTranslation()
  const options = definition.twinTableOptions
  const set = (change: Partial<typeof options>) =>
    onChange({ ...definition, twinTableOptions: withoutUndefined({ ...options, ...change }) })
  return (
    <>
      <TwinSelection
        value={options}
        onChange={(selection) => set(selection as Partial<typeof options>)}
        hasBoardTwin={boardTwinId !== null}
      />
      <TagsInput
        label={t('dashboards.withTags')}
        value={options.tags}
        maxTags={columnsMax}
        onChange={(tags) => set({ tags })}
      />
      <TagsInput
        label={t('dashboards.stateKeys')}
        description={t('dashboards.stateKeysHint')}
        value={options.stateKeys}
        maxTags={columnsMax}
        onChange={(stateKeys) => set({ stateKeys })}
      />
      <NumberInput
        label={t('dashboards.rows')}
        w={160}
        min={1}
        max={100}
        allowDecimal={false}
        value={options.limit}
        onChange={(limit) => set({ limit: Math.min(100, Math.max(1, Number(limit) || 20)) })}
      />
    </>
  )
}
