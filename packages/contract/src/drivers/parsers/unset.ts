import * as z from 'zod'
import type { ParserKindDefinition } from './types.ts'

const schema = z.object({ kind: z.literal('unset') })

/** No parser yet: packets of bytes are kept unread, and the fields of JSON ones are its variables. */
export const unset: ParserKindDefinition<typeof schema> = {
  schema,
  hasScript: false,
  fields: () => [],
}
