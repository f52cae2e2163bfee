import { Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { KeyValueEditor } from '../../../ui/forms/KeyValueEditor.tsx'
import { ReferenceIdEditor } from '../../../ui/forms/ReferenceIdEditor.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import type { DeviceValues } from '../values.ts'

/** Free key-values, and the reference ids under which data routing reaches the device. */
export function RoutingFields({ form }: { form: UseFormReturnType<DeviceValues> }) {
  const { t } = useTranslation()
  const values = form.getValues()
  return (
    <Section title={t('devices.section.properties')}>
      <Stack gap="lg">
        <KeyValueEditor
          label={t('devices.field.keyValues')}
          value={values.keyValues}
          onChange={(pairs) => form.setFieldValue('keyValues', pairs)}
        />
        <ReferenceIdEditor
          label={t('devices.field.referenceIds')}
          description={t('devices.form.referenceHint')}
          value={values.referenceIds}
          onChange={(rows) => form.setFieldValue('referenceIds', rows)}
          errorAt={(path) => form.errors[`referenceIds.${path}`]}
        />
      </Stack>
    </Section>
  )
}
