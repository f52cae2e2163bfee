import * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { recordActivity } from '../activity/index.ts'
import { processPage, retryParams } from '../batches/index.ts'
import { lockLive, lockStatesOfDevice } from '../devices/index.ts'
import { advanceRows, type JobKind, type JobsFeature } from '../jobs/index.ts'
import { beginErrand, Errand, type PeopleFeature } from '../people/index.ts'
import { findObject } from '../twins/index.ts'
import { loadLink } from './apply.store.ts'
import { type Applied, applyTemplate } from './apply.ts'
import { about, follow, type LinkTools, linkable, linkDevice } from './link.ts'
import { findLinkedScope, listBehind, noteFailures, notePublication, publishDraft } from './store.ts'
import { about as aboutTemplate, draftOf, requireSameConnector, templateForChange } from './templates.ts'

/**
 * Publishes the draft of a template and starts the job that synchronises its devices.
 * @returns the job; null when all devices are in sync
 * @throws AppError DEVICE_TEMPLATE_NOT_FOUND, NO_PERMISSION, VERSION_CONFLICT, DEVICE_TEMPLATE_SYNC_RUNNING,
 * DEVICE_TEMPLATE_CONNECTOR_DELETED, DEVICE_TEMPLATE_CONNECTOR_IN_USE, TOO_MANY_REQUESTS
 */
export async function publishTemplate(
  { ctx, jobs }: { ctx: Context; jobs: JobsFeature },
  caller: Caller,
  { id, version }: { id: number; version: number },
) {
  return ctx.db.transaction().execute(async (tx) => {
    const row = await templateForChange(tx, caller, id, version)
    if (row.isRunning) throw new AppError('DEVICE_TEMPLATE_SYNC_RUNNING', { id, jobId: row.jobId })
    const draft = await draftOf(tx, id)
    if (draft.connectorId === null) throw new AppError('DEVICE_TEMPLATE_CONNECTOR_DELETED', { id })
    await requireSameConnector(tx, id, draft)
    if (row.isChanged) {
      await publishDraft(tx, id, ctx.clock.now())
      await recordActivity(tx, caller, {
        ...aboutTemplate('publish', row),
        changes: { publication: { before: row.publication, after: (row.publication ?? 0) + 1 } },
      })
    }
    const behind = await listBehind(tx, id)
    if (behind.length === 0) return null
    const job = await jobs.create(
      caller,
      {
        type: 'device-template-sync',
        title: row.title,
        total: behind.length,
        accountId: row.accountId,
        scopeId: row.scopeId,
        resourceType: 'deviceTemplate',
        resourceId: id,
        params: { errand: beginErrand(caller), templateId: id },
        demands: {
          permissions: [{ subject: 'DeviceTemplate', action: 'manage' }],
          scopeIds: [row.scopeId],
          everywhere: true,
        },
      },
      { devices: behind.length },
      behind.map((device, at) => ({
        row: at + 1,
        objectId: device.id,
        title: device.title,
        cells: null,
        faults: [],
      })),
      tx,
    )
    await notePublication(tx, id, job.id)
    return job
  })
}

const SyncParams = z.object({ errand: Errand, templateId: z.int() })
const LinkParams = z.object({
  errand: Errand,
  mode: z.object({ kind: z.literal('link'), templateId: z.int() }),
})

interface Tools extends LinkTools {
  callerOf: PeopleFeature['callerOf']
}

/** Synchronises the devices of a template with it, each in its own transaction. */
export function syncKind({ callerOf, ...tools }: Tools): JobKind<z.infer<typeof SyncParams>> {
  const { ctx } = tools
  return {
    type: 'device-template-sync',
    params: SyncParams,
    renew: retryParams,
    page: async (job, { errand, templateId }) => {
      const { rows, changed } = await processPage(
        ctx,
        job,
        () => callerOf(errand),
        (tx, caller, id) => syncDevice(tools, tx, caller, { id, templateId }),
      )
      if (rows.length === 0) return false
      await noteFailures(ctx.db, templateId, job.id, rows)
      await follow(tools, changed)
      await advanceRows(ctx.db, job)
      return true
    },
  }
}

/** Links devices to a template, each in its own transaction. */
export function linkKind({ callerOf, ...tools }: Tools): JobKind<z.infer<typeof LinkParams>> {
  const { ctx } = tools
  return {
    type: 'virtualdevice-bulk-link',
    params: LinkParams,
    renew: retryParams,
    page: async (job, { errand, mode: { templateId } }) => {
      const { rows, changed } = await processPage(
        ctx,
        job,
        () => callerOf(errand),
        (tx, caller, id) => linkDevice(tools, tx, caller, { id, templateId }),
      )
      if (rows.length === 0) return false
      await follow(tools, changed)
      await advanceRows(ctx.db, job)
      return true
    },
  }
}

/**
 * Synchronises a device with the published content.
 * @returns undefined when it is already in sync, or no longer linked
 */
async function syncDevice(
  { ctx, alarms }: LinkTools,
  tx: Executor,
  caller: Caller,
  { id, templateId }: { id: number; templateId: number },
): Promise<Applied | undefined> {
  await lockStatesOfDevice(tx, id)
  await lockLive(tx, id)
  const scopeId = await findLinkedScope(tx, templateId, id)
  const device =
    scopeId === undefined
      ? undefined
      : await findObject(tx, 'virtualDevice', [scopeId], id, { lock: 'change' })
  if (!device) return undefined
  // Permission to change the template includes changing its devices.
  const template = await linkable(tx, caller.scopeIds('DeviceTemplate', 'manage'), templateId)
  const { publication, error } = await loadLink(tx, id)
  if (publication === template.publication && error === null) return undefined
  const applied = await applyTemplate(ctx, alarms, tx, device, template, { isNew: false })
  if (applied.changes === undefined) return undefined
  await recordActivity(tx, caller, {
    ...about('template-sync', device),
    changes: { template: template.title, templateId, ...applied.changes },
  })
  return applied
}
