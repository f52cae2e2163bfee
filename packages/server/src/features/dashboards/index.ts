import type { Context } from '../../platform/context.ts'
import type { SeriesFeature } from '../series/index.ts'
import { WidgetReader } from './data.ts'
import { BoardFeed } from './live.ts'
import { boardRoutes, boardScopes } from './routes.ts'
import { findBoard } from './store/boards.ts'

export { dashboardObjects } from './objects.store.ts'

export { usesOfWidget } from './widgets/index.ts'

/** Dashboards: widgets in a grid, their data, and live values of the states they show. */
export function register(ctx: Context, { series }: { series: SeriesFeature }) {
  const feed = new BoardFeed(ctx, series)
  ctx.live.topic('dashboard', {
    table: 'dashboards',
    authorise: async (caller, id) => {
      const board = id === null ? undefined : await findBoard(ctx.db, id, boardScopes(caller))
      if (board) await feed.open(board.id)
      return board !== undefined
    },
    backfill: async (caller, id, sinceMs) => {
      const topic = `dashboard:${id as number}` as const
      const values = await feed.since(caller, id as number, new Date(sinceMs))
      return values.length === 0 ? [] : [{ kind: 'values', topic, values }]
    },
  })
  return { routes: { dashboards: boardRoutes(ctx, new WidgetReader(ctx, series)) } }
}
