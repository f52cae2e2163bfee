import { useTranslation } from 'react-i18next'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { driverTitle, findDrivers, VersionSelect } from '../drivers/index.ts'
import { ConnectorPicker } from './ConnectorPicker.tsx'
import classes from './templates.module.css'
import type { SectionProps } from './templateTabs.tsx'

/** Driver and connector of the devices. */
export function DriverTab({ form, template, readOnly }: SectionProps) {
  const { t } = useTranslation()
  const values = form.getValues()
  const isBound = template.deviceCount > 0 && template.connectorId !== null
  return (
    <Section title={t('templates.tab.driver')} description={t('templates.driverText')}>
      <div className={classes.fields}>
        <EntityPicker
          label={t('devices.field.driver')}
          required
          disabled={readOnly}
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
          disabled={readOnly}
          error={form.errors.driverVersion}
        />
        <ConnectorPicker
          accountId={template.accountId}
          value={values.connectorId}
          onChange={(id) => form.setFieldValue('connectorId', id)}
          disabled={readOnly || isBound}
          description={isBound ? t('errors.DEVICE_TEMPLATE_CONNECTOR_IN_USE') : undefined}
          error={form.errors.connectorId}
        />
      </div>
    </Section>
  )
}
