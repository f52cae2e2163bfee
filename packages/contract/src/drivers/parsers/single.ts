import * as z from 'zod'
import { Fields } from './layouts.ts'
import type { ParserKindDefinition } from './types.ts'

const schema = z.object({ kind: z.literal('single'), fields: Fields })

/** Parses bytes with one layout. */
export const single: ParserKindDefinition<typeof schema> = {
  schema,
  hasScript: false,
  fields: ({ fields }) => fields,
}
