import type { ConnectorSettings } from '@leitstand/contract/connectors/kinds/index'
import {
  brokerPasswordLengthMin,
  MqttBrokerSettings as schema,
} from '@leitstand/contract/connectors/kinds/mqtt-broker'
import type { BrokerEvent } from '../../../../platform/mqtt/broker.ts'
import { forUser } from '../../../../platform/mqtt/topics.ts'
import { hashPassword } from '../../../people/index.ts'
import type { NewLog } from '../../journal.ts'
import { remoteAccess } from '../../remote/access.ts'
import { sampleTopic } from '../parts.ts'
import type { Active, Check, Kind, KindTools } from '../types.ts'
import { type BrokerAccount, BrokerHost } from './host.ts'
import { publishToClients } from './publish.ts'
import { findByUsername } from './store.ts'

type Settings = ConnectorSettings['mqtt-broker']

const usernameTaken = {
  message: 'Another connector uses this user name',
  reason: 'usernameTaken',
} as const

/**
 * The built-in MQTT broker: each connector is an account on it. Devices of a connector share its user name
 * and are identified by what they send: the identifier in the packet, or the last level of the topic.
 */
export const mqttBroker: Kind<Settings> = {
  schema,
  presets: ['standard', 'tts-v3', 'chirpstack-v4', 'template'],
  secrets: {
    // Only a hash is stored, and it is never sent anywhere.
    password: { isSealed: false, audience: () => '' },
    ...remoteAccess.secrets,
  },
  unique: { connectors_mqtt_username: { name: 'username', ...usernameTaken } },
  sampleTopic: ({ publishTopics, username }) => sampleTopic(forUser(publishTopics, username)),
  seal: async (settings, stored) => ({
    ...settings,
    password:
      stored !== null && settings.password === stored.password
        ? stored.password
        : await hashPassword(settings.password),
  }),
  check: async (settings, { db }, { connectorId, stored }) => [
    checkPassword(settings, stored),
    checkUsername(await findByUsername(db, settings.username), connectorId),
    checkTopics(settings),
  ],
  manage: remoteAccess,
  open: (tools) => {
    const host = new BrokerHost(tools)
    return {
      receive: async (connector) => {
        const account = accountOf(connector, tools)
        await host.admit(account)
        connector.setState('listening', '')
        return async () => host.dismiss(account)
      },
      endpoints: () => host.endpoints,
      publish: publishToClients(host),
      [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
    }
  },
}

/** The broker account of a connector. */
function accountOf(connector: Active<Settings>, { receiver, journal }: KindTools): BrokerAccount {
  const { username, password, publishTopics, subscribeTopics } = connector.settings
  return {
    connector,
    username,
    passwordHash: password,
    publishTopics: forUser(publishTopics, username),
    subscribeTopics: forUser(subscribeTopics, username),
    event: (event) => {
      const entry = describe(event)
      if (event.kind === 'too-large') void receiver.refuseUnread(connector, 'PACKET_TOO_LARGE', entry.message)
      else journal.log(connector.id, entry)
    },
    refused: (reason) => {
      journal.log(connector.id, { level: 'warning', event: 'login-refused', message: reason })
    },
  }
}

function checkPassword(settings: Settings, stored: Settings | null): Check {
  const kept = stored !== null && settings.password === stored.password
  const ok = kept || settings.password.length >= brokerPasswordLengthMin
  const message = ok ? '' : `The password needs at least ${brokerPasswordLengthMin} characters`
  return { name: 'password', ok, message, ...(ok ? {} : { reason: 'passwordShort' }) }
}

function checkUsername(owner: number | undefined, connectorId: number | null): Check {
  const ok = owner === undefined || owner === connectorId
  return ok ? { name: 'username', ok, message: '' } : { name: 'username', ok, ...usernameTaken }
}

/** `$` topics belong to the broker itself. */
function checkTopics({ publishTopics, subscribeTopics }: Settings): Check {
  const closed = [...publishTopics, ...subscribeTopics].filter((filter) => filter.startsWith('$'))
  const ok = closed.length === 0
  return {
    name: 'topics',
    ok,
    message: ok ? '' : `Not possible on the built-in broker: ${closed.join(', ')}`,
    ...(ok ? {} : { reason: 'ownTopics' }),
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
