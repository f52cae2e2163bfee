import { PasswordInput, Select, TextInput } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { CodeBlock } from '../../../../ui/display/CodeBlock.tsx'
import { Section } from '../../../../ui/page/Section.tsx'
import { Copyable } from '../../ConnectionParts.tsx'
import classes from '../../connectors.module.css'
import { textOf } from '../../mqtt.ts'
import { emptyCommon, settingsOf } from '../../settings.ts'
import type { CommonValues, ConnectionProps, ConsoleKind, FormProps } from '../types.ts'

type Values = CommonValues & { url: string; method: 'POST' | 'PUT'; headerName: string; headerValue: string }

/** An outgoing webhook: rules send messages to another system. */
export const webhookOut: ConsoleKind<Values> = {
  icon: IconSend,
  empty: () => ({ ...emptyCommon(), url: '', method: 'POST', headerName: '', headerValue: '' }),
  secrets: ({ headerName }) => ({ headerValue: headerName !== '' }),
  Form,
  Connection,
}

function Form({ form, isNew }: FormProps) {
  const { t } = useTranslation()
  const { headerName } = settingsOf<Values>(form)
  return (
    <Section
      title={t('connectors.section.connection')}
      description={t('connectors.kind.webhook-out.settings')}
    >
      <div className={classes.fields}>
        <TextInput
          className={classes.wide ?? ''}
          label={t('connectors.outgoing.url')}
          description={t('connectors.outgoing.urlHint')}
          placeholder="https://example.org/hooks/leitstand"
          required
          {...form.getInputProps('settings.url')}
        />
        <Select
          label={t('connectors.outgoing.method')}
          data={['POST', 'PUT']}
          allowDeselect={false}
          {...form.getInputProps('settings.method')}
        />
        <TextInput
          label={t('connectors.outgoing.headerName')}
          description={t('connectors.outgoing.headerNameHint')}
          placeholder="authorization"
          {...form.getInputProps('settings.headerName')}
        />
        {headerName === '' ? null : (
          <PasswordInput
            className={classes.wide ?? ''}
            label={t('connectors.outgoing.headerValue')}
            description={t('connectors.outgoing.headerValueHint')}
            required={isNew}
            placeholder={isNew ? '' : t('connectors.downlinks.keyKept')}
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': t('auth.showPassword') }}
            {...form.getInputProps('settings.headerValue')}
          />
        )}
      </div>
    </Section>
  )
}

/** What the other system gets, as in `standardBody` of the server. */
const example = JSON.stringify(
  {
    rule: { id: 12, title: 'Too warm' },
    twin: { id: 7, title: 'Server room' },
    time: '2026-05-04T10:15:00.000Z',
    values: { temperature: 31.5 },
  },
  null,
  2,
)

function Connection({ connector }: ConnectionProps) {
  const { t } = useTranslation()
  return (
    <Section title={t('connectors.outgoing.title')} description={t('connectors.outgoing.text')}>
      <Copyable
        label={t('connectors.outgoing.url')}
        value={`${textOf(connector, 'method')} ${textOf(connector, 'url')}`}
      />
      <CodeBlock code={example} label="JSON" />
    </Section>
  )
}
