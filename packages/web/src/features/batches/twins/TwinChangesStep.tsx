import { Alert, Checkbox, Select, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import classes from '../../../ui/forms/fields.module.css'
import { IconPicker } from '../../../ui/forms/IconPicker.tsx'
import { KeyValueEditor } from '../../../ui/forms/KeyValueEditor.tsx'
import { TagInput } from '../../../ui/forms/TagInput.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { findTwins, nameTwin } from '../../twins/index.ts'
import bulkClasses from '../bulk.module.css'
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

/** The changes; fields left unset stay unchanged. */
export function TwinChangesStep({ values, onChange, sameAccount, missing }: TwinChangesProps) {
  const { t } = useTranslation()
  const wrong = twinOverlaps(values)
  const fault = (field: string) => (wrong.includes(field) ? t('bulk.overlap') : undefined)
  const marks = useQuery(api.digitaltwin.tagsZones.queryOptions({ staleTime: 60_000 }))
  return (
    <Stack gap="lg">
      {missing ? <Alert color="red">{t('bulk.nothing')}</Alert> : null}
      {sameAccount ? (
        <Section title={t('bulk.assignment')}>
          <div className={classes.fields}>
            {twinWords.flatMap((field) => [
              <TagInput
                key={`${field}Add`}
                label={t(`bulk.${field}Add`)}
                value={values.add[field]}
                suggestions={marks.data?.[field] ?? []}
                onChange={(words) => onChange({ add: { ...values.add, [field]: words } })}
              />,
              <TagInput
                key={`${field}Remove`}
                label={t(`bulk.${field}Remove`)}
                value={values.remove[field]}
                suggestions={marks.data?.[field] ?? []}
                onChange={(words) => onChange({ remove: { ...values.remove, [field]: words } })}
                error={fault(field)}
              />,
            ])}
          </div>
        </Section>
      ) : (
        <Alert color="yellow">{t('twinBulk.severalAccounts')}</Alert>
      )}
      <Section title={t('devices.field.keyValues')}>
        <div className={classes.fields}>
          <KeyValueEditor
            label={t('bulk.keyValuesSet')}
            value={values.keyValuesSet}
            onChange={(keyValuesSet) => onChange({ keyValuesSet })}
          />
          <TagInput
            label={t('bulk.keyValuesRemove')}
            value={values.keyValuesRemove}
            onChange={(keyValuesRemove) => onChange({ keyValuesRemove })}
            max={100}
            error={fault('keyValues')}
          />
        </div>
      </Section>
      <Section title={t('bulk.mode.edit')} description={t('twinBulk.singleHint')}>
        <div className={bulkClasses.switches}>
          {twinSingles
            .filter((field) => sameAccount || field !== 'parent')
            .map((field) => (
              <Switched key={field} field={field} values={values} onChange={onChange} />
            ))}
        </div>
      </Section>
    </Stack>
  )
}

interface SingleProps {
  field: TwinSingle
  values: TwinValues
  onChange: (changed: Partial<TwinValues>) => void
}

/** A field that stays unchanged until its switch is on. */
function Switched({ field, values, onChange }: SingleProps) {
  const { t } = useTranslation()
  const on = values.on.includes(field)
  const change = (checked: boolean) =>
    onChange({ on: checked ? [...values.on, field] : values.on.filter((each) => each !== field) })
  return (
    <div className={bulkClasses.switched}>
      <Checkbox
        label={t(twinLabels[field])}
        checked={on}
        onChange={(event) => change(event.currentTarget.checked)}
      />
      {on ? <Single field={field} values={values} onChange={onChange} /> : null}
    </div>
  )
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
