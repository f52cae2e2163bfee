import { randomBytes } from 'node:crypto'
import { type MqttInSettings, MqttInSettings as schema } from '@leitstand/contract/bridge'
import { type ForeignBroker, ForeignClient, probe } from '../../../../platform/mqtt/client.ts'
import { Lane } from '../../../../platform/mqtt/lane.ts'
import { foreignMessage } from '../../presets/index.ts'
import type { Check, Kind } from '../types.ts'

/** Incoming MQTT: a client of a foreign broker. */
export const mqttIn: Kind<MqttInSettings> = {
  kind: 'mqtt-in',
  direction: 'in',
  capabilities: ['data-source', 'ingestion'],
  presets: ['standard', 'tts-v3', 'chirpstack-v4', 'template'],
  schema,
  secrets: ['password'],
  audience: ({ host, port, tls }) => `${host}:${port} ${tls}`,
  hasKey: false,
  // The broker knows our session by this name: it must be our own, and stay.
  seal: async (settings, stored) => ({
    ...settings,
    clientId: settings.clientId || stored?.clientId || `leitstand-${randomBytes(6).toString('hex')}`,
  }),
  check: async (settings, _tools, { connect }) => {
    if (!connect) return []
    const { connection, subscription } = await probe(brokerOf(settings))
    const checks: Check[] = [{ name: 'connection', ok: connection === null, message: connection ?? '' }]
    if (connection === null) {
      checks.push({ name: 'subscription', ok: subscription === null, message: subscription ?? '' })
    }
    return checks
  },
  start: async (connector, { ctx, receiver }) => {
    const lane = new Lane()
    const client = new ForeignClient(
      brokerOf(connector.settings),
      {
        receive: async ({ topic, payload }) => {
          await receiver.receiveInOrder(connector, foreignMessage(payload.toString('utf8'), { topic }), lane)
        },
        state: (state, message) => connector.setState(state, message),
      },
      ctx.log.child({ connector: connector.id }),
    )
    return async (next) => {
      if (next) await client.unsubscribe(givenUp(connector.settings, next.settings))
      await client[Symbol.asyncDispose]()
    }
  },
  endpoints: () => [],
}

function brokerOf({ preset: _preset, template: _template, ...settings }: MqttInSettings): ForeignBroker {
  return { ...settings, clientId: settings.clientId || 'leitstand' }
}

/** Topics the broker need not collect for us any more. Another broker or session: all of them. */
function givenUp(settings: MqttInSettings, next: MqttInSettings | null): string[] {
  const same =
    next !== null &&
    next.host === settings.host &&
    next.port === settings.port &&
    next.username === settings.username &&
    next.clientId === settings.clientId
  return same ? settings.topics.filter((topic) => !next.topics.includes(topic)) : [...settings.topics]
}
