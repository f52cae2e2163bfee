import { parseSearch } from '@leitstand/contract/search'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { dispositionOf } from '../../platform/http/disposition.ts'
import { os } from '../../platform/http/implement.ts'
import type { SeriesFeature } from '../series/index.ts'
import { MonitorFeed } from './feed.ts'
import { dropMedia, listed, removeMonitor, saveMonitor, shown, storeMedia } from './monitors.ts'
import { sightOf } from './policy.ts'
import { findMonitor, findTwin, listChoices, readContent } from './store.ts'

export { warnappObjects } from './objects.store.ts'

/** Warn monitors: states of a twin with limits, shown on a screen on the wall. */
export function registerWarnapp(ctx: Context, { series }: { series: SeriesFeature }) {
  const { db } = ctx
  new MonitorFeed(ctx, series)
  const routes = {
    list: os.isWarnapp.list.handler(async ({ input, context: { caller } }) => {
      const { offset, limit, accountIds, favorites } = input
      const favoritesOf = favorites ? caller.userId : undefined
      const filter = { search: parseSearch(input.search), accountIds, favoritesOf }
      return { ...(await listed(ctx, sightOf(caller), filter, { offset, limit })), offset, limit }
    }),
    get: os.isWarnapp.get.handler(({ input: { id }, context: { caller } }) =>
      shown(ctx, sightOf(caller), id),
    ),
    choices: os.isWarnapp.choices.handler(async ({ input, context: { caller } }) => {
      const { id, offset, limit } = input
      if ((await findTwin(db, sightOf(caller).manage, id)) === undefined)
        throw new AppError('DTWIN_NOT_FOUND', { id })
      return { ...(await listChoices(db, id, { offset, limit })), offset, limit }
    }),
    save: os.isWarnapp.save.handler(({ input, context: { caller } }) => saveMonitor(ctx, caller, input)),
    delete: os.isWarnapp.delete.handler(async ({ input: { id }, context: { caller } }) => {
      await removeMonitor(ctx, caller, id)
      return { ok: true as const }
    }),
    setMedia: os.isWarnapp.setMedia.handler(({ input, context: { caller } }) =>
      storeMedia(ctx, caller, input),
    ),
    removeMedia: os.isWarnapp.removeMedia.handler(({ input, context: { caller } }) =>
      dropMedia(ctx, caller, input),
    ),
    media: os.isWarnapp.media.handler(async ({ input: { id, role }, context: { caller, headers } }) => {
      if ((await findMonitor(db, sightOf(caller).read, id)) === undefined)
        throw new AppError('WARN_MONITOR_NOT_FOUND', { id })
      const media = await readContent(db, id, role)
      if (media === undefined) throw new AppError('WARN_MEDIA_NOT_FOUND', { id, role })
      // Asked for each time, since the caller may have lost the right to see it.
      const cached = { etag: `"${media.hash}"`, 'cache-control': 'private, no-cache' }
      if (String(headers['if-none-match'] ?? '').includes(cached.etag))
        return { status: 304 as const, headers: cached }
      return {
        headers: {
          ...cached,
          'content-disposition': dispositionOf(media.name),
          // Whatever else the bytes may be: opened as a page, they can do nothing.
          'content-security-policy': "default-src 'none'; sandbox",
          'x-content-type-options': 'nosniff' as const,
        },
        body: new File([new Uint8Array(media.bytes)], media.name, { type: media.type }),
      }
    }),
  }
  return { routes: { isWarnapp: routes } }
}
