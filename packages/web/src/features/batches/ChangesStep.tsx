import { Alert, Checkbox, NumberInput, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import classes from '../../ui/forms/fields.module.css'
import { IconPicker } from '../../ui/forms/IconPicker.tsx'
import { KeyValueEditor } from '../../ui/forms/KeyValueEditor.tsx'
import { TagInput } from '../../ui/forms/TagInput.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { driverTitle, findDrivers } from '../drivers/index.ts'
import { findTwins, nameTwin } from '../twins/index.ts'
import bulkClasses from './bulk.module.css'
import {
  accountFields,
  type ChangeValues,
  overlaps,
  type SingleField,
  singleFields,
  type WordField,
  wordFields,
} from './changes.ts'

interface ChangesStepProps {
  values: ChangeValues
  onChange: (changed: Partial<ChangeValues>) => void
  /** the devices belong to one account */
  sameAccount: boolean
  /** "Next" was pressed without a change */
  missing: boolean
}

const fresh = { staleTime: 60_000 }

/** The changes; fields left unset stay unchanged. */
export function ChangesStep({ values, onChange, sameAccount, missing }: ChangesStepProps) {
  const { t } = useTranslation()
  const wrong = overlaps(values)
  const fault = (field: string) => (wrong.includes(field) ? t('bulk.overlap') : undefined)
  return (
    <Stack gap="lg">
      {missing ? <Alert color="red">{t('bulk.nothing')}</Alert> : null}
      {sameAccount ? (
        <Section title={t('bulk.assignment')}>
          <Words values={values} onChange={onChange} fault={fault} />
        </Section>
      ) : (
        <Alert color="yellow">{t('bulk.severalAccounts')}</Alert>
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
      <Section title={t('bulk.mode.edit')} description={t('bulk.singleHint')}>
        <div className={bulkClasses.switches}>
          {singleFields
            .filter((field) => sameAccount || !accountFields.includes(field))
            .map((field) => (
              <Switched key={field} field={field} values={values} onChange={onChange}>
                <Single field={field} values={values} onChange={onChange} />
              </Switched>
            ))}
        </div>
      </Section>
    </Stack>
  )
}

function Words(props: {
  values: ChangeValues
  onChange: (changed: Partial<ChangeValues>) => void
  fault: (field: string) => string | undefined
}) {
  const { t } = useTranslation()
  const { values, onChange, fault } = props
  const marks = useQuery(api.virtualdevice.tagsZones.queryOptions(fresh))
  const groups = useQuery(api.virtualdevice.groups.queryOptions({ input: {}, ...fresh }))
  const known: Record<WordField, string[]> = {
    tags: marks.data?.tags ?? [],
    zones: marks.data?.zones ?? [],
    groups: (groups.data?.items ?? []).map(({ name }) => name),
  }
  return (
    <div className={classes.fields}>
      {wordFields.flatMap((field) => [
        <TagInput
          key={`${field}Add`}
          label={t(`bulk.${field}Add`)}
          value={values.add[field]}
          suggestions={known[field]}
          onChange={(words) => onChange({ add: { ...values.add, [field]: words } })}
        />,
        <TagInput
          key={`${field}Remove`}
          label={t(`bulk.${field}Remove`)}
          value={values.remove[field]}
          suggestions={known[field]}
          onChange={(words) => onChange({ remove: { ...values.remove, [field]: words } })}
          error={fault(field)}
        />,
      ])}
    </div>
  )
}

interface SingleProps {
  field: SingleField
  values: ChangeValues
  onChange: (changed: Partial<ChangeValues>) => void
}

/** A field that stays unchanged until its switch is on. */
function Switched({ field, values, onChange, children }: SingleProps & { children: ReactNode }) {
  const { t } = useTranslation()
  const on = values.on.includes(field)
  const change = (checked: boolean) =>
    onChange({ on: checked ? [...values.on, field] : values.on.filter((each) => each !== field) })
  return (
    <div className={bulkClasses.switched}>
      <Checkbox
        label={t(labelOf(field))}
        checked={on}
        onChange={(event) => change(event.currentTarget.checked)}
      />
      {on ? children : null}
    </div>
  )
}

/** Text key of a field's label. */
export function labelOf(field: SingleField): string {
  return field === 'disabled' ? 'devices.filter.state' : `devices.field.${field}`
}

function Single({ field, values, onChange }: SingleProps) {
  const { t } = useTranslation()
  const label = t(labelOf(field))
  switch (field) {
    case 'operationalStatus':
      return (
        <Select
          aria-label={label}
          data={[0, 1, 2, 3, 4, 5].map((code) => ({ value: String(code), label: t(`operational.${code}`) }))}
          value={values.operationalStatus}
          allowDeselect={false}
          onChange={(code) => onChange({ operationalStatus: code ?? '0' })}
        />
      )
    case 'disabled':
      return (
        <Select
          aria-label={label}
          data={[
            { value: 'disabled', label: t('devices.filter.disabled') },
            { value: 'enabled', label: t('devices.filter.enabled') },
          ]}
          value={values.disabled ? 'disabled' : 'enabled'}
          allowDeselect={false}
          onChange={(state) => onChange({ disabled: state === 'disabled' })}
        />
      )
    case 'driver':
      return (
        <EntityPicker
          label={label}
          isLabelHidden
          description={t('bulk.driverHint')}
          placeholder={t('devices.noDriver')}
          value={values.driverId}
          onChange={(driverId) => onChange({ driverId })}
          load={findDrivers}
          labelOf={driverTitle}
        />
      )
    case 'parent':
      return (
        <EntityPicker
          label={label}
          isLabelHidden
          placeholder={t('bulk.summary.none')}
          value={values.parentId}
          onChange={(parentId) => onChange({ parentId })}
          load={findTwins}
          labelOf={nameTwin}
        />
      )
    case 'description':
      return (
        <Textarea
          aria-label={label}
          autosize
          minRows={2}
          maxLength={4000}
          value={values.description}
          onChange={(event) => onChange({ description: event.currentTarget.value })}
        />
      )
    case 'address':
      return (
        <TextInput
          aria-label={label}
          maxLength={500}
          value={values.address}
          onChange={(event) => onChange({ address: event.currentTarget.value })}
        />
      )
    case 'floorNumber':
      return (
        <NumberInput
          aria-label={label}
          allowDecimal={false}
          min={-100}
          max={300}
          value={values.floorNumber ?? ''}
          onChange={(floor) => onChange({ floorNumber: typeof floor === 'number' ? floor : null })}
        />
      )
    case 'icon':
      return <IconPicker label={label} value={values.icon} onChange={(icon) => onChange({ icon })} />
  }
}
