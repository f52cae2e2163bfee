import { Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import type { DeviceValues } from '../devices/index.ts'
import type { Template } from '../templates/index.ts'

interface PropertiesStepProps {
  form: UseFormReturnType<DeviceValues>
  properties: Template['draft']['properties']
  /** "Next" was pressed while something was missing */
  isAsked: boolean
}

/** Properties the template requires of every device. */
export function PropertiesStep({ form, properties, isAsked }: PropertiesStepProps) {
  const { t } = useTranslation()
  const { keyValues } = form.getValues()
  return (
    <Stack gap="md" maw={640}>
      <Text size="sm" c="dimmed">
        {t('devices.wizard.propertiesHint')}
      </Text>
      {properties.map(({ key }) => {
        const value = keyValues[key] ?? ''
        return (
          <TextInput
            key={key}
            label={key}
            required
            maxLength={1000}
            value={value}
            onChange={(event) =>
              form.setFieldValue('keyValues', { ...keyValues, [key]: event.currentTarget.value })
            }
            error={isAsked && value.trim() === '' ? t('validation.required') : undefined}
          />
        )
      })}
    </Stack>
  )
}
