import { NumberInput, Select, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { IconPicker } from '../../ui/forms/IconPicker.tsx'
import { driverTitle, findDrivers } from '../drivers/index.ts'
import { findTwins, nameTwin } from '../twins/index.ts'
import { ChangesFields } from './ChangesFields.tsx'
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

/** The changes of devices. */
export function ChangesStep({ values, onChange, sameAccount, missing }: ChangesStepProps) {
  const { t } = useTranslation()
  const marks = useQuery(api.virtualdevice.tagsZones.queryOptions(fresh))
  const groups = useQuery(api.virtualdevice.groups.queryOptions({ input: {}, ...fresh }))
  const known: Record<WordField, string[]> = {
    tags: marks.data?.tags ?? [],
    zones: marks.data?.zones ?? [],
    groups: (groups.data?.items ?? []).map(({ name }) => name),
  }
  return (
    <ChangesFields
      values={values}
      onChange={onChange}
      missing={missing}
      words={
        sameAccount ? wordFields.map((field) => [field, known[field]] as const) : t('bulk.severalAccounts')
      }
      wrong={overlaps(values)}
      singlesHint={t('bulk.singleHint')}
      singles={singleFields.filter((field) => sameAccount || !accountFields.includes(field))}
      labelOf={labelOf}
      single={(field) => <Single field={field} values={values} onChange={onChange} />}
    />
  )
}

interface SingleProps {
  field: SingleField
  values: ChangeValues
  onChange: (changed: Partial<ChangeValues>) => void
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
