import type { BulkChanges } from '@leitstand/contract/bulk'

/** Lists of words a bulk edit adds to and removes from. */
export const wordFields = ['tags', 'zones', 'groups'] as const
export type WordField = (typeof wordFields)[number]

/** Fields that are set to one value, each only where its switch is on. */
export const singleFields = [
  'operationalStatus',
  'driver',
  'parent',
  'description',
  'address',
  'floorNumber',
  'icon',
  'disabled',
] as const
export type SingleField = (typeof singleFields)[number]

/** The form of a bulk edit. */
export interface ChangeValues {
  add: Record<WordField, string[]>
  remove: Record<WordField, string[]>
  keyValuesSet: Record<string, string>
  keyValuesRemove: string[]
  /** fields that are changed */
  on: readonly SingleField[]
  operationalStatus: string
  driverId: string | null
  parentId: string | null
  description: string
  address: string
  floorNumber: number | null
  icon: string | null
  disabled: boolean
}

const noWords: Record<WordField, string[]> = { tags: [], zones: [], groups: [] }

export const noChanges: ChangeValues = {
  add: noWords,
  remove: noWords,
  keyValuesSet: {},
  keyValuesRemove: [],
  on: [],
  operationalStatus: '0',
  driverId: null,
  parentId: null,
  description: '',
  address: '',
  floorNumber: null,
  icon: null,
  disabled: true,
}

/** Fields that refer to one account; they cannot be changed for devices of several accounts. */
export const accountFields: readonly SingleField[] = ['driver', 'parent']

/**
 * The changes to send; only what was selected.
 * @param accepted the version of another account's driver that the user has accepted
 */
export function toChanges(values: ChangeValues, accepted: { acceptDriver?: number } = {}): BulkChanges {
  const { on } = values
  const words = Object.fromEntries(
    wordFields
      .map((field) => [field, { add: values.add[field], remove: values.remove[field] }] as const)
      .filter(([, { add, remove }]) => add.length + remove.length > 0),
  )
  const setsPairs = Object.keys(values.keyValuesSet).length + values.keyValuesRemove.length > 0
  return {
    ...words,
    ...(setsPairs ? { keyValues: { set: values.keyValuesSet, remove: values.keyValuesRemove } } : {}),
    ...(on.includes('operationalStatus') ? { operationalStatus: Number(values.operationalStatus) } : {}),
    ...(on.includes('driver')
      ? { driver: { driverId: idOf(values.driverId), driverVersion: null, ...accepted } }
      : {}),
    ...(on.includes('parent') ? { parentId: idOf(values.parentId) } : {}),
    ...(on.includes('description') ? { description: values.description } : {}),
    ...(on.includes('address') ? { address: values.address } : {}),
    ...(on.includes('floorNumber') ? { floorNumber: values.floorNumber } : {}),
    ...(on.includes('icon') ? { icon: values.icon } : {}),
    ...(on.includes('disabled') ? { disabled: values.disabled } : {}),
  }
}

/** The driver that the devices get; null: none, or unchanged. */
export function driverIdOf({ on, driverId }: ChangeValues): number | null {
  return on.includes('driver') ? idOf(driverId) : null
}

const idOf = (id: string | null) => (id === null ? null : Number(id))

/** Whether there are no changes. */
export function isEmpty(values: ChangeValues): boolean {
  return Object.keys(toChanges(values)).length === 0
}

/** Words that are both added and removed, by field; there must be none. */
export function overlaps({ add, remove, keyValuesSet, keyValuesRemove }: ChangeValues): string[] {
  const words: string[] = wordFields.filter((field) =>
    add[field].some((each) => remove[field].includes(each)),
  )
  const pairs = keyValuesRemove.some((key) => Object.hasOwn(keyValuesSet, key))
  return pairs ? [...words, 'keyValues'] : words
}
