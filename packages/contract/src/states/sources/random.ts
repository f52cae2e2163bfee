import * as z from 'zod'

/** A number between `min` and `max` every `everySeconds`. */
export const random = z.object({
  min: z.number().optional(),
  max: z.number().optional(),
  everySeconds: z.int().min(1).max(86_400).optional(),
})
