import * as z from 'zod'

/** Name of a metric in conditions and texts: letters, digits, underscore, starting with a letter. */
export const Alias = z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,49}$/, 'letters, digits and underscore')

/** One side of a comparison: a metric by its alias, or a constant. */
export const Operand = z.union([
  z.object({ metric: Alias }),
  z.object({ value: z.union([z.number(), z.string().max(1000), z.boolean(), z.null()]) }),
])
export type Operand = z.infer<typeof Operand>
