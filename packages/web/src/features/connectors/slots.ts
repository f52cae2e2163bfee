import { createSlot } from '../../lib/slot.ts'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { Connector } from './queries.ts'

export interface ConnectorProps {
  connector: Connector
}

/** Tabs of the page of a connector. */
export const connectorTabs = createSlot<PageTab<ConnectorProps>>('connectorTabs')
