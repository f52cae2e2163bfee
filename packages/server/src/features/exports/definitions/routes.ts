import { type ExportDefinition, exportLimits } from '@leitstand/contract/exports'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { os } from '../../../platform/http/implement.ts'
import { recordActivity } from '../../activity/index.ts'
import { type StartTools, startBulk } from '../start.ts'
import {
  countDefinitions,
  type DefinitionRow,
  deleteDefinition,
  findDefinition,
  findPlace,
  insertDefinition,
  listDefinitions,
  noteRun,
  placesOf,
  setActive,
  updateDefinition,
} from './store.ts'

/** Saved exports: seen by all who may read in their account, changed by who saved them and by managers of it. */
export function definitionRoutes(tools: StartTools) {
  const { db, clock } = tools.ctx

  /** @throws AppError EXPORT_NOT_FOUND */
  async function required(caller: Caller, id: number): Promise<DefinitionRow> {
    const row = await findDefinition(db, placesOf(caller), id)
    if (!row) throw new AppError('EXPORT_NOT_FOUND', { id })
    return row
  }

  /** @throws AppError EXPORT_NOT_FOUND, NO_PERMISSION */
  async function requiredOwn(caller: Caller, id: number): Promise<DefinitionRow> {
    const row = await required(caller, id)
    if (mayChange(caller, row)) return row
    throw new AppError('NO_PERMISSION', { needed: [{ subject: 'all', action: 'manage' }] })
  }

  const about = (row: Pick<DefinitionRow, 'id' | 'title' | 'accountId'>, action: string) => ({
    action,
    subject: 'Export' as const,
    objectId: row.id,
    objectTitle: row.title,
    accountId: row.accountId,
  })

  return {
    definitions: os.exporting.definitions.handler(async ({ input, context: { caller } }) => {
      const { items, total } = await listDefinitions(db, placesOf(caller), input)
      return {
        items: items.map((row) => present(caller, row)),
        total,
        offset: input.offset,
        limit: input.limit,
      }
    }),
    definition: os.exporting.definition.handler(async ({ input, context: { caller } }) =>
      present(caller, await required(caller, input.id)),
    ),
    createDefinition: os.exporting.createDefinition.handler(async ({ input, context: { caller } }) => {
      const { title, request, active } = input
      const place = await findPlace(db, caller, input.accountId)
      const id = await db.transaction().execute(async (tx) => {
        const { definitionsMax } = exportLimits
        if ((await countDefinitions(tx, place.accountId)) >= definitionsMax)
          throw new AppError('EXPORT_TOO_MANY', { definitionsMax })
        const by = { createdBy: caller.userId, createdName: caller.name, at: clock.now() }
        const made = await insertDefinition(tx, { title, request, active, ...place, ...by })
        await recordActivity(tx, caller, about({ id: made, title, accountId: place.accountId }, 'create'))
        return made
      })
      return present(caller, await required(caller, id))
    }),
    updateDefinition: os.exporting.updateDefinition.handler(async ({ input, context: { caller } }) => {
      const { id, version, title, request } = input
      const row = await requiredOwn(caller, id)
      await db.transaction().execute(async (tx) => {
        if (!(await updateDefinition(tx, id, { version, title, request, at: clock.now() })))
          throw new AppError('VERSION_CONFLICT')
        await recordActivity(tx, caller, {
          ...about({ ...row, title }, 'update'),
          changes: { title: [row.title, title] },
        })
      })
      return present(caller, await required(caller, id))
    }),
    activateDefinition: os.exporting.activateDefinition.handler(async ({ input, context: { caller } }) => {
      const { id, active } = input
      const row = await requiredOwn(caller, id)
      await db.transaction().execute(async (tx) => {
        await setActive(tx, id, active, clock.now())
        if (row.active !== active)
          await recordActivity(tx, caller, {
            ...about(row, 'update'),
            changes: { active: [row.active, active] },
          })
      })
      return present(caller, await required(caller, id))
    }),
    deleteDefinition: os.exporting.deleteDefinition.handler(async ({ input, context: { caller } }) => {
      const row = await requiredOwn(caller, input.id)
      await db.transaction().execute(async (tx) => {
        await deleteDefinition(tx, row.id)
        await recordActivity(tx, caller, about(row, 'delete'))
      })
      return { ok: true as const }
    }),
    runDefinition: os.exporting.runDefinition.handler(async ({ input, context: { caller } }) => {
      const row = await required(caller, input.id)
      if (!row.active) throw new AppError('EXPORT_NOT_ACTIVE', { id: row.id })
      const job = await startBulk(tools, caller, row.request, { exportDefinition: row.id })
      await noteRun(db, row.id, clock.now())
      return job
    }),
  }
}

function mayChange(caller: Caller, { createdBy, scopeId }: DefinitionRow): boolean {
  const isOwn = createdBy !== null && createdBy === caller.userId
  return isOwn || caller.scopeIds('all', 'manage').includes(scopeId)
}

function present(caller: Caller, row: DefinitionRow): ExportDefinition {
  const { scopeId: _, createdBy: __, ...shown } = row
  return {
    ...shown,
    editable: mayChange(caller, row),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    lastRunAt: row.lastRunAt?.toISOString() ?? null,
  }
}
