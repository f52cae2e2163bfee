import { Button, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { IconPicker } from '../../ui/forms/IconPicker.tsx'
import { RemoveButton } from '../../ui/forms/RemoveButton.tsx'
import { TagInput } from '../../ui/forms/TagInput.tsx'
import { Section } from '../../ui/page/Section.tsx'
import classes from './templates.module.css'
import type { SectionProps } from './templateTabs.tsx'

/** Maximum number of properties, as in the contract. */
const propertiesMax = 50

/** Title and description, defaults of new devices, and properties each must have. */
export function MetaTab({ form, readOnly }: SectionProps) {
  const { t } = useTranslation()
  const fresh = { staleTime: 60_000 }
  const marks = useQuery(api.virtualdevice.tagsZones.queryOptions(fresh))
  const groups = useQuery(api.virtualdevice.groups.queryOptions({ input: {}, ...fresh }))
  const values = form.getValues()
  return (
    <fieldset disabled={readOnly} className={classes.bare}>
      <Section title={t('devices.section.description')}>
        <div className={classes.fields}>
          <TextInput
            label={t('templates.field.title')}
            required
            className={classes.wide ?? ''}
            {...form.getInputProps('title')}
          />
          <Textarea
            label={t('templates.field.description')}
            autosize
            minRows={2}
            className={classes.wide ?? ''}
            {...form.getInputProps('description')}
          />
        </div>
      </Section>
      <Section title={t('templates.prefill')} description={t('templates.prefillText')}>
        <div className={classes.fields}>
          <TagInput
            label={t('devices.field.tags')}
            value={values.tags}
            onChange={(tags) => form.setFieldValue('tags', tags)}
            suggestions={marks.data?.tags ?? []}
            error={form.errors.tags}
            disabled={readOnly}
          />
          <TagInput
            label={t('devices.field.groups')}
            value={values.groups}
            onChange={(names) => form.setFieldValue('groups', names)}
            suggestions={[...new Set((groups.data?.items ?? []).map(({ name }) => name))]}
            error={form.errors.groups}
            disabled={readOnly}
          />
          <IconPicker
            label={t('devices.field.icon')}
            value={values.icon}
            onChange={(icon) => form.setFieldValue('icon', icon)}
          />
        </div>
      </Section>
      <Properties form={form} readOnly={readOnly} />
    </fieldset>
  )
}

/** Custom properties that every device of the template must have a value for. */
function Properties({ form, readOnly }: Pick<SectionProps, 'form' | 'readOnly'>) {
  const { t } = useTranslation()
  const { properties } = form.getValues()
  return (
    <Section title={t('templates.properties')} description={t('templates.propertiesText')}>
      <Stack gap={6}>
        {properties.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('templates.noProperties')}
          </Text>
        ) : null}
        {properties.map((property, index) => (
          <div key={form.key(`properties.${index}`)} className={classes.property}>
            <TextInput
              aria-label={`${t('templates.propertyKey')} ${index + 1}`}
              placeholder={t('templates.propertyKey')}
              maxLength={100}
              {...form.getInputProps(`properties.${index}.key`)}
            />
            <TextInput
              aria-label={`${t('templates.propertyDefault')} ${index + 1}`}
              placeholder={t('templates.propertyDefault')}
              maxLength={1000}
              {...form.getInputProps(`properties.${index}.defaultValue`)}
            />
            {readOnly ? null : (
              <RemoveButton
                icon={IconX}
                mt={2}
                label={t('keyValues.remove', { key: property.key || index + 1 })}
                onClick={() => form.removeListItem('properties', index)}
              />
            )}
          </div>
        ))}
        {readOnly || properties.length >= propertiesMax ? null : (
          <Button
            variant="subtle"
            size="compact-sm"
            style={{ alignSelf: 'flex-start' }}
            leftSection={<Icon of={IconPlus} size={14} />}
            onClick={() => form.insertListItem('properties', { key: '', defaultValue: '' })}
          >
            {t('templates.addProperty')}
          </Button>
        )}
      </Stack>
    </Section>
  )
}
