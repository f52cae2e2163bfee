import type { Context } from '../../platform/context.ts'
import { os } from '../../platform/http/implement.ts'
import { getDevice } from '../devices/index.ts'
import { templatesOfGroup } from '../groups/index.ts'
import type { JobsFeature } from '../jobs/index.ts'
import { readScopes } from '../twins/index.ts'
import {
  changeLinkedDevice,
  createDevice,
  type LinkTools,
  linkOne,
  previewLink,
  unlinkDevice,
} from './link.ts'
import { listLinked, listTemplates, nameTemplates } from './store.ts'
import { publishTemplate } from './sync.ts'
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

/** Operations on device templates. */
export function templateRoutes(ctx: Context, jobs: JobsFeature) {
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
    fetchSmartGroupRelated: os.deviceTemplate.fetchSmartGroupRelated.handler(
      async ({ input, context: { caller } }) => {
        const found = await templatesOfGroup(ctx, caller, input.view_id)
        const named = await nameTemplates(
          db,
          templateScopes(caller),
          found.map(({ templateId }) => templateId),
        )
        return {
          items: found.flatMap(({ templateId, devices }) => {
            const template = named.get(templateId)
            return template === undefined ? [] : [{ ...template, devices }]
          }),
        }
      },
    ),
    publishAndSync: os.deviceTemplate.publishAndSync.handler(async ({ input, context: { caller } }) => {
      const job = await publishTemplate({ ctx, jobs }, caller, input)
      return { template: await getTemplate(db, caller, input.id), job }
    }),
    fetchLinkedDevices: os.deviceTemplate.fetchLinkedDevices.handler(
      async ({ input, context: { caller } }) => {
        const { id, offset, limit } = input
        await requireTemplate(db, caller, id)
        const page = await listLinked(db, id, readScopes(caller, 'virtualDevice'), input)
        return { ...page, offset, limit }
      },
    ),
    delete: os.deviceTemplate.delete.handler(async ({ input, context: { caller } }) => {
      await deleteTemplate(ctx, caller, input.id)
      return { ok: true as const }
    }),
  }
}

/** Creating and changing a device, which may link it to a template. */
export function templateDeviceRoutes(tools: LinkTools) {
  const { ctx } = tools
  return {
    create: os.virtualdevice.create.handler(async ({ input, context: { caller } }) =>
      getDevice(ctx.db, caller, await createDevice(tools, caller, input)),
    ),
    update: os.virtualdevice.update.handler(async ({ input, context: { caller } }) => {
      await changeLinkedDevice(tools, caller, input)
      return getDevice(ctx.db, caller, input.id)
    }),
  }
}

/** Linking single devices. */
export function linkRoutes(tools: LinkTools) {
  const { ctx } = tools
  return {
    previewLink: os.deviceTemplate.previewLink.handler(({ input, context: { caller } }) =>
      previewLink(ctx, caller, input),
    ),
    link: os.deviceTemplate.link.handler(async ({ input, context: { caller } }) => {
      await linkOne(tools, caller, input)
      return getDevice(ctx.db, caller, input.id)
    }),
    unlink: os.deviceTemplate.unlink.handler(async ({ input, context: { caller } }) => {
      await unlinkDevice(ctx, caller, input)
      return getDevice(ctx.db, caller, input.id)
    }),
  }
}
