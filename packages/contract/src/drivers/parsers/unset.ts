import * as z from 'zod'
import type { ParserKindDefinition } from './types.ts'

const schema = z.object({ kind: z.literal('unset') })

/** No parser yet: binary packets are stored undecoded, and the fields of JSON packets become variables. */
export const unset: ParserKindDefinition<typeof schema> = {
  schema,
  hasScript: false,
  fields: () => [],
}
