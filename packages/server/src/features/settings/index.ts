import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { dispositionOf } from '../../platform/http/disposition.ts'
import { os } from '../../platform/http/implement.ts'
import { findAttachment, listMails } from './store.ts'

/** Settings of the installation: the mails it sent or keeps, the looks of its maps. */
export function register(ctx: Context) {
  const routes = {
    mail: {
      list: os.mail.list.handler(async ({ input, context: { caller } }) => {
        const withSystem = caller.can('super.system', 'manage')
        const page = await listMails(ctx.db, caller.scopeIds('all', 'manage'), withSystem, input)
        const items = page.items.map(({ secret, ...mail }) => ({
          ...mail,
          // Without a mail server nobody else can hand over the link, and who runs the installation can do all anyway.
          body:
            withSystem && mail.status === 'kept' && caller.kind === 'user' && !caller.impersonator
              ? ctx.mail.fullText({ body: mail.body, secret })
              : mail.body.replaceAll('{secret}', secret === null ? '{secret}' : '•••'),
        }))
        return { items, total: page.total, offset: input.offset, limit: input.limit }
      }),
      attachment: os.mail.attachment.handler(async ({ input: { id }, context: { caller } }) => {
        const withSystem = caller.can('super.system', 'manage')
        const found = await findAttachment(ctx.db, caller.scopeIds('all', 'manage'), withSystem, id)
        if (!found) throw new AppError('FILE_NOT_FOUND', { id })
        const { name, type, bytes } = found
        return {
          headers: { 'content-disposition': dispositionOf(name) },
          body: new File([new Uint8Array(bytes)], name, { type }),
        }
      }),
    },
    map: { styles: os.map.styles.handler(() => ({ items: [...ctx.config.mapStyles] })) },
  }
  return { routes }
}
