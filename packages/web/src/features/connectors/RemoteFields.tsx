import { type RemoteSystem, remoteSystems } from '@leitstand/contract/bridge'
import { PasswordInput, Select, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Section } from '../../ui/page/Section.tsx'
import classes from './connectors.module.css'
import type { FormProps } from './kinds/types.ts'
import { type RemoteValues, settingsOf } from './settings.ts'

type System = Exclude<RemoteSystem, 'none'>

const addresses: Record<System, string> = {
  'tts-v3': 'https://eu1.cloud.thethings.network',
  'chirpstack-v4': 'https://chirpstack.example.org:8090',
}
const applications: Record<System, string> = {
  'tts-v3': 'app1',
  'chirpstack-v4': '52f14cd4-c6f1-4fbd-8f87-4025e1d49242',
}

/** Access to the devices of the network server behind a connector. */
export function RemoteFields({ form, isNew }: FormProps) {
  const { t } = useTranslation()
  const { remote } = settingsOf<RemoteValues>(form)
  return (
    <Section title={t('connectors.section.remote')} description={t('connectors.remote.text')}>
      <div className={classes.fields}>
        <Select
          label={t('connectors.remote.system')}
          data={remoteSystems.map((system) => ({
            value: system,
            label: system === 'none' ? t('connectors.remote.none') : t(`connectors.preset.${system}.name`),
          }))}
          allowDeselect={false}
          {...form.getInputProps('settings.remote')}
        />
        {remote === 'none' ? null : (
          <>
            <TextInput
              label={t('connectors.remote.application')}
              description={t(`connectors.remote.applicationHint.${remote}`)}
              placeholder={applications[remote]}
              required
              {...form.getInputProps('settings.remoteApplication')}
            />
            <TextInput
              className={classes.wide ?? ''}
              label={t('connectors.remote.url')}
              description={t(`connectors.remote.urlHint.${remote}`)}
              placeholder={addresses[remote]}
              required
              {...form.getInputProps('settings.remoteUrl')}
            />
            <PasswordInput
              className={classes.wide ?? ''}
              label={t('connectors.remote.key')}
              description={t(`connectors.remote.keyHint.${remote}`)}
              required={isNew}
              placeholder={isNew ? '' : t('connectors.downlinks.keyKept')}
              autoComplete="new-password"
              visibilityToggleButtonProps={{ 'aria-label': t('auth.showPassword') }}
              {...form.getInputProps('settings.remoteKey')}
            />
          </>
        )}
      </div>
    </Section>
  )
}
