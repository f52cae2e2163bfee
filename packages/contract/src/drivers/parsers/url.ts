import * as z from 'zod'
import { parserLimits } from './layouts.ts'
import type { ParserKindDefinition } from './types.ts'

const schema = z.object({
  kind: z.literal('url'),
  url: z.url({ protocol: /^https?$/ }).max(2000),
  /** of one attempt; all of them together take 5 s at most */
  timeoutMs: z.int().min(100).max(parserLimits.urlTimeoutMsMax).default(1000),
  /** further attempts where the first one fails for a reason that may pass */
  retries: z.int().min(0).max(parserLimits.urlRetriesMax).default(1),
})

/** A program elsewhere that reads packets, see docs/drivers.md. */
export const url: ParserKindDefinition<typeof schema> = {
  schema,
  hasScript: false,
  fields: () => [],
}
