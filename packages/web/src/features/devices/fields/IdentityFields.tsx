import type { Preset } from '@leitstand/contract/bridge'
import { Select } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import classes from '../../../ui/forms/fields.module.css'
import { Section } from '../../../ui/page/Section.tsx'
import { driverTitle, findDrivers, VersionSelect } from '../../drivers/index.ts'
import type { DeviceValues } from '../values.ts'
import { ExternalIdInput } from './ExternalIdInput.tsx'

interface IdentityFieldsProps {
  form: UseFormReturnType<DeviceValues>
  preset: Preset
  /** title of the template that sets the driver; null: users who may change the device choose it */
  linked: string | null
}

/** External id, driver with its version, operational status. */
export function IdentityFields({ form, preset, linked }: IdentityFieldsProps) {
  const { t } = useTranslation()
  const values = form.getValues()
  return (
    <Section title={t('devices.section.identity')}>
      <div className={classes.fields}>
        <ExternalIdInput
          value={values.externalId}
          onChange={(text) => form.setFieldValue('externalId', text)}
          onBlur={() => form.validateField('externalId')}
          error={form.errors.externalId}
          preset={preset}
        />
        <OperationalSelect
          value={values.operationalStatus}
          onChange={(code) => form.setFieldValue('operationalStatus', code)}
        />
        <EntityPicker
          label={t('devices.field.driver')}
          description={
            linked === null ? t('devices.form.driverHint') : t('templates.fixedBy', { title: linked })
          }
          disabled={linked !== null}
          value={values.driverId}
          onChange={(id) => {
            form.setFieldValue('driverId', id)
            form.setFieldValue('driverVersion', null)
          }}
          load={findDrivers}
          labelOf={driverTitle}
          error={form.errors.driverId}
        />
        <VersionSelect
          driverId={values.driverId}
          value={values.driverVersion}
          onChange={(version) => form.setFieldValue('driverVersion', version)}
          disabled={linked !== null}
        />
      </div>
    </Section>
  )
}

export function OperationalSelect(props: { value: string; onChange: (code: string) => void }) {
  const { t } = useTranslation()
  return (
    <Select
      label={t('devices.field.operationalStatus')}
      data={['0', '1', '2', '3', '4', '5'].map((code) => ({ value: code, label: t(`operational.${code}`) }))}
      value={props.value}
      onChange={(code) => props.onChange(code ?? '0')}
      allowDeselect={false}
    />
  )
}
