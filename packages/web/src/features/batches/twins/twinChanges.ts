import type { TwinChanges } from '@leitstand/contract/twinBulk'

/** Lists of words a bulk edit of twins adds to and removes from. */
export const twinWords = ['tags', 'zones'] as const
export type TwinWord = (typeof twinWords)[number]

/** Fields that are set to one value, each only where its switch is on. */
export const twinSingles = ['parent', 'icon', 'disabled'] as const
export type TwinSingle = (typeof twinSingles)[number]

/** The form of a bulk edit of twins. */
export interface TwinValues {
  add: Record<TwinWord, string[]>
  remove: Record<TwinWord, string[]>
  keyValuesSet: Record<string, string>
  keyValuesRemove: string[]
  /** fields that are changed */
  on: readonly TwinSingle[]
  parentId: string | null
  icon: string | null
  disabled: boolean
}

const noWords: Record<TwinWord, string[]> = { tags: [], zones: [] }

export const noTwinChanges: TwinValues = {
  add: noWords,
  remove: noWords,
  keyValuesSet: {},
  keyValuesRemove: [],
  on: [],
  parentId: null,
  icon: null,
  disabled: true,
}

/** The changes to send; only what was selected. */
export function toTwinChanges(values: TwinValues): TwinChanges {
  const { add, remove, keyValuesSet, keyValuesRemove, on } = values
  const words = Object.fromEntries(
    twinWords
      .filter((field) => add[field].length + remove[field].length > 0)
      .map((field) => [field, { add: add[field], remove: remove[field] }]),
  )
  const hasKeyValues = Object.keys(keyValuesSet).length + keyValuesRemove.length > 0
  return {
    ...words,
    ...(hasKeyValues ? { keyValues: { set: keyValuesSet, remove: keyValuesRemove } } : {}),
    ...(on.includes('parent') ? { parentId: values.parentId === null ? null : Number(values.parentId) } : {}),
    ...(on.includes('icon') ? { icon: values.icon } : {}),
    ...(on.includes('disabled') ? { disabled: values.disabled } : {}),
  }
}

/** Whether nothing would be changed. */
export const isEmptyChange = (values: TwinValues): boolean => Object.keys(toTwinChanges(values)).length === 0

/** Fields with an entry that is both added and removed. */
export function twinOverlaps({ add, remove, keyValuesSet, keyValuesRemove }: TwinValues): string[] {
  const words = twinWords.filter((field) => add[field].some((word) => remove[field].includes(word)))
  return Object.keys(keyValuesSet).some((key) => keyValuesRemove.includes(key))
    ? [...words, 'keyValues']
    : words
}

/** Text key of a field's label. */
export const twinLabels: Record<TwinSingle, string> = {
  parent: 'twins.parent',
  icon: 'devices.field.icon',
  disabled: 'twins.status',
}
