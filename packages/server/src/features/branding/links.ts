import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import type { ShownBrands } from './shown.ts'
import { readDrawerLinks, storeDrawerLinks } from './store.ts'

/** Links of the operator in the drawer. */
export function drawerLinkRoutes({ db, clock }: Pick<Context, 'db' | 'clock'>, shown: ShownBrands) {
  return {
    list: os.drawerLink.list.handler(async ({ input: { domain } }) => {
      const { row } = await shown.of(domain)
      return { ...(await readDrawerLinks(db)), grafanaUrl: row?.settings.grafanaUrl || null }
    }),
    set: os.drawerLink.set.handler(async ({ input, context: { caller } }) =>
      db.transaction().execute(async (tx) => {
        const before = await readDrawerLinks(tx)
        if (!(await storeDrawerLinks(tx, { ...input, at: clock.now() })))
          throw new AppError('VERSION_CONFLICT')
        await recordActivity(tx, caller, {
          action: 'update',
          subject: 'DrawerLinks',
          objectId: null,
          objectTitle: '',
          accountId: null,
          changes: { links: [titlesOf(before.links), titlesOf(input.links)] },
        })
        return readDrawerLinks(tx)
      }),
    ),
  }
}

function titlesOf(links: readonly { title: { de: string }; url: string }[]): string {
  return links.map(({ title, url }) => `${title.de}: ${url}`).join('; ')
}
