import type { ConnectorSettings } from '@leitstand/contract/connectors/kinds/index'
import { brokerLimits } from '../../../../platform/mqtt/broker.ts'
import { forUser, matchesFilter } from '../../../../platform/mqtt/topics.ts'
import { failed } from '../../outgoing/types.ts'
import type { Publish } from '../types.ts'
import type { BrokerHost } from './host.ts'

/** Publishes commands of rules to the devices that are connected, on topics they may subscribe to. */
export function publishToClients(
  host: Pick<BrokerHost, 'publish'>,
): Publish<ConnectorSettings['mqtt-broker']> {
  return {
    fault({ subscribeTopics, username }, topic) {
      const isHeard = forUser(subscribeTopics, username).some((filter) => matchesFilter(filter, topic))
      return isHeard && topic.split('/').length <= brokerLimits.topicLevelsMax ? null : 'topicForbidden'
    },
    // The broker keeps no messages: as long as nobody listens, it is tried again.
    send: async ({ settings }, { topic, payload }) =>
      (await host.publish(settings.username, topic, payload))
        ? { outcome: 'taken' }
        : failed('again', 'notConnected'),
  }
}
