import type { Context } from '../../platform/context.ts'
import { os } from '../../platform/http/implement.ts'
import { listMails } from './store.ts'

/** Settings of the installation; for now the mails it sent or keeps. */
export function register(ctx: Context) {
  const routes = {
    mail: {
      list: os.mail.list.handler(async ({ input, context: { caller } }) => {
        const withSystem = caller.can('super.system', 'manage')
        const page = await listMails(ctx.db, caller.scopeIds('all', 'manage'), withSystem, input)
        return { ...page, offset: input.offset, limit: input.limit }
      }),
    },
  }
  return { routes }
}
