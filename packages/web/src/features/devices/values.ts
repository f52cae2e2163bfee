import type { Preset } from '@leitstand/contract/bridge'
import { Id, Tags } from '@leitstand/contract/common'
import { fitsPreset, normaliseExternalId } from '@leitstand/contract/identifiers'
import { ObjectFields } from '@leitstand/contract/twins'
import { OperationalStatus } from '@leitstand/contract/virtualdevices'
import * as z from 'zod'
import { check } from '../../lib/validation.ts'
import type { Device } from './queries.ts'

/** Form values of a device; ids are strings, as selects need them. */
export interface DeviceValues extends Record<string, unknown> {
  title: string
  description: string
  tags: string[]
  zones: string[]
  groups: string[]
  icon: string | null
  address: string
  latitude: number | string | null
  longitude: number | string | null
  floorNumber: number | string | null
  floorName: string
  keyValues: Record<string, string>
  referenceIds: { name: string; value: string }[]
  externalId: string
  driverId: string | null
  driverVersion: string | null
  operationalStatus: string
  parentId: string | null
  /** the linked template; null: none, or unlinked when this is saved */
  templateId: string | null
}

export const emptyDevice: DeviceValues = {
  title: '',
  description: '',
  tags: [],
  zones: [],
  groups: [],
  icon: null,
  address: '',
  latitude: null,
  longitude: null,
  floorNumber: null,
  floorName: '',
  keyValues: {},
  referenceIds: [],
  externalId: '',
  driverId: null,
  driverVersion: null,
  operationalStatus: '0',
  parentId: null,
  templateId: null,
}

const idText = (id: number | null) => (id === null ? null : String(id))
const numberOf = (value: number | string | null) => (value === null || value === '' ? null : Number(value))

export function toValues(device: Device): DeviceValues {
  return {
    title: device.title,
    description: device.description,
    tags: device.tags,
    zones: device.zones,
    groups: device.groups,
    icon: device.icon,
    address: device.address,
    latitude: device.latitude,
    longitude: device.longitude,
    floorNumber: device.floorNumber,
    floorName: device.floorName,
    keyValues: device.keyValues,
    referenceIds: device.referenceIds,
    externalId: device.externalId,
    driverId: idText(device.driverId),
    driverVersion: idText(device.driverVersion),
    operationalStatus: String(device.operationalStatus),
    parentId: idText(device.parentId),
    templateId: idText(device.templateId),
  }
}

type Reference = DeviceValues['referenceIds'][number]
const isBegun = ({ name, value }: Reference) => name.trim() !== '' || value.trim() !== ''

/** Input common to create and update. Unfinished pairs without a name are left out. */
export function toInput(values: DeviceValues) {
  return {
    title: values.title.trim(),
    description: values.description,
    tags: values.tags,
    zones: values.zones,
    groups: values.groups,
    icon: values.icon,
    address: values.address,
    latitude: numberOf(values.latitude),
    longitude: numberOf(values.longitude),
    floorNumber: numberOf(values.floorNumber),
    floorName: values.floorName.trim(),
    keyValues: values.keyValues,
    referenceIds: values.referenceIds.filter(isBegun),
    externalId: normaliseExternalId(values.externalId),
    driverId: numberOf(values.driverId),
    driverVersion: values.driverId === null ? null : numberOf(values.driverVersion),
    operationalStatus: Number(values.operationalStatus),
    parentId: numberOf(values.parentId),
  }
}

const Schema = z.object({
  ...ObjectFields,
  groups: Tags,
  externalId: z.string().trim().min(1).max(200),
  driverId: Id.nullable(),
  driverVersion: z.int().min(1).nullable(),
  operationalStatus: OperationalStatus,
  parentId: Id.nullable(),
})

/** Texts, in the user's language, of errors the contract has no message for. */
interface FaultTexts {
  positionIncomplete: string
  euiInvalid: string
}

/**
 * Form errors by field. A position needs both coordinates.
 * @param preset how the connector reads messages, if known
 * @param kept the device's current external id, which is always valid
 */
export function checkDevice(
  texts: FaultTexts,
  { preset, kept }: { preset?: Preset | undefined; kept?: string } = {},
): (values: DeviceValues) => Record<string, string> {
  const fields = check(Schema)
  return (values) => {
    const input = toInput(values)
    // Empty rows are left out of the input, so map errors back to the visible rows.
    const rows = values.referenceIds.flatMap((row, at) => (isBegun(row) ? [at] : []))
    const shownAt = (path: string) =>
      path.replace(/^referenceIds\.(\d+)/, (_, at: string) => `referenceIds.${rows[Number(at)]}`)
    const errors = Object.fromEntries(
      Object.entries(fields(input)).map(([path, text]) => [shownAt(path), text]),
    )
    if ((input.latitude === null) !== (input.longitude === null)) {
      errors[input.latitude === null ? 'latitude' : 'longitude'] ??= texts.positionIncomplete
    }
    if (preset !== undefined && input.externalId !== kept && !fitsPreset(input.externalId, preset))
      errors.externalId ??= texts.euiInvalid
    return errors
  }
}
