import { Alert, List, Stack, Text } from '@mantine/core'
import { IconInfoCircle, IconKey } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useFreshKey } from '../../lib/fresh-keys.ts'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Fact } from '../../ui/Fact.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Section } from '../../ui/Section.tsx'
import { type Sending, sendCommand, sendingOf } from '../devices/index.ts'
import classes from './connectors.module.css'
import { KeySection } from './KeySection.tsx'
import type { Connector } from './queries.ts'

const sampleDevice = {
  identifier: 'A81758FFFE000001',
  payload: { text: '{"temperature":21.5,"humidity":48}', encoding: 'json' as const, fPort: null },
}
const sampleBytes = { text: '0100e2029f', encoding: 'hex' as const, fPort: 5 }

/** How devices and network servers reach this connector: addresses, sign-in and a command to try. */
export function ConnectionTab({ connector }: { connector: Connector }) {
  const { t } = useTranslation()
  const key = useFreshKey(connector.id)
  const base = sendingOf(connector, key ?? t('connectors.connection.keyPlaceholder'))
  const bytes = base.preset === 'tts-v3' || base.preset === 'chirpstack-v4'
  const sending: Sending = {
    ...base,
    identifier: sampleDevice.identifier,
    payload: bytes ? sampleBytes : sampleDevice.payload,
  }
  return (
    <Stack gap="md">
      {connector.kind === 'webhook-in' ? (
        <>
          <Webhook connector={connector} sending={sending} freshKey={key} />
          <KeySection connector={connector} />
        </>
      ) : null}
      {connector.kind === 'mqtt-broker' ? <Broker connector={connector} sending={sending} /> : null}
      {connector.kind === 'mqtt-in' ? <Client connector={connector} sending={sending} /> : null}
      <Section title={t('connectors.connection.try')} description={t('connectors.connection.tryText')}>
        <Stack gap="sm">
          <CodeBlock
            code={sendCommand(sending)}
            label={connector.kind === 'webhook-in' ? 'curl' : 'mosquitto_pub'}
          />
          {connector.kind === 'webhook-in' ? (
            <Alert variant="light" color="gray" icon={<Icon of={IconInfoCircle} />}>
              {t('connectors.connection.acknowledged')}
            </Alert>
          ) : null}
        </Stack>
      </Section>
    </Stack>
  )
}

/** A value with its copy button. */
function Copyable({ label, value }: { label: string; value: string }) {
  return (
    <Fact label={label}>
      <span className={classes.kind} style={{ whiteSpace: 'normal' }}>
        <span className={classes.mono}>{value}</span>
        <CopyButton value={value} label={label} />
      </span>
    </Fact>
  )
}

interface KindProps {
  connector: Connector
  sending: Sending
}

function Webhook({ connector, sending, freshKey }: KindProps & { freshKey: string | null }) {
  const { t } = useTranslation()
  const { hookUrl } = sending
  return (
    <Section title={t('connectors.connection.webhook')} description={t('connectors.connection.webhookText')}>
      <Stack gap="md">
        {freshKey === null ? null : (
          <Alert color="yellow" variant="light" icon={<Icon of={IconKey} />}>
            {t('connectors.connection.keyOnce')}
          </Alert>
        )}
        <Copyable label={t('connectors.connection.url')} value={hookUrl} />
        {freshKey === null ? (
          <Text size="sm" c="dimmed">
            {t('connectors.connection.keyHidden')}
          </Text>
        ) : (
          <>
            <Text size="sm" c="dimmed">
              {t('connectors.connection.headerText', { url: connector.endpoints[0] ?? '' })}
            </Text>
            <Copyable label="x-api-key" value={freshKey} />
          </>
        )}
        {sending.preset === 'tts-v3' || sending.preset === 'chirpstack-v4' ? (
          <List size="sm" type="ordered" spacing={4}>
            {t(`connectors.connection.steps.${sending.preset}`)
              .split('\n')
              .map((step) => (
                <List.Item key={step}>{step}</List.Item>
              ))}
          </List>
        ) : null}
      </Stack>
    </Section>
  )
}

function Broker({ connector, sending }: KindProps) {
  const { t } = useTranslation()
  const { subscribeTopics } = connector.settings
  const readable = Array.isArray(subscribeTopics) ? subscribeTopics.map(String) : []
  return (
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
        <Copyable label={t('connectors.field.username')} value={sending.username} />
        <Fact label={t('connectors.field.password')}>{t('connectors.connection.passwordHidden')}</Fact>
        <Topics label={t('connectors.field.publishTopics')} topics={sending.topics} name={sending.username} />
        {readable.length > 0 ? (
          <Topics label={t('connectors.field.subscribeTopics')} topics={readable} name={sending.username} />
        ) : null}
      </div>
    </Section>
  )
}

function Client({ connector, sending }: KindProps) {
  const { t } = useTranslation()
  const tls = connector.settings.tls === true
  return (
    <Section title={t('connectors.connection.client')} description={t('connectors.connection.clientText')}>
      <div className={classes.fields}>
        <Copyable
          label={t('connectors.connection.address')}
          value={`${tls ? 'mqtts' : 'mqtt'}://${sending.host}:${sending.port}`}
        />
        {sending.username ? (
          <Copyable label={t('connectors.field.username')} value={sending.username} />
        ) : (
          <Fact label={t('connectors.field.username')}>{t('connectors.connection.anonymous')}</Fact>
        )}
        <Topics label={t('connectors.field.topics')} topics={sending.topics} name={sending.username} />
      </div>
    </Section>
  )
}

function Topics({ label, topics, name }: { label: string; topics: readonly string[]; name: string }) {
  return (
    <Fact label={label}>
      {topics.map((topic) => (
        <div key={topic} className={classes.mono}>
          {topic.replaceAll('{username}', name)}
        </div>
      ))}
    </Fact>
  )
}
