import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import { IconPicker } from '../../../ui/forms/IconPicker.tsx'
import { findTwins, nameTwin } from '../../twins/index.ts'
import { ChangesFields } from '../ChangesFields.tsx'
import {
  type TwinSingle,
  type TwinValues,
  twinLabels,
  twinOverlaps,
  twinSingles,
  twinWords,
} from './twinChanges.ts'

interface TwinChangesProps {
  values: TwinValues
  onChange: (changed: Partial<TwinValues>) => void
  /** the twins belong to one account */
  sameAccount: boolean
  /** "Next" was pressed without a change */
  missing: boolean
}

/** The changes of twins. */
export function TwinChangesStep({ values, onChange, sameAccount, missing }: TwinChangesProps) {
  const { t } = useTranslation()
  const marks = useQuery(api.digitaltwin.tagsZones.queryOptions({ staleTime: 60_000 }))
  return (
    <ChangesFields
      values={values}
      onChange={onChange}
      missing={missing}
      words={
        sameAccount
          ? twinWords.map((field) => [field, marks.data?.[field] ?? []] as const)
          : t('twinBulk.severalAccounts')
      }
      wrong={twinOverlaps(values)}
      singlesHint={t('twinBulk.singleHint')}
      singles={twinSingles.filter((field) => sameAccount || field !== 'parent')}
      labelOf={(field) => twinLabels[field]}
      single={(field) => <Single field={field} values={values} onChange={onChange} />}
    />
  )
}

interface SingleProps {
  field: TwinSingle
  values: TwinValues
  onChange: (changed: Partial<TwinValues>) => void
}

function Single({ field, values, onChange }: SingleProps) {
  const { t } = useTranslation()
  const label = t(twinLabels[field])
  switch (field) {
    case 'parent':
      return (
        <EntityPicker
          label={label}
          isLabelHidden
          description={t('twinBulk.parentHint')}
          placeholder={t('twins.noParent')}
          value={values.parentId}
          onChange={(parentId) => onChange({ parentId })}
          load={findTwins}
          labelOf={nameTwin}
        />
      )
    case 'icon':
      return <IconPicker label={label} value={values.icon} onChange={(icon) => onChange({ icon })} />
    case 'disabled':
      return (
        <Select
          aria-label={label}
          description={t('twinBulk.disabledHint')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          data={[
            { value: 'disabled', label: t('twins.isDisabled') },
            { value: 'enabled', label: t('twins.isEnabled') },
          ]}
          value={values.disabled ? 'disabled' : 'enabled'}
          allowDeselect={false}
          onChange={(state) => onChange({ disabled: state === 'disabled' })}
        />
      )
  }
}
