import { systemLogLimits } from '@leitstand/contract/systemLog'
import { sql } from 'kysely'
import { type Db, jsonb } from '../db/index.ts'
import type { LogEntry } from './entry.ts'

/** An entry, and how often it was logged since the last write. */
export interface WaitingEntry extends LogEntry {
  times: number
}

const dayMs = 86_400_000

/** @param node name of the process */
export async function insertEntries(db: Db, node: string, entries: readonly WaitingEntry[]): Promise<void> {
  const rows = entries.map(({ requestId, about, ...entry }) => ({
    ...entry,
    node,
    request_id: requestId,
    about: jsonb(about),
  }))
  await db.insertInto('system_log').values(rows).execute()
}

/** Deletes what is too old or too much. */
export async function deleteOld(db: Db, now: Date): Promise<void> {
  const before = new Date(now.getTime() - systemLogLimits.keptDays * dayMs)
  await sql`
    delete from system_log
    where id <= (select max(id) from system_log) - ${systemLogLimits.keptMax}
      or id <= (select id from system_log where at < ${before} order by id desc limit 1)`.execute(db)
}
