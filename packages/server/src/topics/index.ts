import type { Topic } from '../platform/events/topic.ts'
import { alarmChanged } from './alarmChanged.ts'
import { connectorChanged } from './connectorChanged.ts'
import { downlinkReported } from './downlinkReported.ts'
import { healthChanged } from './healthChanged.ts'
import { objectChanged, objectDeleted } from './objects.ts'
import { packetReceived } from './packetReceived.ts'
import { ruleDeferred } from './ruleDeferred.ts'
import { ruleWoken } from './ruleWoken.ts'
import { thresholdChanged } from './thresholdChanged.ts'
import { ticketChanged } from './ticketChanged.ts'
import { twinMoved } from './twinMoved.ts'
import { valuesStored } from './valuesStored.ts'

/**
 * All topics. A topic is a file in this folder and a line here; any feature may append or consume it. A
 * changed shape is a new version, with a function beside its schema that upgrades the previous version.
 */
export const topics: readonly Topic[] = [
  alarmChanged,
  connectorChanged,
  downlinkReported,
  healthChanged,
  objectChanged,
  objectDeleted,
  packetReceived,
  ruleDeferred,
  ruleWoken,
  thresholdChanged,
  ticketChanged,
  twinMoved,
  valuesStored,
]

export {
  alarmChanged,
  connectorChanged,
  downlinkReported,
  healthChanged,
  objectChanged,
  objectDeleted,
  packetReceived,
  ruleDeferred,
  ruleWoken,
  thresholdChanged,
  ticketChanged,
  twinMoved,
  valuesStored,
}
