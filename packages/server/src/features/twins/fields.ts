import type { Contact, ObjectFields, ReferenceId, TwinType } from '@leitstand/contract/twins'
import * as z from 'zod'
import { AppError } from '../../platform/errors.ts'

/** Editable fields common to twins and devices. */
export type ObjectInput = { [Key in keyof typeof ObjectFields]: z.infer<(typeof ObjectFields)[Key]> }

/** Editable fields of a twin. */
export interface TwinInput extends ObjectInput {
  type: TwinType
  geoPolygon: z.infer<typeof GeoPolygon> | null
  contacts: Contact[]
}

const Position = z.tuple([z.number().min(-180).max(180), z.number().min(-90).max(90)]).rest(z.number())
/** A closed ring: the last position equals the first one. */
const Ring = z
  .array(Position)
  .min(4)
  .max(2000)
  .refine((ring) => `${ring[0]}` === `${ring.at(-1)}`, 'the last position must be the first one')

/** GeoJSON polygon, longitude first. */
export const GeoPolygon = z.object({
  type: z.literal('Polygon'),
  coordinates: z.array(Ring).min(1).max(50),
})

/**
 * Validates the polygon beyond its schema.
 * @throws AppError VALIDATION_ERROR naming the field
 */
export function checkTwinInput<T extends { geoPolygon: unknown }>(
  input: T,
): Omit<T, 'geoPolygon'> & Pick<TwinInput, 'geoPolygon'> {
  if (input.geoPolygon === null) return { ...input, geoPolygon: null }
  const polygon = GeoPolygon.safeParse(input.geoPolygon)
  if (polygon.success) return { ...input, geoPolygon: polygon.data }
  const issue = polygon.error.issues[0]
  const where = ['geoPolygon', ...(issue?.path ?? [])].join('.')
  throw new AppError(
    'VALIDATION_ERROR',
    { field: 'geoPolygon' },
    `${where}: ${issue?.message ?? 'not a GeoJSON polygon'}`,
  )
}

/** Reference ids without duplicates. */
export function uniqueReferences(references: readonly ReferenceId[]): ReferenceId[] {
  return [...new Map(references.map((each) => [JSON.stringify([each.name, each.value]), each])).values()]
}
