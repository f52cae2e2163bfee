import * as z from 'zod'
import { parserLimits } from './layouts.ts'
import type { ParserKindDefinition } from './types.ts'

const schema = z.object({
  kind: z.literal('url'),
  url: z.url({ protocol: /^https?$/ }).max(2000),
  /** timeout of one attempt; all attempts together take at most 5 s */
  timeoutMs: z.int().min(100).max(parserLimits.urlTimeoutMsMax).default(1000),
  /** further attempts after an error that may be temporary */
  retries: z.int().min(0).max(parserLimits.urlRetriesMax).default(1),
})

/** An external program that parses packets, see docs/drivers.md. */
export const url: ParserKindDefinition<typeof schema> = {
  schema,
  hasScript: false,
  fields: () => [],
}
