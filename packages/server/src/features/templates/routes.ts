import type { Context } from '../../platform/context.ts'
import { os } from '../../platform/http/implement.ts'
import { listTemplates } from './store.ts'
import {
  contentsOf,
  createTemplate,
  deleteTemplate,
  draftOf,
  getTemplate,
  productiveOf,
  requireTemplate,
  summaryOf,
  templateScopes,
  updateTemplate,
} from './templates.ts'

/** The operations of device templates. */
export function templateRoutes(ctx: Context) {
  const { db } = ctx
  return {
    list: os.deviceTemplate.list.handler(async ({ input, context: { caller } }) => {
      const { items, total } = await listTemplates(db, templateScopes(caller), input)
      const { offset, limit } = input
      return { items: items.map((row) => summaryOf(caller, row)), total, offset, limit }
    }),
    get: os.deviceTemplate.get.handler(({ input, context: { caller } }) => getTemplate(db, caller, input.id)),
    draft: os.deviceTemplate.draft.handler(async ({ input, context: { caller } }) => {
      await requireTemplate(db, caller, input.id)
      return draftOf(db, input.id)
    }),
    productive: os.deviceTemplate.productive.handler(async ({ input, context: { caller } }) => {
      await requireTemplate(db, caller, input.id)
      return productiveOf(db, input.id)
    }),
    changes: os.deviceTemplate.changes.handler(async ({ input, context: { caller } }) => {
      const row = await requireTemplate(db, caller, input.id)
      const { changes } = await contentsOf(db, row)
      return { items: changes, devices: row.deviceCount }
    }),
    create: os.deviceTemplate.create.handler(async ({ input, context: { caller } }) =>
      getTemplate(db, caller, await createTemplate(ctx, caller, input)),
    ),
    update: os.deviceTemplate.update.handler(async ({ input, context: { caller } }) => {
      await updateTemplate(ctx, caller, input)
      return getTemplate(db, caller, input.id)
    }),
    delete: os.deviceTemplate.delete.handler(async ({ input, context: { caller } }) => {
      await deleteTemplate(ctx, caller, input.id)
      return { ok: true as const }
    }),
  }
}
