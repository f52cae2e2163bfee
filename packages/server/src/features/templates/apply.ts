import type { TemplateContent } from '@leitstand/contract/templates'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { AlarmChange, AlarmsFeature } from '../alarms/index.ts'
import { linkToTemplate, missingProperties } from '../devices/index.ts'
import { setTemplateConfig } from '../health/index.ts'
import { keepTemplateRules } from '../rules/index.ts'
import {
  addKeyValues,
  addStates,
  deleteStates,
  findUnusedStates,
  fixStates,
  type ObjectRow,
  releaseStates,
  replaceLinks,
  type WantedState,
} from '../twins/index.ts'
import { type HeldState, listHeldStates, loadLink } from './apply.store.ts'
import { ruleFor, stateFor } from './content.ts'

/** Maximum publications of a template. */
const publicationsMax = 1_000_000

/** A publication of a template. */
export interface Publication {
  templateId: number
  publication: number
  content: TemplateContent
}

/** Result of synchronising a device. */
export interface Applied {
  /** of the device */
  id: number
  /** for the activity log; undefined when the device already matched the template */
  changes: Record<string, unknown> | undefined
  /** to be announced after the commit */
  alarms: AlarmChange[]
  /** states to recompute after the commit */
  computed: number[]
}

/**
 * Applies a template to a device, in a transaction that has locked `lockStatesOfDevice`, `lockLive` and the
 * row of the device, in this order.
 * @param options.isNew it is being linked: states missing from the template are deleted, unless something
 * uses them. Otherwise only states that came from the template before are deleted.
 * @param options.properties values for required properties, in addition to those the device has
 * @throws AppError DEVICE_TEMPLATE_PROPERTY_MISSING, DDR_DUPLICATE_NAME, AGGREGATE_LOOP
 */
export async function applyTemplate(
  { clock }: Pick<Context, 'clock'>,
  alarms: Pick<AlarmsFeature, 'resolve'>,
  tx: Executor,
  device: ObjectRow,
  { templateId, publication, content }: Publication,
  options: { isNew: boolean; properties?: Readonly<Record<string, string>> },
): Promise<Applied> {
  const now = clock.now()
  const before = await loadLink(tx, device.id)
  const properties = propertiesFor(content, device.keyValues, options.properties)
  const held = await listHeldStates(tx, device.id)
  const { ids, changed: states, computed } = await applyStates(tx, device.id, content, held, now)
  const wanted = content.rules.map((rule) => ({
    templateRule: rule.id ?? '',
    fields: ruleFor(templateId, rule),
  }))
  const rules = await keepTemplateRules(tx, alarms, device, { id: templateId, rules: wanted }, now, {
    isNew: options.isNew,
    stateIds: ids,
  })
  // Rules of the template that used them have been deleted by now.
  const deleted = await dropStates(tx, device.id, leavingOf(held, content, options.isNew))
  const isHealthOther = await setTemplateConfig(
    tx,
    device.id,
    content.health,
    -(templateId * publicationsMax + publication),
    now,
  )
  const { driverId, driverVersion } = content
  await linkToTemplate(tx, device.id, { templateId, publication, driverId, driverVersion }, now)
  const isRead = before.driverId === driverId && before.driverVersion === driverVersion
  const changes = {
    ...(isRead ? {} : { driver: { before: before.driverId, after: driverId }, driverVersion }),
    ...(states > 0 ? { states } : {}),
    ...(deleted.length > 0 ? { deletedStates: deleted } : {}),
    ...(rules.changed > 0 ? { rules: rules.changed } : {}),
    ...(isHealthOther ? { health: true } : {}),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
  }
  const isChanged = Object.keys(changes).length > 0
  if (isChanged || options.isNew) await addKeyValues(tx, device.id, properties, now)
  return { id: device.id, changes: isChanged ? changes : undefined, alarms: rules.alarms, computed }
}

/**
 * Values for required properties that a device does not have yet.
 * @throws AppError DEVICE_TEMPLATE_PROPERTY_MISSING with `keys`
 */
export function propertiesFor(
  { properties }: TemplateContent,
  held: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const open = missingProperties(properties, { ...held, ...given })
  const defaults = properties.filter(({ key }) => open.includes(key))
  const keys = missingProperties(
    defaults,
    Object.fromEntries(defaults.map((each) => [each.key, each.defaultValue])),
  )
  if (keys.length > 0) throw new AppError('DEVICE_TEMPLATE_PROPERTY_MISSING', { keys })
  return { ...given, ...Object.fromEntries(defaults.map(({ key, defaultValue }) => [key, defaultValue])) }
}

/**
 * States of a device that are missing from its template; for a linked device, only those that came from the
 * template.
 */
export function leavingOf(
  held: readonly HeldState[],
  { states }: TemplateContent,
  isNew: boolean,
): HeldState[] {
  const keys = new Set(states.map(({ key }) => key))
  return held.filter(({ key, fixed }) => !keys.has(key) && (isNew || fixed))
}

async function applyStates(
  tx: Executor,
  deviceId: number,
  { states }: TemplateContent,
  held: readonly HeldState[],
  now: Date,
): Promise<{ ids: Map<string, number>; changed: number; computed: number[] }> {
  const known = new Set(held.map(({ key }) => key))
  const missing = states.filter(({ key }) => !known.has(key))
  // `fixStates` sets their definitions, once the ids of all of them are known.
  const bare = missing.map(({ key, title, source, valueType }) => {
    return { key, title, source, value_type: valueType, fixed: true }
  })
  await addStates(tx, [{ twinIds: [deviceId], states: bare }], { now })
  const all = missing.length === 0 ? held : await listHeldStates(tx, deviceId)
  const ids = new Map(all.map(({ key, id }) => [key, id]))
  const wanted = states.map(
    (state): WantedState => ({ id: ids.get(state.key) ?? 0, ...stateFor(state, ids) }),
  )
  const changed = await fixStates(tx, wanted, now)
  // They depend only on each other and have no loop; `checkContent` has verified both.
  await replaceLinks(
    tx,
    wanted.map(({ id, source: { sourceIds } }) => ({ id, sourceIds })),
  )
  const differing = new Set(changed)
  const computed = wanted.filter(({ id, source }) => source.sourceIds.length > 0 && differing.has(id))
  return { ids, changed: changed.length, computed: computed.map(({ id }) => id) }
}

/** @returns keys of the deleted states; the others now belong to the device itself */
async function dropStates(tx: Executor, deviceId: number, leaving: readonly HeldState[]): Promise<string[]> {
  const ids = leaving.map(({ id }) => id)
  const unused = new Set(await findUnusedStates(tx, ids))
  await deleteStates(tx, [...unused])
  await releaseStates(
    tx,
    deviceId,
    ids.filter((id) => !unused.has(id)),
  )
  return leaving.filter(({ id }) => unused.has(id)).map(({ key }) => key)
}
