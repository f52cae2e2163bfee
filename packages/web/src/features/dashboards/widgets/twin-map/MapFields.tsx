import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { TwinSelection } from '../TwinSelection.tsx'
import type { FieldsProps } from '../types.ts'
import { withoutUndefined } from '../withoutUndefined.ts'

export default function MapFields({ definition, onChange, boardTwinId }: FieldsProps<WidgetOf<'twin-map'>>) {
  const { t } = useTranslation()
  const options = definition.twinMapOptions
  const set = (change: Partial<typeof options>) =>
    onChange({ ...definition, twinMapOptions: withoutUndefined({ ...options, ...change }) })
  return (
    <>
      <TwinSelection
        value={options}
        onChange={(selection) => set(selection as Partial<typeof options>)}
        hasBoardTwin={boardTwinId !== null}
      />
      <TextInput
        label={t('dashboards.mapKey')}
        description={t('dashboards.mapKeyHint')}
        value={options.stateKey ?? ''}
        maxLength={100}
        onChange={(event) =>
          set({ stateKey: event.currentTarget.value.trim() || undefined } as Partial<typeof options>)
        }
      />
    </>
  )
}
