import { type MqttBrokerSettings, MqttBrokerSettings as schema } from '@leitstand/contract/bridge'
import type { BrokerEvent } from '../../../../platform/mqtt/broker.ts'
import { forUser } from '../../../../platform/mqtt/topics.ts'
import { hashPassword } from '../../../access/index.ts'
import type { NewLog } from '../../journal.ts'
import { foreignMessage } from '../../presets/index.ts'
import { findByUsername } from '../../store/connectors.ts'
import type { Check, Kind } from '../types.ts'
import type { BrokerAccount } from './host.ts'

const passwordLengthMin = 8

/**
 * The built-in MQTT broker: a connector is an account there. Its devices share the user name and are told apart by what
 * they send: the identifier in the packet, or the last level of the topic.
 */
export const mqttBroker: Kind<MqttBrokerSettings> = {
  kind: 'mqtt-broker',
  direction: 'in',
  capabilities: ['data-source', 'ingestion'],
  presets: ['standard', 'tts-v3', 'chirpstack-v4', 'template'],
  schema,
  secrets: ['password'],
  sealed: [],
  audience: () => '',
  hasKey: false,
  seal: async (settings, stored) => ({
    ...settings,
    password:
      stored !== null && settings.password === stored.password
        ? stored.password
        : await hashPassword(settings.password),
  }),
  check: async (settings, { ctx }, { connectorId, stored }) => [
    checkPassword(settings, stored),
    await checkUsername(await findByUsername(ctx.db, settings.username), connectorId),
    checkTopics(settings),
  ],
  start: async (connector, { brokerHost, receiver, journal }) => {
    const { username, password, publishTopics, subscribeTopics } = connector.settings
    const account: BrokerAccount = {
      connectorId: connector.id,
      accountId: connector.accountId,
      username,
      passwordHash: password,
      publishTopics: forUser(publishTopics, username),
      subscribeTopics: forUser(subscribeTopics, username),
      receive: ({ topic, payload, qos }, sender) =>
        receiver.receiveInOrder(
          connector,
          foreignMessage(payload.toString('utf8'), { topic }),
          sender.lane,
          () => sender.isGone && qos > 0,
        ),
      event: (event) => {
        const entry = describe(event)
        if (event.kind === 'too-large')
          void receiver.refuseUnread(connector, 'PACKET_TOO_LARGE', entry.message)
        else journal.log(connector.id, entry)
      },
      refused: (reason) => {
        journal.log(connector.id, { level: 'warning', event: 'login-refused', message: reason })
      },
    }
    await brokerHost.admit(account)
    connector.setState('listening', '')
    return async () => brokerHost.dismiss(account)
  },
  endpoints: ({ brokerHost }) => brokerHost.endpoints,
}

function checkPassword(settings: MqttBrokerSettings, stored: MqttBrokerSettings | null): Check {
  const kept = stored !== null && settings.password === stored.password
  const ok = kept || settings.password.length >= passwordLengthMin
  const message = ok ? '' : `The password needs at least ${passwordLengthMin} characters`
  return { name: 'password', ok, message }
}

async function checkUsername(owner: number | undefined, connectorId: number | null): Promise<Check> {
  const ok = owner === undefined || owner === connectorId
  return { name: 'username', ok, message: ok ? '' : 'Another connector uses this user name' }
}

/** `$` topics belong to the broker itself. */
function checkTopics({ publishTopics, subscribeTopics }: MqttBrokerSettings): Check {
  const closed = [...publishTopics, ...subscribeTopics].filter((filter) => filter.startsWith('$'))
  const ok = closed.length === 0
  return {
    name: 'topics',
    ok,
    message: ok ? '' : `Not possible on the built-in broker: ${closed.join(', ')}`,
  }
}

const sentences: Readonly<Record<BrokerEvent['kind'], [NewLog['level'], string]>> = {
  connected: ['info', 'connected from'],
  disconnected: ['info', 'disconnected'],
  'publish-refused': ['warning', 'may not publish to'],
  'subscribe-refused': ['warning', 'may not subscribe to'],
  'too-large': ['warning', 'was cut off:'],
  'store-failed': ['error', 'has to send again:'],
}

function describe({ kind, clientId, detail }: BrokerEvent): NewLog {
  const [level, verb] = sentences[kind]
  return { level, event: kind, message: `${clientId} ${verb} ${detail}`.trim() }
}
