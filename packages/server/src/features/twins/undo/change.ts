import { limits } from '@leitstand/contract/common'
import type { UndoPart } from '@leitstand/contract/twinUndo'
import * as z from 'zod'

const Words = z.object({ added: z.array(z.string()), removed: z.array(z.string()) })

/** What a change has done to a twin, as it is kept until it can no longer be undone. */
export const TwinChange = z.object({
  parentId: z.object({ before: z.int().nullable(), after: z.int().nullable() }).optional(),
  icon: z.object({ before: z.string().nullable(), after: z.string().nullable() }).optional(),
  tags: Words.optional(),
  zones: Words.optional(),
  keyValues: z
    .record(z.string(), z.object({ before: z.string().nullable(), after: z.string().nullable() }))
    .optional(),
  /** whether it was disabled, with the devices that were switched with it */
  disabled: z.object({ after: z.boolean(), deviceIds: z.array(z.int()) }).optional(),
})
export type TwinChange = z.infer<typeof TwinChange>

/** Fields of a twin whose changes can be undone. */
interface Fields {
  parentId: number | null
  icon: string | null
  tags: readonly string[]
  zones: readonly string[]
  keyValues: Readonly<Record<string, string>>
}

/** What differs between two versions of a twin; whether it is disabled is not compared. */
export function changeOf(before: Fields, after: Fields): TwinChange {
  const tags = wordsOf(before.tags, after.tags)
  const zones = wordsOf(before.zones, after.zones)
  const keys = [...new Set([...Object.keys(before.keyValues), ...Object.keys(after.keyValues)])]
  const differing = keys.filter((key) => before.keyValues[key] !== after.keyValues[key])
  return {
    ...(before.parentId === after.parentId
      ? {}
      : { parentId: { before: before.parentId, after: after.parentId } }),
    ...(before.icon === after.icon ? {} : { icon: { before: before.icon, after: after.icon } }),
    ...(tags ? { tags } : {}),
    ...(zones ? { zones } : {}),
    ...(differing.length === 0
      ? {}
      : {
          keyValues: Object.fromEntries(
            differing.map((key) => [
              key,
              { before: before.keyValues[key] ?? null, after: after.keyValues[key] ?? null },
            ]),
          ),
        }),
  }
}

function wordsOf(before: readonly string[], after: readonly string[]) {
  const added = after.filter((word) => !before.includes(word))
  const removed = before.filter((word) => !after.includes(word))
  return added.length + removed.length === 0 ? undefined : { added, removed }
}

export const isNoChange = (change: TwinChange): boolean => Object.keys(change).length === 0

/**
 * The twin with a change undone as far as it is still as the change left it. Its parent is only compared, since a move
 * needs more than this.
 */
export function withoutChange<T extends Fields>(
  twin: T,
  change: TwinChange,
): { twin: T; isParentBack: boolean; left: UndoPart[] } {
  const left: UndoPart[] = []
  const words = (part: 'tags' | 'zones'): string[] => {
    const { added = [], removed = [] } = change[part] ?? {}
    const back = [...new Set([...twin[part].filter((word) => !added.includes(word)), ...removed])]
    if (back.length <= limits.tagsMax) return back
    left.push(part)
    return [...twin[part]]
  }
  const isParentBack = change.parentId !== undefined && twin.parentId === change.parentId.after
  if (change.parentId && !isParentBack) left.push('parent')
  const edited: Fields = {
    parentId: twin.parentId,
    tags: change.tags ? words('tags') : twin.tags,
    zones: change.zones ? words('zones') : twin.zones,
    keyValues: keyValuesBack(twin.keyValues, change.keyValues ?? {}, left),
    icon: twin.icon,
  }
  if (change.icon && twin.icon === change.icon.after) edited.icon = change.icon.before
  else if (change.icon) left.push('icon')
  return { twin: { ...twin, ...edited }, isParentBack, left }
}

function keyValuesBack(
  held: Readonly<Record<string, string>>,
  changes: NonNullable<TwinChange['keyValues']>,
  left: UndoPart[],
): Record<string, string> {
  const values = new Map(Object.entries(held))
  let isLeft = false
  for (const [key, { before, after }] of Object.entries(changes)) {
    const current = values.get(key) ?? null
    if (current === before) continue
    if (current !== after) isLeft = true
    else if (before === null) values.delete(key)
    else values.set(key, before)
  }
  if (isLeft || values.size > limits.keyValuesMax) left.push('keyValues')
  return values.size > limits.keyValuesMax ? { ...held } : Object.fromEntries(values)
}
