import { randomBytes } from 'node:crypto'
import { limits } from '@leitstand/contract/common'
import type { ConnectorSettings } from '@leitstand/contract/connectors/kinds/index'
import { MqttInSettings as schema } from '@leitstand/contract/connectors/kinds/mqtt-in'
import { type ForeignBroker, ForeignClient, probe } from '../../../../platform/mqtt/client.ts'
import { Lane } from '../../../../platform/mqtt/lane.ts'
import { storableText } from '../../../../platform/storable.ts'
import type { Receiver, Receiving } from '../../receive.ts'
import { remoteAccess } from '../../remote/access.ts'
import { sampleTopic } from '../parts.ts'
import type { Active, Check, Kind, KindTools, Stop } from '../types.ts'
import { publishCommand } from './command.ts'
import { publishMessages } from './publish.ts'
import { Publishers } from './publishers.ts'

type Settings = ConnectorSettings['mqtt-in']

/** Incoming MQTT: a client of an external broker. */
export const mqttIn: Kind<Settings> = {
  schema,
  presets: ['standard', 'tts-v3', 'chirpstack-v4', 'template'],
  secrets: {
    password: { isSealed: true, audience: ({ host, port, tls }) => `${host}:${port} ${tls}` },
    ...remoteAccess.secrets,
  },
  dialsOut: true,
  appliedAtOnce: ['downlinks'],
  sampleTopic: ({ topics }) => sampleTopic(topics),
  // The broker identifies our session by this client id, so it must be unique and stable.
  seal: async (settings, stored) => ({
    ...settings,
    clientId: settings.clientId || stored?.clientId || `leitstand-${randomBytes(6).toString('hex')}`,
  }),
  check: async (settings, { outgoing }, { connect }) => {
    if (!connect) return []
    const { connection, subscription } = await probe(brokerOf(settings), outgoing)
    const checks: Check[] = [{ name: 'connection', ok: connection === null, message: connection ?? '' }]
    if (connection === null) {
      checks.push({ name: 'subscription', ok: subscription === null, message: subscription ?? '' })
    }
    return checks
  },
  manage: remoteAccess,
  open: (tools) => {
    const publishers = new Publishers(tools.ctx.nodes)
    return {
      receive: (connector) => receive(connector, tools, publishers),
      command: publishCommand(publishers),
      publish: publishMessages(publishers),
    }
  },
}

async function receive(
  connector: Active<Settings>,
  { ctx, receiver }: KindTools,
  publishers: Publishers,
): Promise<Stop<Settings>> {
  const lane = new Lane()
  const client = new ForeignClient(
    brokerOf(connector.settings),
    {
      receive: async ({ topic, payload, isGone }) => {
        if (payload.length > limits.bodyBytesMax) return refuseTooLarge(receiver, connector, topic, payload)
        await receiver.receiveInOrder(connector, { topic, payload, isGone }, lane)
      },
      state: (state, message) => connector.setState(state, message),
    },
    ctx.log.child({ connector: connector.id }),
    ctx.outgoing,
  )
  const forget = publishers.add(connector.id, (topic, payload, qos) => client.publish(topic, payload, qos))
  return async (next) => {
    forget()
    if (next) await client.unsubscribe(givenUp(connector.settings, next.settings))
    await client[Symbol.asyncDispose]()
  }
}

/**
 * Stores the beginning of a message that is too large to read. It is acknowledged, because otherwise the
 * broker would redeliver it forever.
 */
async function refuseTooLarge(
  receiver: Receiver,
  connector: Receiving,
  topic: string,
  payload: Buffer,
): Promise<void> {
  const raw = payload.subarray(0, limits.bodyBytesMax).toString('utf8')
  const message = `A message of ${payload.length} bytes, allowed are ${limits.bodyBytesMax}`
  const refused = { raw, isCut: true, identifier: null, code: 'PACKET_TOO_LARGE', message } as const
  await receiver.refuse(connector, refused, { text: raw, topic: storableText(topic), query: {} })
}

function brokerOf({
  preset: _preset,
  template: _template,
  downlinks: _downlinks,
  ...settings
}: Settings): ForeignBroker {
  return { ...settings, clientId: settings.clientId || 'leitstand' }
}

/** Topics to unsubscribe from. All of them when the broker or the session changes. */
function givenUp(settings: Settings, next: Settings | null): string[] {
  const same =
    next !== null &&
    next.host === settings.host &&
    next.port === settings.port &&
    next.username === settings.username &&
    next.clientId === settings.clientId
  return same ? settings.topics.filter((topic) => !next.topics.includes(topic)) : [...settings.topics]
}
