import type { ConnectorSettings } from '@leitstand/contract/connectors/kinds/index'
import { failed } from '../../outgoing/types.ts'
import type { Publish } from '../types.ts'
import type { Publishers } from './publishers.ts'

/** Publishes commands of rules on the connection that also receives messages, with QoS 1. */
export function publishMessages(publishers: Publishers): Publish<ConnectorSettings['mqtt-in']> {
  return {
    // The external broker decides who may publish where; topics of its own begin with $.
    fault: (_settings, topic) => (topic.startsWith('$') ? 'topicForbidden' : null),
    send: async ({ id }, { topic, payload }) => {
      const answer = await publishers.publish(id, topic, payload, 1)
      if (answer === 'taken') return { outcome: 'taken' }
      return answer === 'silent' ? failed('unknown', 'noAnswer') : failed('again', 'notConnected')
    },
  }
}
