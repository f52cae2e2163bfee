import * as z from 'zod'
import type { ParserKindDefinition } from './types.ts'

const schema = z.object({ kind: z.literal('function') })

/** A function in JavaScript, in `script`. */
export const functionParser: ParserKindDefinition<typeof schema> = {
  schema,
  hasScript: true,
  fields: () => [],
}
