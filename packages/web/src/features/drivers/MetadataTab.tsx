import { ActionIcon, NumberInput, Select, TagsInput, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconExternalLink } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useCan } from '../../lib/session.ts'
import { webLink } from '../../lib/webLink.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { Section } from '../../ui/page/Section.tsx'
import classes from './drivers.module.css'
import { type DriverValues, shortSpecs } from './values.ts'

const technologies = ['LoRaWAN', 'NB-IoT', 'LTE-M', 'MQTT', 'HTTP', 'wM-Bus', 'LwM2M', 'Sigfox']

interface MetadataTabProps {
  form: UseFormReturnType<DriverValues>
  readOnly: boolean
}

/** Metadata of the driver: manufacturer, model, technical specification, installation notes. */
export function MetadataTab({ form, readOnly }: MetadataTabProps) {
  const { t } = useTranslation()
  // Users who may not make a driver public may leave a public one unchanged.
  const mayOpen = useCan()('super.system', 'manage')
  const { specs } = form.getValues()
  const documentation = webLink(specs.documentationUrl)
  return (
    <fieldset disabled={readOnly} className={classes.bare}>
      <Section title={t('drivers.section.general')}>
        <div className={classes.fields}>
          <TextInput
            label={t('drivers.field.title')}
            required
            className={classes.wide ?? ''}
            {...form.getInputProps('title')}
          />
          <TextInput label={t('drivers.field.manufacturer')} {...form.getInputProps('manufacturer')} />
          <TextInput label={t('drivers.field.model')} {...form.getInputProps('model')} />
          <TextInput
            label={t('drivers.spec.deviceName')}
            placeholder={t('drivers.specExample.deviceName')}
            {...form.getInputProps('specs.deviceName')}
          />
          <TextInput
            label={t('drivers.spec.revision')}
            placeholder={t('drivers.specExample.revision')}
            {...form.getInputProps('specs.revision')}
          />
          <Select
            label={t('drivers.field.visibility')}
            description={t(mayOpen ? 'drivers.visibilityHint' : 'drivers.visibilityHintBelow')}
            data={[
              { value: 'account', label: t('drivers.visibility.account') },
              { value: 'everyone', label: t('drivers.visibility.everyone'), disabled: !mayOpen },
            ]}
            allowDeselect={false}
            disabled={readOnly}
            {...form.getInputProps('visibility')}
          />
          <Textarea
            label={t('drivers.field.description')}
            autosize
            minRows={2}
            className={classes.wide ?? ''}
            {...form.getInputProps('description')}
          />
        </div>
      </Section>
      <Section title={t('drivers.section.specs')}>
        <div className={classes.fields}>
          <Select
            label={t('drivers.spec.technology')}
            data={
              technologies.includes(specs.technology) || !specs.technology
                ? technologies
                : [specs.technology, ...technologies]
            }
            value={specs.technology || null}
            onChange={(technology) => form.setFieldValue('specs.technology', technology ?? '')}
            clearable
            searchable
            disabled={readOnly}
          />
          {shortSpecs.map((key) => (
            <TextInput
              key={key}
              label={t(`drivers.spec.${key}`)}
              placeholder={t(`drivers.specExample.${key}`)}
              {...form.getInputProps(`specs.${key}`)}
            />
          ))}
          <NumberInput
            label={t('drivers.spec.packetsPerDay')}
            placeholder={t('drivers.specExample.packetsPerDay')}
            min={0}
            {...form.getInputProps('specs.packetsPerDay')}
          />
          <TextInput
            label={t('drivers.spec.documentationUrl')}
            placeholder="https://"
            type="url"
            rightSection={
              documentation ? (
                <ActionIcon component="a" {...documentation} aria-label={t('drivers.spec.openDocumentation')}>
                  <Icon of={IconExternalLink} size={16} />
                </ActionIcon>
              ) : undefined
            }
            {...form.getInputProps('specs.documentationUrl')}
          />
          <TagsInput
            label={t('drivers.spec.highlights')}
            description={t('drivers.spec.highlightsHint')}
            className={classes.wide ?? ''}
            maxTags={20}
            acceptValueOnBlur
            splitChars={[';']}
            disabled={readOnly}
            value={specs.highlights}
            onChange={(highlights) => form.setFieldValue('specs.highlights', highlights)}
          />
          <Textarea
            label={t('drivers.spec.installationNotes')}
            autosize
            minRows={3}
            className={classes.wide ?? ''}
            {...form.getInputProps('specs.installationNotes')}
          />
        </div>
      </Section>
    </fieldset>
  )
}
