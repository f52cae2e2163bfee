import type { Preset } from '@leitstand/contract/bridge'
import { Select } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { EntityPicker } from '../../../ui/EntityPicker.tsx'
import { Section } from '../../../ui/Section.tsx'
import classes from '../devices.module.css'
import { driverTitle, findDrivers } from '../queries.ts'
import type { DeviceValues } from '../values.ts'
import { ExternalIdInput } from './ExternalIdInput.tsx'

/** External id, driver with its version, operational status. */
export function IdentityFields({ form, preset }: { form: UseFormReturnType<DeviceValues>; preset: Preset }) {
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
          description={t('devices.form.driverHint')}
          value={values.driverId}
          onChange={(id) => {
            form.setFieldValue('driverId', id)
            form.setFieldValue('driverVersion', null)
          }}
          load={findDrivers}
          labelOf={driverTitle}
          error={form.errors.driverId}
        />
        <VersionSelect form={form} />
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

/** Follows the published version, or stays at one. */
function VersionSelect({ form }: { form: UseFormReturnType<DeviceValues> }) {
  const { t } = useTranslation()
  const { driverId, driverVersion } = form.getValues()
  const driver = useQuery({
    ...api.devicedrivers.get.queryOptions({ input: { id: Number(driverId ?? 0) } }),
    enabled: driverId !== null,
  })
  const versions = driver.data?.versions ?? []
  return (
    <Select
      label={t('devices.field.driverVersion')}
      description={t('devices.form.versionHint')}
      disabled={driverId === null}
      value={driverVersion ?? ''}
      onChange={(chosen) => form.setFieldValue('driverVersion', chosen || null)}
      allowDeselect={false}
      data={[
        {
          value: '',
          label: t('devices.form.followsPublished', { number: driver.data?.publishedVersion ?? '–' }),
        },
        ...versions.map(({ number, note }) => ({
          value: String(number),
          label: note ? `v${number} – ${note}` : `v${number}`,
        })),
      ]}
    />
  )
}
