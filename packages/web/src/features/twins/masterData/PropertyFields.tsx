import { Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { KeyValueEditor } from '../../../ui/forms/KeyValueEditor.tsx'
import type { MasterForm } from '../../../ui/forms/masterValues.ts'
import { ReferenceIdEditor } from '../../../ui/forms/ReferenceIdEditor.tsx'
import { Section } from '../../../ui/page/Section.tsx'

/** Free key-values, and the reference ids under which data routing reaches the twin or device. */
export function PropertyFields({ form, kind }: { form: MasterForm; kind: 'twin' | 'device' }) {
  const { t } = useTranslation()
  const values = form.getValues()
  return (
    <Section title={t('masterData.properties')}>
      <Stack gap="lg">
        <KeyValueEditor
          label={t('masterData.keyValues')}
          value={values.keyValues}
          onChange={(pairs) => form.setFieldValue('keyValues', pairs)}
        />
        <ReferenceIdEditor
          label={t('masterData.referenceIds')}
          description={t(`masterData.referenceHint.${kind}`)}
          value={values.referenceIds}
          onChange={(rows) => form.setFieldValue('referenceIds', rows)}
          errorAt={(path) => form.errors[`referenceIds.${path}`]}
        />
      </Stack>
    </Section>
  )
}
