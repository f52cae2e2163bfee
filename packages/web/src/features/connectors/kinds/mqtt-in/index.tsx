import { NumberInput, Stack, Switch, TextInput } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Fact } from '../../../../ui/display/Fact.tsx'
import { Section } from '../../../../ui/page/Section.tsx'
import { Copyable, Topics, TryCommand } from '../../ConnectionParts.tsx'
import classes from '../../connectors.module.css'
import { DownlinkSection } from '../../DownlinkFields.tsx'
import { LimitFields } from '../../LimitFields.tsx'
import { Credentials, PasswordNote, TopicsField } from '../../MqttFields.tsx'
import { type MqttTarget, publishCommand, textOf, textsOf } from '../../mqtt.ts'
import { PresetFields } from '../../PresetFields.tsx'
import { RemoteFields } from '../../RemoteFields.tsx'
import { exampleSample } from '../../samples.ts'
import {
  type DownlinkValues,
  emptyCommon,
  emptyRemote,
  type RemoteValues,
  remoteSecrets,
  settingsOf,
} from '../../settings.ts'
import type { CommonValues, ConnectionProps, ConsoleKind, FormProps, Reached } from '../types.ts'

type Values = CommonValues &
  RemoteValues &
  DownlinkValues & {
    host: string
    port: number | string
    tls: boolean
    allowSelfSigned: boolean
    username: string
    password: string
    clientId: string
    topics: string[]
  }

const tool = 'mosquitto_pub'
const ports = { plain: 1883, tls: 8883 } as const

/** A client of an external broker. */
export const mqttIn: ConsoleKind<Values> = {
  icon: IconPlugConnected,
  empty: () => ({
    ...emptyCommon(),
    ...emptyRemote(),
    downlinks: 'none',
    host: '',
    port: ports.plain,
    tls: false,
    allowSelfSigned: false,
    username: '',
    password: '',
    clientId: '',
    topics: [],
  }),
  secrets: (settings) => ({ ...remoteSecrets(settings), password: false }),
  Form,
  Connection,
  sending: {
    tool,
    command: (connector, sample) => publishCommand(targetOf(connector), connector.preset, sample),
    CommandNote: PasswordNote,
  },
}

function targetOf(connector: Reached): MqttTarget {
  const { port } = connector.settings
  return {
    host: textOf(connector, 'host'),
    port: typeof port === 'number' ? port : ports.plain,
    username: textOf(connector, 'username'),
    topics: textsOf(connector, 'topics'),
  }
}

function Form(props: FormProps) {
  const { t } = useTranslation()
  const { downlinks } = settingsOf<Values>(props.form)
  return (
    <>
      <Section title={t('connectors.section.connection')} description={t('connectors.kind.mqtt-in.settings')}>
        <div className={classes.fields}>
          <BrokerFields {...props} />
          <Credentials {...props} />
          <TopicsField {...props} name="topics" required description={t('connectors.topicsHint')} />
          <TextInput
            label={t('connectors.field.clientId')}
            description={t('connectors.clientIdHint')}
            className={classes.wide ?? ''}
            {...props.form.getInputProps('settings.clientId')}
          />
        </div>
      </Section>
      <PresetFields {...props} />
      <DownlinkSection
        {...props}
        note={downlinks === 'none' ? undefined : t(`connectors.downlinks.mqttHint.${downlinks}`)}
      />
      <RemoteFields {...props} />
      <LimitFields {...props} />
    </>
  )
}

/** Address of the broker. */
function BrokerFields({ form }: FormProps) {
  const { t } = useTranslation()
  const { tls, port } = settingsOf<Values>(form)
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
          form.setFieldValue('settings.tls', on)
          // Switch between the default ports; keep any other port.
          if (on && port === ports.plain) form.setFieldValue('settings.port', ports.tls)
          if (!on && port === ports.tls) form.setFieldValue('settings.port', ports.plain)
        }}
      />
      <Switch
        label={t('connectors.field.allowSelfSigned')}
        disabled={!tls}
        {...form.getInputProps('settings.allowSelfSigned', { type: 'checkbox' })}
      />
    </>
  )
}

function Connection({ connector }: ConnectionProps) {
  const { t } = useTranslation()
  const target = targetOf(connector)
  const protocol = connector.settings.tls === true ? 'mqtts' : 'mqtt'
  return (
    <Stack gap="md">
      <Section title={t('connectors.connection.client')} description={t('connectors.connection.clientText')}>
        <div className={classes.fields}>
          <Copyable
            label={t('connectors.connection.address')}
            value={`${protocol}://${target.host}:${target.port}`}
          />
          {target.username ? (
            <Copyable label={t('connectors.field.username')} value={target.username} />
          ) : (
            <Fact label={t('connectors.field.username')}>{t('connectors.connection.anonymous')}</Fact>
          )}
          <Topics label={t('connectors.field.topics')} topics={target.topics} name={target.username} />
        </div>
      </Section>
      <TryCommand
        command={publishCommand(target, connector.preset, exampleSample(connector.preset))}
        tool={tool}
      />
    </Stack>
  )
}
