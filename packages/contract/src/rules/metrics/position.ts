import * as z from 'zod'

/** The position of the rule's twin, or its distance in metres to a point. */
export const position = {
  operation: z.literal('position'),
  position: z.enum(['latitude', 'longitude', 'distance']),
  /** of the point */
  latitude: z.number().min(-90).max(90).optional(),
  longitude: z.number().min(-180).max(180).optional(),
}
