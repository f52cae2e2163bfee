import type { GeoPolygon } from '@leitstand/contract/geoPolygon'
import type { Contact, ObjectFields, ReferenceId, TwinType } from '@leitstand/contract/twins'
import type * as z from 'zod'

/** Editable fields common to twins and devices. */
export type ObjectInput = { [Key in keyof typeof ObjectFields]: z.infer<(typeof ObjectFields)[Key]> }

/** Editable fields of a twin. */
export interface TwinInput extends ObjectInput {
  type: TwinType
  geoPolygon: GeoPolygon | null
  contacts: Contact[]
}

/** Reference ids without duplicates. */
export function uniqueReferences(references: readonly ReferenceId[]): ReferenceId[] {
  return [...new Map(references.map((each) => [JSON.stringify([each.name, each.value]), each])).values()]
}
