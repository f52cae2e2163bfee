import type { LiveClientMessage } from '@leitstand/contract/live'
import * as z from 'zod'

/** Of a date, in ms since 1970. */
const timeMax = 8.64e15
/** Ten years. */
const agoMax = 10 * 365 * 86_400_000

const Message = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('hello'), token: z.string().max(200).nullable() }),
  z.object({
    kind: z.literal('subscribe'),
    topic: z
      .string()
      .max(60)
      .regex(/^[a-z]+(:[1-9]\d{0,14})?$/),
    sinceMs: z.number().min(0).max(timeMax).optional(),
    agoMs: z.number().min(0).max(agoMax).optional(),
  }),
  z.object({ kind: z.literal('unsubscribe'), topic: z.string().max(60) }),
  z.object({ kind: z.literal('ping') }),
])

/** Parses a client message; undefined when it does not fit the contract. */
export function readMessage(text: string): LiveClientMessage | undefined {
  try {
    const parsed = Message.safeParse(JSON.parse(text))
    return parsed.success ? (parsed.data as LiveClientMessage) : undefined
  } catch {
    return undefined // not JSON: the caller closes the connection with a reason
  }
}
