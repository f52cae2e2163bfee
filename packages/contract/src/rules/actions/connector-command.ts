import * as z from 'zod'
import { Id, limits } from '../../common.ts'

/**
 * Publishes a message through a connector of the account that takes commands. Topic and payload may contain
 * placeholders; within a topic, values lose `/`, `+` and `#`.
 */
export const ConnectorCommandAction = z.object({
  kind: z.literal('connector-command'),
  connectorId: Id,
  topic: z
    .string()
    .trim()
    .min(1)
    .max(300)
    .regex(/^[^+#\0$][^+#\0]*$/, 'a topic without wildcards'),
  /** `json`: placeholders within a text insert text, elsewhere the value itself */
  format: z.enum(['json', 'text']).default('json'),
  payload: z.string().max(limits.textLengthMax),
})
export type ConnectorCommandAction = z.infer<typeof ConnectorCommandAction>
