import type { TemplateLinkPreview } from '@leitstand/contract/templates'
import type { virtualdevice } from '@leitstand/contract/virtualdevices'
import type * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { recordActivity } from '../activity/index.ts'
import type { AlarmsFeature } from '../alarms/index.ts'
import {
  createDevices,
  lockLive,
  lockStatesOfDevice,
  requireDevice,
  unlinkFromTemplate,
  updateDevice,
} from '../devices/index.ts'
import { type HealthFeature, releaseTemplateConfig } from '../health/index.ts'
import { freeTemplateRules, listOwnRules } from '../rules/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import {
  findUnusedStates,
  lockLinks,
  type ObjectRow,
  objectForChange,
  releaseStates,
  requireWrite,
  touchObjects,
} from '../twins/index.ts'
import { holdPublished, listHeldStates, loadLink } from './apply.store.ts'
import { type Applied, applyTemplate, leavingOf, type Publication } from './apply.ts'
import { productiveOf, templateScopes } from './templates.ts'

/** The services needed to synchronise devices with templates. */
export interface LinkTools {
  ctx: Context
  alarms: Pick<AlarmsFeature, 'resolve' | 'announce'>
  series: Pick<SeriesFeature, 'recompute'>
  health: Pick<HealthFeature, 'recomputeHealth'>
}

type CreateInput = z.infer<NonNullable<(typeof virtualdevice.create)['~orpc']['inputSchema']>>

type UpdateInput = z.infer<NonNullable<(typeof virtualdevice.update)['~orpc']['inputSchema']>>

/** A template that devices can be linked to. */
export interface Linkable extends Publication {
  title: string
  accountId: number
}

/**
 * The published content of a template, locked against another publication until the end of the transaction.
 * @throws AppError DEVICE_TEMPLATE_NOT_FOUND, DEVICE_TEMPLATE_NOT_PUBLISHED
 */
export async function linkable(tx: Executor, scopeIds: readonly number[], id: number): Promise<Linkable> {
  const row = await holdPublished(tx, scopeIds, id)
  if (!row) throw new AppError('DEVICE_TEMPLATE_NOT_FOUND', { id })
  const content = await productiveOf(tx, id)
  const { title, accountId, publication } = row
  return { templateId: id, title, accountId, publication: publication ?? 0, content }
}

/**
 * Creates a device, linked to a template if one is given.
 * @returns its id
 * @throws AppError what `createDevices`, `linkable` and `applyTemplate` throw,
 * DEVICE_TEMPLATE_CONNECTOR_DELETED, DEVICE_TEMPLATE_MISMATCH with `field`
 */
export async function createDevice(tools: LinkTools, caller: Caller, input: CreateInput): Promise<number> {
  const { ctx } = tools
  const { templateId, ...device } = input
  if (templateId === null) {
    const [id = 0] = await ctx.db
      .transaction()
      .execute((tx) => createDevices(tx, caller, device.connectorId, [device], ctx.clock.now()))
    return id
  }
  const applied = await ctx.db
    .transaction()
    .execute((tx) => createLinked(tools, tx, caller, device, templateId))
  await follow(tools, [applied])
  return applied.id
}

async function createLinked(
  { ctx, alarms }: LinkTools,
  tx: Executor,
  caller: Caller,
  device: Omit<CreateInput, 'templateId'>,
  templateId: number,
): Promise<Applied> {
  // Locked before the parent of the device, as in every change of links.
  await lockLinks(tx)
  const template = await linkable(tx, templateScopes(caller), templateId)
  const { content, accountId } = template
  if (content.connectorId === null)
    throw new AppError('DEVICE_TEMPLATE_CONNECTOR_DELETED', { id: templateId })
  const { driverId, driverVersion } = content
  requireMatch(template, {
    connectorId: device.connectorId,
    driverId: device.driverId ?? driverId,
    accountId,
  })
  const input = { ...device, driverId, driverVersion, groups: device.groups ?? content.groups }
  const options = { accountId }
  const [id = 0] = await createDevices(tx, caller, device.connectorId, [input], ctx.clock.now(), options)
  await lockStatesOfDevice(tx, id)
  const row = await objectForChange(tx, caller, 'virtualDevice', id)
  requireMatch(template, { connectorId: device.connectorId, driverId, accountId: row.accountId })
  const applied = await applyTemplate(ctx, alarms, tx, row, template, { isNew: true })
  await recordActivity(tx, caller, {
    ...about('template-link', row),
    changes: { template: template.title, templateId },
  })
  return applied
}

/** @throws AppError DEVICE_TEMPLATE_MISMATCH with the `field` that differs */
function requireMatch(template: Linkable, device: Parameters<typeof mismatchOf>[1]): void {
  const field = mismatchOf(template, device)
  if (field) throw new AppError('DEVICE_TEMPLATE_MISMATCH', { field, id: template.templateId })
}

function mismatchOf(
  { accountId, content: { connectorId, driverId } }: Linkable,
  device: { connectorId: number; driverId: number | null; accountId: number },
): 'account' | 'connector' | 'driver' | undefined {
  if (device.accountId !== accountId) return 'account'
  if (device.connectorId !== connectorId) return 'connector'
  return device.driverId === driverId ? undefined : 'driver'
}

/**
 * Links a device to a template, in a transaction of the caller.
 * @throws AppError VDEVICE_NOT_FOUND, NO_PERMISSION, VERSION_CONFLICT, DEVICE_TEMPLATE_ALREADY_LINKED,
 * DEVICE_TEMPLATE_MISMATCH with `field`, and what `linkable` and `applyTemplate` throw
 */
export async function linkDevice(
  { ctx, alarms }: Pick<LinkTools, 'ctx' | 'alarms'>,
  tx: Executor,
  caller: Caller,
  input: { id: number; templateId: number; version?: number; properties?: Record<string, string> },
): Promise<Applied> {
  const { id, templateId, version, properties } = input
  const row = await lockDevice(tx, caller, id, version)
  const template = await linkable(tx, templateScopes(caller), templateId)
  const link = await loadLink(tx, id)
  if (link.templateId !== null)
    throw new AppError('DEVICE_TEMPLATE_ALREADY_LINKED', { templateId: link.templateId })
  requireMatch(template, { ...link, accountId: row.accountId })
  const applied = await applyTemplate(ctx, alarms, tx, row, template, {
    isNew: true,
    ...(properties ? { properties } : {}),
  })
  await recordActivity(tx, caller, {
    ...about('template-link', row),
    changes: { template: template.title, templateId, ...applied.changes },
  })
  return applied
}

/** The same in a transaction of its own. */
export async function linkOne(
  tools: LinkTools,
  caller: Caller,
  input: { id: number; version: number; templateId: number; properties: Record<string, string> },
): Promise<void> {
  const applied = await tools.ctx.db.transaction().execute((tx) => linkDevice(tools, tx, caller, input))
  await follow(tools, [applied])
}

/**
 * Unlinks a device from its template; it keeps everything as its own.
 * @throws AppError VDEVICE_NOT_FOUND, NO_PERMISSION, VERSION_CONFLICT, DEVICE_TEMPLATE_NOT_LINKED
 */
export async function unlinkDevice(
  { db, clock }: Context,
  caller: Caller,
  { id, version }: { id: number; version: number },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const row = await lockDevice(tx, caller, id, version)
    const now = clock.now()
    await detach(tx, caller, row, now)
    await touchObjects(tx, [id], now)
  })
}

/** Releases a locked device from its template. @throws AppError DEVICE_TEMPLATE_NOT_LINKED */
async function detach(tx: Executor, caller: Caller, row: ObjectRow, now: Date): Promise<void> {
  const { id } = row
  const { templateId } = await loadLink(tx, id)
  if (templateId === null) throw new AppError('DEVICE_TEMPLATE_NOT_LINKED', { id })
  const stateIds = new Map((await listHeldStates(tx, id)).map((state) => [state.key, state.id]))
  await freeTemplateRules(tx, row, templateId, stateIds, now)
  await unlinkFromTemplate(tx, id)
  await releaseStates(tx, id)
  await releaseTemplateConfig(tx, id)
  await recordActivity(tx, caller, { ...about('template-unlink', row), changes: { templateId } })
}

/** Changes a device and, with `templateId: null`, unlinks it before. @throws AppError what `updateDevice` throws */
export async function changeLinkedDevice(
  { ctx, health }: Pick<LinkTools, 'ctx' | 'health'>,
  caller: Caller,
  input: UpdateInput,
): Promise<void> {
  const now = ctx.clock.now()
  await ctx.db
    .transaction()
    .execute((tx) => updateDevice(tx, caller, input, now, (row) => detach(tx, caller, row, now)))
  await health.recomputeHealth([input.id])
}

/**
 * The effects that linking a device would have.
 * @throws AppError VDEVICE_NOT_FOUND, NO_PERMISSION, and what `linkable` throws
 */
export async function previewLink(
  { db }: Context,
  caller: Caller,
  { id, templateId }: { id: number; templateId: number },
): Promise<TemplateLinkPreview> {
  const row = await requireDevice(db, caller, id)
  requireWrite(caller, 'virtualDevice', row.scopeId)
  const template = await db.transaction().execute((tx) => linkable(tx, templateScopes(caller), templateId))
  const { content } = template
  const [link, held] = [await loadLink(db, id), await listHeldStates(db, id)]
  const field = mismatchOf(template, { ...link, accountId: row.accountId })
  const leaving = leavingOf(held, content, true)
  const unused = new Set(
    await findUnusedStates(
      db,
      leaving.map((state) => state.id),
    ),
  )
  const left = new Set(leaving)
  const own = await listOwnRules(db, id)
  const known = new Set(held.map(({ key }) => key))
  const brief = (state: { id: number; key: string; title: string }) => ({
    stateId: state.id,
    key: state.key,
    title: state.title,
  })
  return {
    faults: [
      ...(link.templateId === null ? [] : [{ code: 'DEVICE_TEMPLATE_ALREADY_LINKED' }]),
      ...(field === undefined ? [] : [{ code: 'DEVICE_TEMPLATE_MISMATCH', field }]),
    ],
    dropped: leaving.filter((state) => unused.has(state.id)).map(brief),
    kept: leaving.filter((state) => !unused.has(state.id)).map(brief),
    matched: held.filter((state) => !left.has(state)).map(brief),
    added: content.states.filter(({ key }) => !known.has(key)).map(({ key, title }) => ({ key, title })),
    rules: content.rules.map(({ title }) => ({ title, replaces: own.has(title) })),
    properties: content.properties.map((each) => ({ ...each, value: row.keyValues[each.key] ?? null })),
  }
}

/** Locks everything of a device that linking changes, in the order in which values are stored. */
export async function lockDevice(
  tx: Executor,
  caller: Caller,
  id: number,
  version: number | undefined,
): Promise<ObjectRow> {
  await lockStatesOfDevice(tx, id)
  await lockLive(tx, id)
  return objectForChange(tx, caller, 'virtualDevice', id, version === undefined ? {} : { version })
}

/** Work to do after the commit of changes to devices. */
export async function follow(
  { alarms, series, health }: Omit<LinkTools, 'ctx'>,
  changed: readonly Applied[],
): Promise<void> {
  if (changed.length === 0) return
  alarms.announce(changed.flatMap((each) => each.alarms))
  const computed = changed.flatMap((each) => each.computed)
  if (computed.length > 0) await series.recompute(computed)
  await health.recomputeHealth(changed.map(({ id }) => id))
}

export function about(action: string, device: { id: number; title: string; accountId: number }) {
  return {
    action,
    subject: 'VirtualDevice',
    objectId: device.id,
    objectTitle: device.title,
    accountId: device.accountId,
  }
}
