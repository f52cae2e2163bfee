import { type DownlinkWay, downlinkWays } from '@leitstand/contract/downlinks'
import { PasswordInput, Select, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { Section } from '../../ui/Section.tsx'
import classes from './connectors.module.css'
import type { ConnectorKind } from './queries.ts'
import type { ConnectorValues } from './values.ts'

const addresses: Record<Exclude<DownlinkWay, 'none'>, string> = {
  'tts-v3': 'https://eu1.cloud.thethings.network/api/v3/as/applications/app1/webhooks/hook1',
  'chirpstack-v4': 'https://chirpstack.example.org:8090',
}

/** How a connector hands downlinks to its network server; the built-in broker has none. */
export function DownlinkFields(props: {
  form: UseFormReturnType<ConnectorValues>
  kind: ConnectorKind
  isNew: boolean
}) {
  const { t } = useTranslation()
  const { form, kind, isNew } = props
  const { downlinks } = form.getValues().settings
  if (kind === 'mqtt-broker') return null
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
        {downlinks !== 'none' && kind === 'webhook-in' ? (
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
        ) : null}
      </div>
      {downlinks !== 'none' && kind === 'mqtt-in' ? (
        <Text size="sm" c="dimmed" mt="sm">
          {t(`connectors.downlinks.mqttHint.${downlinks}`)}
        </Text>
      ) : null}
    </Section>
  )
}
