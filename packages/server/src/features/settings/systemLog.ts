import { parseSearch } from '@leitstand/contract/search'
import type { SystemLogEntry } from '@leitstand/contract/systemLog'
import { sql } from 'kysely'
import type { Context } from '../../platform/context.ts'
import type { Db } from '../../platform/db/index.ts'
import { matchesTexts } from '../../platform/db/textFilter.ts'
import { os } from '../../platform/http/implement.ts'

/** Warnings and errors of the server, kept by `platform/systemLog`. */
export function systemLogRoutes({ db }: Pick<Context, 'db'>) {
  return {
    logs: os.system.logs.handler(async ({ input }) => {
      const { offset, limit } = input
      return { ...(await list(db, input)), areas: await areas(db), offset, limit }
    }),
  }
}

interface Wanted {
  offset: number
  limit: number
  search?: string | undefined
  level?: string | undefined
  area?: string | undefined
  requestId?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

async function list(db: Db, wanted: Wanted): Promise<{ items: SystemLogEntry[]; total: number }> {
  const { level, area, requestId, from, to } = wanted
  let query = db.selectFrom('system_log as l')
  const words = parseSearch(wanted.search)
  if (words) query = query.where(matchesTexts([sql`l.message`, sql`l.code`, sql`l.request_id`], words))
  if (level !== undefined) query = query.where('l.level', '=', level)
  if (area !== undefined) query = query.where('l.area', '=', area)
  if (requestId !== undefined) query = query.where('l.request_id', '=', requestId)
  if (from !== undefined) query = query.where('l.at', '>=', new Date(from))
  if (to !== undefined) query = query.where('l.at', '<', new Date(to))
  const rows = await query
    .select(['l.id', 'l.at', 'l.level', 'l.area', 'l.node', 'l.message', 'l.code', 'l.stack', 'l.times'])
    .select(['l.request_id as requestId', sql<Record<string, number>>`l.about`.as('about')])
    .orderBy('l.id', 'desc')
    .offset(wanted.offset)
    .limit(wanted.limit)
    .execute()
  const { total } = await query
    .select((count) => count.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const items = rows.map(({ at, level, ...row }) => ({
    ...row,
    at: at.toISOString(),
    level: level === 'error' ? ('error' as const) : ('warning' as const),
  }))
  return { items, total }
}

async function areas(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('system_log')
    .select('area')
    .distinct()
    .orderBy('area')
    .limit(100)
    .execute()
  return rows.map(({ area }) => area)
}
