import { NumberInput, PasswordInput, Switch, TagsInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { Section } from '../../ui/Section.tsx'
import classes from './connectors.module.css'
import type { ConnectorKind } from './queries.ts'
import type { ConnectorValues } from './values.ts'

interface FieldsProps {
  form: UseFormReturnType<ConnectorValues>
  /** A stored password is kept while the field stays empty. */
  isNew: boolean
}

/** The connection settings of a kind; webhooks have none. */
export function SettingsFields({ kind, ...props }: FieldsProps & { kind: ConnectorKind }) {
  const { t } = useTranslation()
  if (kind === 'webhook-in') return null
  return (
    <Section title={t('connectors.section.connection')} description={t(`connectors.kind.${kind}.settings`)}>
      <div className={classes.fields}>
        {kind === 'mqtt-broker' ? <BrokerFields {...props} /> : <ClientFields {...props} />}
      </div>
    </Section>
  )
}

function Credentials({ form, isNew, required }: FieldsProps & { required: boolean }) {
  const { t } = useTranslation()
  return (
    <>
      <TextInput
        label={t('connectors.field.username')}
        required={required}
        autoComplete="off"
        {...form.getInputProps('settings.username')}
      />
      <PasswordInput
        label={t('connectors.field.password')}
        required={required && isNew}
        placeholder={isNew ? '' : t('connectors.passwordKept')}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': t('auth.showPassword') }}
        {...form.getInputProps('settings.password')}
      />
    </>
  )
}

function BrokerFields(props: FieldsProps) {
  const { t } = useTranslation()
  return (
    <>
      <Credentials {...props} required />
      <TopicsField {...props} name="publishTopics" required description={t('connectors.publishHint')} />
      <TopicsField {...props} name="subscribeTopics" description={t('connectors.subscribeHint')} />
    </>
  )
}

function ClientFields(props: FieldsProps) {
  const { t } = useTranslation()
  const { form } = props
  const { tls } = form.getValues().settings
  return (
    <>
      <TextInput
        label={t('connectors.field.host')}
        required
        placeholder="broker.example.org"
        {...form.getInputProps('settings.host')}
      />
      <NumberInput
        label={t('connectors.field.port')}
        required
        min={1}
        max={65_535}
        allowDecimal={false}
        {...form.getInputProps('settings.port')}
      />
      <Switch
        label={t('connectors.field.tls')}
        description={t('connectors.tlsHint')}
        {...form.getInputProps('settings.tls', { type: 'checkbox' })}
        onChange={(event) => {
          const on = event.currentTarget.checked
          const port = form.getValues().settings.port
          form.setFieldValue('settings.tls', on)
          // The usual ports follow the choice; any other port was meant.
          if (on && port === 1883) form.setFieldValue('settings.port', 8883)
          if (!on && port === 8883) form.setFieldValue('settings.port', 1883)
        }}
      />
      <Switch
        label={t('connectors.field.allowSelfSigned')}
        disabled={!tls}
        {...form.getInputProps('settings.allowSelfSigned', { type: 'checkbox' })}
      />
      <Credentials {...props} required={false} />
      <TopicsField {...props} name="topics" required description={t('connectors.topicsHint')} />
      <TextInput
        label={t('connectors.field.clientId')}
        description={t('connectors.clientIdHint')}
        className={classes.wide ?? ''}
        {...form.getInputProps('settings.clientId')}
      />
    </>
  )
}

function TopicsField(
  props: FieldsProps & {
    name: 'publishTopics' | 'subscribeTopics' | 'topics'
    description: string
    required?: boolean
  },
) {
  const { t } = useTranslation()
  const { form, name } = props
  const errors = Object.entries(form.errors).filter(([path]) => path.startsWith(`settings.${name}`))
  return (
    <TagsInput
      className={classes.wide ?? ''}
      label={t(`connectors.field.${name}`)}
      description={props.description}
      required={props.required ?? false}
      placeholder={t('connectors.topicPlaceholder')}
      acceptValueOnBlur
      splitChars={[',', ' ']}
      value={form.getValues().settings[name]}
      onChange={(topics) => form.setFieldValue(`settings.${name}`, topics)}
      error={errors[0]?.[1]}
    />
  )
}
