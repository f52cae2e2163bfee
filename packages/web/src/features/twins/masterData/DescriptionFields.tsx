import { Textarea, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from '../../../ui/forms/fields.module.css'
import { IconPicker } from '../../../ui/forms/IconPicker.tsx'
import type { MasterForm } from '../../../ui/forms/masterValues.ts'
import { TagInput } from '../../../ui/forms/TagInput.tsx'
import { Section } from '../../../ui/page/Section.tsx'

interface DescriptionFieldsProps {
  form: MasterForm
  kind: 'twin' | 'device'
  marks: { tags: readonly string[]; zones: readonly string[] } | undefined
  first: ReactNode
  last: ReactNode
}

/** Title, icon, description, tags and zones. */
export function DescriptionFields({ form, kind, marks, first, last }: DescriptionFieldsProps) {
  const { t } = useTranslation()
  const values = form.getValues()
  return (
    <Section title={t('masterData.description')}>
      <div className={classes.fields}>
        <TextInput label={t('masterData.title')} required {...form.getInputProps('title')} />
        {first}
        <IconPicker
          label={t('masterData.icon')}
          value={values.icon}
          onChange={(icon) => form.setFieldValue('icon', icon)}
          {...(kind === 'twin' ? { placeholder: t('twins.iconOfType') } : {})}
        />
        <Textarea
          label={t('masterData.description')}
          autosize
          minRows={2}
          maxRows={8}
          className={classes.wide ?? ''}
          {...form.getInputProps('description')}
        />
        <TagInput
          label={t('masterData.tags')}
          value={values.tags}
          onChange={(tags) => form.setFieldValue('tags', tags)}
          suggestions={marks?.tags ?? []}
          error={form.errors.tags}
        />
        <TagInput
          label={t('masterData.zones')}
          value={values.zones}
          onChange={(zones) => form.setFieldValue('zones', zones)}
          suggestions={marks?.zones ?? []}
          error={form.errors.zones}
        />
        {last}
      </div>
    </Section>
  )
}
