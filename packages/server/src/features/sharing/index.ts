import type { FastifyReply } from 'fastify'
import type { Context } from '../../platform/context.ts'
import type { ChangedGrounds } from '../../platform/derivedCache.ts'
import { framedPage } from '../../platform/http/console.ts'
import type { DashboardsFeature } from '../dashboards/index.ts'
import type { FloorsFeature } from '../floors/index.ts'
import { groundsChanged } from '../rights/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import type { TwinsFeature } from '../twins/index.ts'
import { linkRoutes } from './links.ts'
import { pageRoutes } from './pages.ts'
import { Shares } from './shares.ts'

interface Lower {
  series: SeriesFeature
  twins: TwinsFeature
  floors: FloorsFeature
  dashboards: DashboardsFeature
}

const changesLinks = [
  'api_keys',
  'accounts',
  'account_lines',
  'account_modules',
  'scope_accounts',
  'dashboards',
] as const

/** Public links to twins and dashboards, and the pages behind them. */
export function registerSharing(ctx: Context, { series, twins, floors, dashboards }: Lower) {
  const shares = new Shares(ctx)
  const forget = (changed: ChangedGrounds) => {
    shares.forget(changed)
    ctx.live.recheck(changed)
  }
  // Twins that move are checked with every call.
  for (const table of changesLinks) ctx.configChanges.on(table, (ids) => forget(groundsChanged(table, ids)))
  ctx.http.get<{ Params: { key: string } }>('/public/:key', async (request, reply): Promise<FastifyReply> => {
    const share = await shares.peek(request.params.key)
    return framedPage(reply, share?.row.origins ?? [])
  })
  return {
    routes: {
      ...linkRoutes(ctx, forget),
      shared: pageRoutes({ ctx, shares, series, twins, floors, dashboards }),
    },
    /** How visitors of public pages use the live connection. */
    visitors: {
      isOne: (token: string) => shares.isOne(token),
      authenticate: (token: string, ip: string) => shares.authenticate(token, ip),
    },
  }
}
