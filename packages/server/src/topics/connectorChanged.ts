import * as z from 'zod'
import { defineTopic } from '../platform/events/topic.ts'

const ConnectorChanged = z.object({
  connectorId: z.int(),
  /** as in the contract */
  state: z.string(),
  /** why it failed, in the other system's own words */
  message: z.string(),
  /** ISO 8601 */
  at: z.string(),
})

export type ConnectorChanged = z.infer<typeof ConnectorChanged>

/** A connector failed, works again or was switched off; not each attempt in between. */
export const connectorChanged = defineTopic({
  name: 'connector.changed',
  version: 1,
  schema: ConnectorChanged,
})
