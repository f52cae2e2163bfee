import type { Preset } from '@leitstand/contract/bridge'
import { Id, Tags } from '@leitstand/contract/common'
import { fitsPreset, normaliseExternalId } from '@leitstand/contract/identifiers'
import { ObjectFields } from '@leitstand/contract/twins'
import { OperationalStatus } from '@leitstand/contract/virtualdevices'
import * as z from 'zod'
import { check } from '../../lib/validation.ts'
import {
  emptyMaster,
  type MasterValues,
  masterFaults,
  numberOf,
  toMasterInput,
  toMasterValues,
} from '../../ui/forms/masterValues.ts'
import type { Device } from './queries.ts'

/** Form values of a device; ids are strings, as selects need them. */
export interface DeviceValues extends MasterValues, Record<string, unknown> {
  groups: string[]
  externalId: string
  driverId: string | null
  driverVersion: string | null
  operationalStatus: string
  /** the linked template; null: none, or unlinked when this is saved */
  templateId: string | null
}

export const emptyDevice: DeviceValues = {
  ...emptyMaster,
  groups: [],
  externalId: '',
  driverId: null,
  driverVersion: null,
  operationalStatus: '0',
  templateId: null,
}

const idText = (id: number | null) => (id === null ? null : String(id))

export function toValues(device: Device): DeviceValues {
  return {
    ...toMasterValues(device),
    groups: device.groups,
    externalId: device.externalId,
    driverId: idText(device.driverId),
    driverVersion: idText(device.driverVersion),
    operationalStatus: String(device.operationalStatus),
    templateId: idText(device.templateId),
  }
}

/** Input common to create and update. */
export function toInput(values: DeviceValues) {
  return {
    ...toMasterInput(values),
    groups: values.groups,
    externalId: normaliseExternalId(values.externalId),
    driverId: numberOf(values.driverId),
    driverVersion: values.driverId === null ? null : numberOf(values.driverVersion),
    operationalStatus: Number(values.operationalStatus),
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
    const errors = masterFaults(fields(input), values, texts.positionIncomplete)
    if (preset !== undefined && input.externalId !== kept && !fitsPreset(input.externalId, preset))
      errors.externalId ??= texts.euiInvalid
    return errors
  }
}
