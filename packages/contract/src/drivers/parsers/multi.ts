import * as z from 'zod'
import { Layouts } from './layouts.ts'
import type { ParserKindDefinition } from './types.ts'

const schema = z.object({ kind: z.literal('multi'), layouts: Layouts })

/** Parses bytes with the first of several layouts that applies. */
export const multi: ParserKindDefinition<typeof schema> = {
  schema,
  hasScript: false,
  fields: ({ layouts }) => layouts.flatMap(({ fields }) => fields),
}
