import type { LiveClientMessage } from '@leitstand/contract/live'
import * as z from 'zod'

const Message = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('hello'), token: z.string().max(200).nullable() }),
  z.object({
    kind: z.literal('subscribe'),
    topic: z
      .string()
      .max(60)
      .regex(/^[a-z]+(:[1-9]\d{0,14})?$/),
    sinceMs: z.number().optional(),
    agoMs: z.number().nonnegative().optional(),
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
