import type * as z from 'zod'
import type { Field } from './layouts.ts'

/** Contract of one kind of parser. */
export interface ParserKindDefinition<S extends z.ZodType> {
  readonly schema: S
  /** whether its source is the `script` of the driver */
  readonly hasScript: boolean
  /** The fields whose targets are variables, as far as they are known without running it. */
  fields(parser: z.infer<S>): readonly Field[]
}
