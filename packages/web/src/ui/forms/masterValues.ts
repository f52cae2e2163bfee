import type { UseFormReturnType } from '@mantine/form'

/** What the forms of twins and devices have in common; ids are strings, as selects need them. */
export interface MasterValues {
  title: string
  description: string
  tags: string[]
  zones: string[]
  icon: string | null
  address: string
  latitude: number | string | null
  longitude: number | string | null
  floorNumber: number | string | null
  floorName: string
  keyValues: Record<string, string>
  referenceIds: { name: string; value: string }[]
  parentId: string | null
}

/** A form with these fields, of a twin or a device. */
export type MasterForm = Pick<
  UseFormReturnType<MasterValues & Record<string, unknown>>,
  'errors' | 'getValues' | 'getInputProps' | 'setFieldValue' | 'isDirty'
>

/** A twin or device as read. */
type Stored = Pick<MasterValues, 'title' | 'description' | 'tags' | 'zones' | 'icon' | 'address'> &
  Pick<MasterValues, 'floorName' | 'keyValues' | 'referenceIds'> & {
    latitude: number | null
    longitude: number | null
    floorNumber: number | null
    parentId: number | null
  }

export const emptyMaster: MasterValues = {
  title: '',
  description: '',
  tags: [],
  zones: [],
  icon: null,
  address: '',
  latitude: null,
  longitude: null,
  floorNumber: null,
  floorName: '',
  keyValues: {},
  referenceIds: [],
  parentId: null,
}

export function toMasterValues(stored: Stored): MasterValues {
  return {
    title: stored.title,
    description: stored.description,
    tags: stored.tags,
    zones: stored.zones,
    icon: stored.icon,
    address: stored.address,
    latitude: stored.latitude,
    longitude: stored.longitude,
    floorNumber: stored.floorNumber,
    floorName: stored.floorName,
    keyValues: stored.keyValues,
    referenceIds: stored.referenceIds,
    parentId: stored.parentId === null ? null : String(stored.parentId),
  }
}

/** An empty number field is null. */
export const numberOf = (value: number | string | null) =>
  value === null || value === '' ? null : Number(value)

type Reference = MasterValues['referenceIds'][number]
const isBegun = ({ name, value }: Reference) => name.trim() !== '' || value.trim() !== ''

/** Input for the server; empty rows of reference ids are left out. */
export function toMasterInput(values: MasterValues) {
  return {
    title: values.title.trim(),
    description: values.description,
    tags: values.tags,
    zones: values.zones,
    icon: values.icon,
    address: values.address,
    latitude: numberOf(values.latitude),
    longitude: numberOf(values.longitude),
    floorNumber: numberOf(values.floorNumber),
    floorName: values.floorName.trim(),
    keyValues: values.keyValues,
    referenceIds: values.referenceIds.filter(isBegun),
    parentId: numberOf(values.parentId),
  }
}

/**
 * Errors of the input by form field. A position needs both coordinates.
 * @param faults errors by path of the input
 * @param incomplete the error of a missing coordinate
 */
export function masterFaults(
  faults: Record<string, string>,
  values: MasterValues,
  incomplete: string,
): Record<string, string> {
  // Empty rows are left out of the input, so map errors back to the visible rows.
  const rows = values.referenceIds.flatMap((row, at) => (isBegun(row) ? [at] : []))
  const shownAt = (path: string) =>
    path.replace(/^referenceIds\.(\d+)/, (_, at: string) => `referenceIds.${rows[Number(at)]}`)
  const errors = Object.fromEntries(Object.entries(faults).map(([path, text]) => [shownAt(path), text]))
  const { latitude, longitude } = toMasterInput(values)
  if ((latitude === null) !== (longitude === null))
    errors[latitude === null ? 'latitude' : 'longitude'] ??= incomplete
  return errors
}
