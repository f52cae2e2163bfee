import { Stack } from '@mantine/core'
import { IconBroadcast } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Fact } from '../../../../ui/display/Fact.tsx'
import { Section } from '../../../../ui/page/Section.tsx'
import { Copyable, Topics, TryCommand } from '../../ConnectionParts.tsx'
import classes from '../../connectors.module.css'
import { LimitFields } from '../../LimitFields.tsx'
import { Credentials, PasswordNote, TopicsField } from '../../MqttFields.tsx'
import { type MqttTarget, publishCommand, textOf, textsOf } from '../../mqtt.ts'
import { PresetFields } from '../../PresetFields.tsx'
import { RemoteFields } from '../../RemoteFields.tsx'
import { exampleSample } from '../../samples.ts'
import { emptyCommon, emptyRemote, type RemoteValues, remoteSecrets } from '../../settings.ts'
import type { CommonValues, ConnectionProps, ConsoleKind, FormProps, Reached } from '../types.ts'

type Values = CommonValues &
  RemoteValues & {
    username: string
    password: string
    publishTopics: string[]
    subscribeTopics: string[]
  }

const tool = 'mosquitto_pub'

/** Credentials for the built-in broker. */
export const mqttBroker: ConsoleKind<Values> = {
  icon: IconBroadcast,
  empty: () => ({
    ...emptyCommon(),
    ...emptyRemote(),
    username: '',
    password: '',
    publishTopics: ['{username}/#'],
    subscribeTopics: [],
  }),
  secrets: (settings) => ({ ...remoteSecrets(settings), password: true }),
  Form,
  Connection,
  sending: {
    tool,
    command: (connector, sample) => publishCommand(targetOf(connector), connector.preset, sample),
    CommandNote: PasswordNote,
  },
}

/** The built-in broker has the server's address. */
function targetOf(connector: Reached): MqttTarget {
  const endpoint = URL.parse(connector.endpoints[0] ?? '')
  return {
    host: endpoint?.hostname ?? '',
    port: Number(endpoint?.port || 1883),
    username: textOf(connector, 'username'),
    topics: textsOf(connector, 'publishTopics'),
  }
}

function Form(props: FormProps) {
  const { t } = useTranslation()
  return (
    <>
      <Section
        title={t('connectors.section.connection')}
        description={t('connectors.kind.mqtt-broker.settings')}
      >
        <div className={classes.fields}>
          <Credentials {...props} required />
          <TopicsField {...props} name="publishTopics" required description={t('connectors.publishHint')} />
          <TopicsField {...props} name="subscribeTopics" description={t('connectors.subscribeHint')} />
        </div>
      </Section>
      <PresetFields {...props} />
      <RemoteFields {...props} />
      <LimitFields {...props} />
    </>
  )
}

function Connection({ connector }: ConnectionProps) {
  const { t } = useTranslation()
  const target = targetOf(connector)
  const readable = textsOf(connector, 'subscribeTopics')
  return (
    <Stack gap="md">
      <Section title={t('connectors.connection.broker')} description={t('connectors.connection.brokerText')}>
        <div className={classes.fields}>
          {connector.endpoints.map((endpoint) => (
            <Copyable
              key={endpoint}
              label={t(
                endpoint.startsWith('mqtts:')
                  ? 'connectors.connection.secure'
                  : 'connectors.connection.address',
              )}
              value={endpoint}
            />
          ))}
          <Copyable label={t('connectors.field.username')} value={target.username} />
          <Fact label={t('connectors.field.password')}>{t('connectors.connection.passwordHidden')}</Fact>
          <Topics label={t('connectors.field.publishTopics')} topics={target.topics} name={target.username} />
          {readable.length > 0 ? (
            <Topics label={t('connectors.field.subscribeTopics')} topics={readable} name={target.username} />
          ) : null}
        </div>
      </Section>
      <TryCommand
        command={publishCommand(target, connector.preset, exampleSample(connector.preset))}
        tool={tool}
      />
    </Stack>
  )
}
