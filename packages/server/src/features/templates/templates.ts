import type { DeviceTemplate, DeviceTemplateSummary, TemplateContent } from '@leitstand/contract/templates'
import type { Context } from '../../platform/context.ts'
import { type Executor, violatedUnique } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { demandRoomForTemplates, requireAccount } from '../accounts/index.ts'
import { recordActivity } from '../activity/index.ts'
import { isDriverOffered, requireAccepted, requireExpressions } from '../drivers/index.ts'
import { homeAccountOf } from '../people/index.ts'
import { checkConditionScript, checkScripts } from '../rules/index.ts'
import { changesOf, readScopes, writeScopes } from '../twins/index.ts'
import { changesBetween, syncStateOf } from './changes.ts'
import { checkContent, withIds } from './content.ts'
import {
  deleteTemplate as deleteTemplateRow,
  findTemplate,
  findUsableConnector,
  hasOtherConnector,
  insertTemplate,
  listExamples,
  loadContent,
  type TemplateRow,
  titleIndex,
  updateTemplate as updateTemplateRow,
  writeDraft,
} from './store.ts'

/** Maximum devices named in the error when a linked template cannot be deleted. */
const examplesMax = 20

/** The editable fields of a template. */
export interface TemplateInput {
  title: string
  description: string
  content: TemplateContent
  acceptDriver?: number | undefined
}

/** Scopes whose templates the caller may see. */
export function templateScopes(caller: Caller): number[] {
  return [...new Set([...caller.scopeIds('DeviceTemplate', 'read'), ...manageScopes(caller)])]
}

/** Scopes whose templates the caller may create, change, publish and delete. */
function manageScopes(caller: Caller): number[] {
  return [...caller.scopeIds('DeviceTemplate', 'manage')]
}

export function summaryOf(caller: Caller, row: TemplateRow): DeviceTemplateSummary {
  const {
    publication,
    publishedAt,
    createdAt,
    updatedAt,
    isChanged,
    isRunning,
    syncedCount,
    jobId,
    ...rest
  } = row
  return {
    ...rest,
    stage: publication === null ? 'draft' : 'productive',
    syncState: syncStateOf(row),
    publishedAt: publishedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    editable: manageScopes(caller).includes(row.scopeId),
  }
}

/** A template the caller may see. @throws AppError DEVICE_TEMPLATE_NOT_FOUND */
export async function requireTemplate(db: Executor, caller: Caller, id: number): Promise<TemplateRow> {
  const row = await findTemplate(db, templateScopes(caller), id)
  if (!row) throw new AppError('DEVICE_TEMPLATE_NOT_FOUND', { id })
  return row
}

/** @throws AppError DEVICE_TEMPLATE_NOT_FOUND */
export async function getTemplate(db: Executor, caller: Caller, id: number): Promise<DeviceTemplate> {
  const row = await requireTemplate(db, caller, id)
  const { draft, productive, changes } = await contentsOf(db, row)
  return {
    ...summaryOf(caller, row),
    draft,
    productive: productive ?? null,
    changeCount: changes.length,
    jobId: row.jobId,
  }
}

/** The draft, the published content, and the changes between them. */
export async function contentsOf(db: Executor, { id, deviceCount }: TemplateRow) {
  const draft = await draftOf(db, id)
  const productive = await loadContent(db, id, 'productive')
  return { draft, productive, changes: changesBetween(productive, draft, deviceCount) }
}

export async function draftOf(db: Executor, id: number): Promise<TemplateContent> {
  const draft = await loadContent(db, id, 'draft')
  if (!draft) throw new Error(`device template ${id} has no draft`)
  return draft
}

/** @throws AppError DEVICE_TEMPLATE_NOT_PUBLISHED */
export async function productiveOf(db: Executor, id: number): Promise<TemplateContent> {
  const content = await loadContent(db, id, 'productive')
  if (!content) throw new AppError('DEVICE_TEMPLATE_NOT_PUBLISHED', { id })
  return content
}

/**
 * Creates a template with its draft. Devices cannot be linked to it before it is published.
 * @returns its id
 * @throws AppError TENANT_NOT_FOUND, TENANT_TEMPLATE_LIMIT, TENANT_TEMPLATE_LIMIT_ABOVE,
 * DEVICE_TEMPLATE_TITLE_TAKEN, and what `requireFitting` and `requireAccepted` throw
 */
export async function createTemplate(
  ctx: Context,
  caller: Caller,
  input: TemplateInput & { accountId: number },
): Promise<number> {
  const content = withIds(input.content)
  await requireScripts(ctx, caller, content)
  return unlessTaken(
    input.title,
    async (tx) => {
      const { accountId, title, description } = input
      const { scopeId } = await requireAccount(tx, accountId, manageScopes(caller))
      await demandRoomForTemplates(tx, caller, accountId)
      await requireFitting(tx, caller, accountId, content, null)
      await requireDriverAccepted(ctx, tx, caller, accountId, input)
      const id = await insertTemplate(tx, { accountId, scopeId, title, description }, ctx.clock.now())
      await writeDraft(tx, id, content)
      await recordActivity(tx, caller, about('create', { id, title, accountId }))
      return id
    },
    ctx,
  )
}

/**
 * Saves the draft of a template, and its title and description, which take effect at once.
 * @throws AppError DEVICE_TEMPLATE_NOT_FOUND, NO_PERMISSION, VERSION_CONFLICT, DEVICE_TEMPLATE_TITLE_TAKEN,
 * DEVICE_TEMPLATE_CONNECTOR_IN_USE, and what `requireFitting` and `requireAccepted` throw
 */
export async function updateTemplate(
  ctx: Context,
  caller: Caller,
  input: TemplateInput & { id: number; version: number },
): Promise<void> {
  const content = withIds(input.content)
  await requireTemplate(ctx.db, caller, input.id)
  await requireScripts(ctx, caller, content)
  await unlessTaken(
    input.title,
    async (tx) => {
      const row = await templateForChange(tx, caller, input.id, input.version)
      const before = await draftOf(tx, row.id)
      await requireFitting(tx, caller, row.accountId, content, before)
      await requireDriverAccepted(ctx, tx, caller, row.accountId, input)
      await requireSameConnector(tx, row.id, content)
      const { title, description } = input
      await updateTemplateRow(tx, row.id, { title, description }, ctx.clock.now())
      await writeDraft(tx, row.id, content)
      await recordActivity(tx, caller, {
        ...about('update', { ...row, title }),
        changes: {
          ...changesOf({ title: row.title, description: row.description }, { title, description }),
          ...changesOf({ ...before }, { ...content }),
        },
      })
    },
    ctx,
  )
}

/** @throws AppError DEVICE_TEMPLATE_NOT_FOUND, NO_PERMISSION, DEVICE_TEMPLATE_LINKED with `devices` and `items` */
export async function deleteTemplate({ db }: Context, caller: Caller, id: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const row = await templateForChange(tx, caller, id, undefined)
    if (row.deviceCount > 0)
      throw new AppError('DEVICE_TEMPLATE_LINKED', {
        devices: row.deviceCount,
        items: await listExamples(tx, id, readScopes(caller, 'virtualDevice'), examplesMax),
      })
    await deleteTemplateRow(tx, id)
    await recordActivity(tx, caller, about('delete', row))
  })
}

/**
 * Loads a template for a change: locked, with the expected version, and writable by the caller.
 * @throws AppError DEVICE_TEMPLATE_NOT_FOUND, NO_PERMISSION, VERSION_CONFLICT
 */
export async function templateForChange(
  tx: Executor,
  caller: Caller,
  id: number,
  version: number | undefined,
): Promise<TemplateRow> {
  const row = await findTemplate(tx, templateScopes(caller), id, { lock: true })
  if (!row) throw new AppError('DEVICE_TEMPLATE_NOT_FOUND', { id })
  if (!manageScopes(caller).includes(row.scopeId))
    throw new AppError('NO_PERMISSION', { subject: 'DeviceTemplate', action: 'manage' })
  if (version !== undefined && version !== row.version)
    throw new AppError('VERSION_CONFLICT', { version: row.version })
  return row
}

/** The connector of a device cannot be changed. @throws AppError DEVICE_TEMPLATE_CONNECTOR_IN_USE */
export async function requireSameConnector(
  tx: Executor,
  id: number,
  { connectorId }: TemplateContent,
): Promise<void> {
  if (await hasOtherConnector(tx, id, connectorId))
    throw new AppError('DEVICE_TEMPLATE_CONNECTOR_IN_USE', { id })
}

/**
 * Scripts are tested before the transaction begins.
 * @throws AppError DEVICE_TEMPLATE_INVALID with `issues`, SCRIPT_SYNTAX, SCRIPT_NO_FUNCTION
 */
async function requireScripts(
  { scripts, db }: Context,
  caller: Caller,
  content: TemplateContent,
): Promise<void> {
  const issues = checkContent(content)
  const [first] = issues
  if (first)
    throw new AppError('DEVICE_TEMPLATE_INVALID', { issues }, `${first.path.join('.')}: ${first.message}`)
  const account = await homeAccountOf(db, caller)
  if (content.health) await requireExpressions(scripts, content.health, account)
  const named = content.states.map(({ key, transformer }) => ({
    alias: key,
    transformer: transformer ?? undefined,
  }))
  await checkScripts(scripts, named, account)
  for (const rule of content.rules) {
    await checkScripts(scripts, rule.metrics, account, rule.actions)
    await checkConditionScript(scripts, rule, account)
  }
}

/**
 * Driver and connector must be available to the account.
 * @param before the previous draft; its connector may have been deleted
 * @throws AppError DEVICEDRIVER_NOT_FOUND, CONNECTOR_NOT_FOUND
 */
async function requireFitting(
  tx: Executor,
  caller: Caller,
  accountId: number,
  { driverId, driverVersion, connectorId }: TemplateContent,
  before: TemplateContent | null,
): Promise<void> {
  if (!(await isDriverOffered(tx, driverId, accountId, driverVersion)))
    throw new AppError('DEVICEDRIVER_NOT_FOUND', { id: driverId, number: driverVersion })
  if (connectorId === before?.connectorId) return
  const scopeIds = writeScopes(caller, 'virtualDevice')
  if (connectorId === null || !(await findUsableConnector(tx, accountId, scopeIds, connectorId)))
    throw new AppError('CONNECTOR_NOT_FOUND', { id: connectorId })
}

/** Linked devices will use the driver. @throws AppError like `requireAccepted` */
function requireDriverAccepted(
  { clock }: Context,
  tx: Executor,
  caller: Caller,
  accountId: number,
  { content: { driverId }, acceptDriver: number }: TemplateInput,
): Promise<void> {
  return requireAccepted(tx, caller, [{ accountId, driverId, number }], clock.now())
}

async function unlessTaken<T>(
  title: string,
  work: (tx: Executor) => Promise<T>,
  { db }: Context,
): Promise<T> {
  try {
    return await db.transaction().execute(work)
  } catch (error) {
    if (violatedUnique(error) === titleIndex) throw new AppError('DEVICE_TEMPLATE_TITLE_TAKEN', { title })
    throw error
  }
}

export function about(action: string, template: { id: number; title: string; accountId: number }) {
  return {
    action,
    subject: 'DeviceTemplate',
    objectId: template.id,
    objectTitle: template.title,
    accountId: template.accountId,
  }
}
