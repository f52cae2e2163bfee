import * as z from 'zod'
import type { ParserKindDefinition } from './types.ts'

const schema = z.object({ kind: z.literal('elixir') })

/** `parse/2` in Elixir, in `script`. */
export const elixir: ParserKindDefinition<typeof schema> = {
  schema,
  hasScript: true,
  fields: () => [],
}
