import { type DownlinkWay, downlinkWays } from '@leitstand/contract/downlinks'
import { PasswordInput, Select, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Section } from '../../ui/page/Section.tsx'
import classes from './connectors.module.css'
import type { FormProps } from './kinds/types.ts'
import { type DownlinkValues, settingsOf } from './settings.ts'

const addresses: Record<Exclude<DownlinkWay, 'none'>, string> = {
  'tts-v3': 'https://eu1.cloud.thethings.network/api/v3/as/applications/app1/webhooks/hook1',
  'chirpstack-v4': 'https://chirpstack.example.org:8090',
}

interface SectionProps extends FormProps {
  /** further fields */
  children?: ReactNode
  /** note about the selected method */
  note?: string | undefined
}

/** How a connector sends downlinks to its network server. */
export function DownlinkSection({ form, children, note }: SectionProps) {
  const { t } = useTranslation()
  return (
    <Section title={t('connectors.section.downlinks')} description={t('connectors.downlinks.text')}>
      <div className={classes.fields}>
        <Select
          label={t('connectors.downlinks.way')}
          data={downlinkWays.map((way) => ({
            value: way,
            label: way === 'none' ? t('connectors.downlinks.none') : t(`connectors.preset.${way}.name`),
          }))}
          allowDeselect={false}
          {...form.getInputProps('settings.downlinks')}
        />
        {children}
      </div>
      {note === undefined ? null : (
        <Text size="sm" c="dimmed" mt="sm">
          {note}
        </Text>
      )}
    </Section>
  )
}

/** Address and key of the network server's HTTP interface. */
export function DownlinkKeyFields({ form, isNew }: FormProps) {
  const { t } = useTranslation()
  const { downlinks } = settingsOf<DownlinkValues>(form)
  if (downlinks === 'none') return null
  return (
    <>
      <TextInput
        className={classes.wide ?? ''}
        label={t('connectors.downlinks.url')}
        description={t(`connectors.downlinks.urlHint.${downlinks}`)}
        placeholder={addresses[downlinks]}
        required
        {...form.getInputProps('settings.downlinkUrl')}
      />
      <PasswordInput
        className={classes.wide ?? ''}
        label={t('connectors.downlinks.key')}
        description={t(`connectors.downlinks.keyHint.${downlinks}`)}
        required={isNew}
        placeholder={isNew ? '' : t('connectors.downlinks.keyKept')}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': t('auth.showPassword') }}
        {...form.getInputProps('settings.downlinkKey')}
      />
    </>
  )
}
