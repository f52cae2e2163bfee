import type { ConnectorSettings } from '@leitstand/contract/connectors/kinds/index'
import { never } from '../../downlinks/types.ts'
import type { Command } from '../types.ts'
import type { Publishers } from './publishers.ts'

/** Publishes downlinks on the connection that also receives messages. */
export function publishCommand(publishers: Publishers): Command<ConnectorSettings['mqtt-in']> {
  return {
    over: 'mqtt',
    send: async ({ id, settings }, way, downlink) => {
      const message = way.mqtt(downlink, settings.username)
      if (message === null) return never('noAddress')
      const body = Buffer.from(JSON.stringify(message.body))
      const answer = await publishers.publish(id, message.topic, body, message.qos)
      if (answer === 'taken') return { outcome: 'taken', name: null }
      if (answer === 'silent') return { outcome: 'unknown', reason: 'noAnswer', detail: '' }
      return { outcome: 'again', reason: 'notConnected', detail: '' }
    },
  }
}
