import { Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import classes from '../../../ui/forms/fields.module.css'
import { IconPicker } from '../../../ui/forms/IconPicker.tsx'
import { TagInput } from '../../../ui/forms/TagInput.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import type { DeviceValues } from '../values.ts'

/** Title, description, icon, tags, zones and groups. */
export function DescriptionFields({ form }: { form: UseFormReturnType<DeviceValues> }) {
  const { t } = useTranslation()
  const marks = useQuery(api.virtualdevice.tagsZones.queryOptions({ staleTime: 60_000 }))
  const groups = useQuery(api.virtualdevice.groups.queryOptions({ input: {}, staleTime: 60_000 }))
  const values = form.getValues()
  return (
    <Section title={t('devices.section.description')}>
      <div className={classes.fields}>
        <TextInput label={t('devices.field.title')} required {...form.getInputProps('title')} />
        <IconPicker
          label={t('devices.field.icon')}
          value={values.icon}
          onChange={(icon) => form.setFieldValue('icon', icon)}
        />
        <Textarea
          label={t('devices.field.description')}
          autosize
          minRows={2}
          className={classes.wide ?? ''}
          {...form.getInputProps('description')}
        />
        <TagInput
          label={t('devices.field.tags')}
          value={values.tags}
          onChange={(tags) => form.setFieldValue('tags', tags)}
          suggestions={marks.data?.tags ?? []}
          error={form.errors.tags}
        />
        <TagInput
          label={t('devices.field.zones')}
          value={values.zones}
          onChange={(zones) => form.setFieldValue('zones', zones)}
          suggestions={marks.data?.zones ?? []}
          error={form.errors.zones}
        />
        <TagInput
          label={t('devices.field.groups')}
          description={t('devices.form.groupsHint')}
          value={values.groups}
          onChange={(names) => form.setFieldValue('groups', names)}
          suggestions={[...new Set((groups.data?.items ?? []).map(({ name }) => name))]}
          error={form.errors.groups}
        />
      </div>
    </Section>
  )
}
