import { Select, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { AccountSelect } from '../../ui/accounts/AccountSelect.tsx'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import classes from '../../ui/forms/fields.module.css'
import { TagInput } from '../../ui/forms/TagInput.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { ConnectorStep } from '../devices/index.ts'
import { driverTitle, findDrivers } from '../drivers/index.ts'
import { findTwins, nameTwin } from '../twins/index.ts'

/** Target of imported devices, and defaults for what the file leaves out. Ids are strings. */
export interface Target {
  accountId: string | null
  connectorId: string | null
  driverId: string | null
  operationalStatus: string
  parentId: string | null
  tags: string[]
}

interface TargetStepProps {
  value: Target
  onChange: (changed: Partial<Target>) => void
  missing: boolean
  onCreateConnector: () => void
}

export function TargetStep({ value, onChange, missing, onCreateConnector }: TargetStepProps) {
  const { t } = useTranslation()
  return (
    <Stack gap="lg">
      <div style={{ maxWidth: 480 }}>
        <AccountSelect
          label={t('devices.wizard.account')}
          placeholder={t('list.any')}
          value={value.accountId}
          onChange={(accountId) => onChange({ accountId, connectorId: null })}
        />
      </div>
      <ConnectorStep
        accountId={value.accountId}
        value={value.connectorId}
        onChange={(connectorId) => onChange({ connectorId })}
        missing={missing}
        onCreate={onCreateConnector}
      />
      <Section title={t('bulk.import.defaults')} description={t('bulk.import.defaultsHint')}>
        <div className={classes.fields}>
          <EntityPicker
            label={t('devices.field.driver')}
            placeholder={t('devices.noDriver')}
            value={value.driverId}
            onChange={(driverId) => onChange({ driverId })}
            load={findDrivers}
            labelOf={driverTitle}
          />
          <Select
            label={t('devices.field.operationalStatus')}
            data={[0, 1, 2, 3, 4, 5].map((code) => ({
              value: String(code),
              label: t(`operational.${code}`),
            }))}
            value={value.operationalStatus}
            allowDeselect={false}
            onChange={(code) => onChange({ operationalStatus: code ?? '0' })}
          />
          <EntityPicker
            label={t('devices.field.parent')}
            placeholder={t('bulk.summary.none')}
            value={value.parentId}
            onChange={(parentId) => onChange({ parentId })}
            load={findTwins}
            labelOf={nameTwin}
          />
          <TagInput
            label={t('devices.field.tags')}
            value={value.tags}
            onChange={(tags) => onChange({ tags })}
          />
        </div>
      </Section>
    </Stack>
  )
}
