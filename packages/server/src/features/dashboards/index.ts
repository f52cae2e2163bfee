import type { Context } from '../../platform/context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type SeriesFeature, visibleScopes } from '../series/index.ts'
import { WidgetReader } from './data.ts'
import { BoardFeed } from './live.ts'
import { type BoardPrint, printBoard, printRoutes } from './print/index.ts'
import { boardRoutes, boardScopes, readBoardData, showBoard } from './routes.ts'
import { findBoard } from './store/boards.ts'

export { dashboardObjects } from './objects.store.ts'
export { visibleBoard as findVisibleBoard } from './routes.ts'

export { usesOfWidget } from './widgets/index.ts'

export type DashboardsFeature = ReturnType<typeof register>

/** Dashboards: widgets in a grid, their data, and live values of the states they show. */
export function register(ctx: Context, { series }: { series: SeriesFeature }) {
  const feed = new BoardFeed(ctx, series)
  ctx.live.topic('dashboard', {
    table: 'dashboards',
    hears: (caller, { scopeId, category }) => {
      const scopes = visibleScopes(caller)
      return category in scopes && scopes[category as keyof typeof scopes].includes(scopeId)
    },
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
  const reader = new WidgetReader(ctx, series)
  return {
    routes: { dashboards: { ...boardRoutes(ctx, reader), ...printRoutes(ctx, reader) } },
    /** A dashboard as PDF. @throws AppError DASHBOARD_NOT_FOUND, PRINT_NO_BROWSER, PRINT_FAILED, OVERLOADED */
    print: (caller: Caller, print: BoardPrint) => printBoard(ctx, reader, caller, print),
    /** A dashboard with its widgets. @throws AppError DASHBOARD_NOT_FOUND */
    show: showBoard,
    /** The data of its widgets, as far as the caller may see it. */
    data: (caller: Caller, id: number, range: Parameters<typeof readBoardData>[3]) =>
      readBoardData({ db: ctx.db, reader }, caller, id, range),
  }
}
