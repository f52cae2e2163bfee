import type { TicketEntry } from '@leitstand/contract/tickets'
import { sql } from 'kysely'
import { type Executor, jsonb } from '../../platform/db/index.ts'

export type Changes = TicketEntry['changes']

interface Actor {
  userId: number | null
  name: string
}

interface EntryRow {
  id: number
  at: Date
  user_id: number | null
  name: string
  kind: TicketEntry['kind']
  text: string
  changes: unknown
}

/** Who may read the names in the history of a ticket. */
export interface NameSight {
  userId: number | null
  seesUsers: boolean
}

export async function insertEntry(
  tx: Executor,
  ticketId: number,
  { userId, name }: Actor,
  entry: { kind: TicketEntry['kind']; text?: string; changes?: Changes; at: Date },
): Promise<number> {
  const { id } = await tx
    .insertInto('ticket_entries')
    .values({
      ticket_id: ticketId,
      at: entry.at,
      user_id: userId,
      user_name: name,
      kind: entry.kind,
      text: entry.text ?? '',
      changes: jsonb(entry.changes ?? {}),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Oldest first. */
export async function listEntries(
  db: Executor,
  ticketId: number,
  sight: NameSight,
  { offset, limit, id }: { offset: number; limit: number; id?: number },
): Promise<{ items: TicketEntry[]; total: number }> {
  const only = id === undefined ? sql`true` : sql`e.id = ${id}`
  const { rows } = await sql<EntryRow>`
    select e.id, e.at, e.user_id, e.kind, e.text, e.changes,
      coalesce(nullif(trim(concat_ws(' ', u.first_name, u.last_name)), ''), u.username, e.user_name) as name
    from ticket_entries e left join users u on u.id = e.user_id
    where e.ticket_id = ${ticketId} and ${only} order by e.id offset ${offset} limit ${limit}`.execute(db)
  const { rows: counted } = await sql<{ total: number }>`
    select count(*)::int as total from ticket_entries where ticket_id = ${ticketId}`.execute(db)
  return { items: rows.map((row) => toEntry(row, sight)), total: counted[0]?.total ?? 0 }
}

export async function countComments(db: Executor, ticketId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ticket_entries where ticket_id = ${ticketId} and kind = 'comment'`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** How often a user has changed tickets or commented on them since a time. */
export async function countWrites(db: Executor, userId: number, since: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ticket_entries where user_id = ${userId} and at >= ${since}`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

function toEntry(row: EntryRow, { userId, seesUsers }: NameSight): TicketEntry {
  const isOwn = row.user_id !== null && row.user_id === userId
  const changes = row.changes as Changes
  // A name among the changes is a name as well.
  const { assignee, ...others } = changes
  return {
    id: row.id,
    at: row.at.toISOString(),
    by: { userId: row.user_id, name: seesUsers || isOwn ? row.name : null },
    kind: row.kind,
    text: row.text,
    changes: assignee === undefined || seesUsers ? changes : { ...others, assignee: [null, null] },
  }
}
