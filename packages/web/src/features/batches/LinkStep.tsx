import { Alert, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { findTemplates, templateTitle } from '../devices/index.ts'

interface LinkStepProps {
  /** of the devices */
  accountIds: number[]
  value: string | null
  onChange: (id: string | null) => void
  /** "Next" was pressed without a choice */
  missing: boolean
}

/** The template to link the devices to, and which of them it fits. */
export function LinkStep({ accountIds, value, onChange, missing }: LinkStepProps) {
  const { t } = useTranslation()
  return (
    <Stack gap="md" maw={640}>
      {accountIds.length > 1 ? <Alert color="yellow">{t('bulk.linkSeveralAccounts')}</Alert> : null}
      <EntityPicker
        label={t('devices.field.template')}
        description={t('bulk.linkHint')}
        required
        value={value}
        onChange={onChange}
        load={(search) => findTemplates(search, { accountIds, productive: true })}
        labelOf={templateTitle}
        error={missing ? t('validation.required') : undefined}
      />
      <Text size="sm">{t('bulk.linkRules')}</Text>
      <Alert color="yellow" variant="light" icon={<Icon of={IconAlertTriangle} />}>
        {t('bulk.linkDrops')}
      </Alert>
    </Stack>
  )
}
