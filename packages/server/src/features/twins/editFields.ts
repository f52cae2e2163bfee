import { limits } from '@leitstand/contract/common'
import type { TwinChanges } from '@leitstand/contract/twinBulk'
import { AppError } from '../../platform/errors.ts'

/** Fields of a twin a bulk edit can change. */
interface Editable {
  tags: string[]
  zones: string[]
  keyValues: Record<string, string>
  icon: string | null
}

/**
 * Returns a twin with the changes applied. Fields not named are kept, as is the order of existing entries. Its parent and
 * whether it is disabled are not fields.
 * @throws AppError VALIDATION_ERROR when it would have too many tags, zones or key-values
 */
export function editTwinFields<T extends Editable>(twin: T, changes: TwinChanges): T {
  const { tags, zones, keyValues, icon } = changes
  return {
    ...twin,
    ...(tags ? { tags: addAndRemove('tags', twin.tags, tags) } : {}),
    ...(zones ? { zones: addAndRemove('zones', twin.zones, zones) } : {}),
    ...(keyValues ? { keyValues: setAndRemove(twin.keyValues, keyValues) } : {}),
    ...(icon === undefined ? {} : { icon }),
  }
}

/** @throws AppError VALIDATION_ERROR with the field when there would be too many */
export function addAndRemove(
  field: string,
  before: readonly string[],
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): string[] {
  const words = [...new Set([...before, ...add])].filter((each) => !remove.includes(each))
  return bounded(field, words, limits.tagsMax)
}

/** @throws AppError VALIDATION_ERROR when there would be too many */
export function setAndRemove(
  before: Readonly<Record<string, string>>,
  { set, remove }: { set: Readonly<Record<string, string>>; remove: readonly string[] },
): Record<string, string> {
  const after = Object.entries({ ...before, ...set }).filter(([key]) => !remove.includes(key))
  return Object.fromEntries(bounded('keyValues', after, limits.keyValuesMax))
}

function bounded<T>(field: string, values: T[], max: number): T[] {
  if (values.length > max) throw new AppError('VALIDATION_ERROR', { field, max }, `${field}: at most ${max}`)
  return values
}
