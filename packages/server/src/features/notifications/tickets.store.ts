import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'

/** Somebody who may hear of a ticket. */
export interface Hearer {
  userId: number
  email: string
  properties: unknown
  /** the ticket they know of it: that which they have reported themselves, if it was joined */
  ticketId: number
  as: 'assignee' | 'reporter' | 'duplicate'
}

/** Active users who take care of a ticket, have reported it, or one that was joined with it; each once. */
export async function readHearers(db: Executor, ticketId: number): Promise<Hearer[]> {
  const { rows } = await sql<Hearer>`
    select distinct on (u.id) u.id as "userId", u.email, u.properties, h.ticket_id as "ticketId", h.as
    from (
      select assigned_to as user_id, id as ticket_id, 'assignee' as as, 0 as rank from tickets where id = ${ticketId}
      union all
      select reported_by, id, 'reporter', 1 from tickets where id = ${ticketId}
      union all
      select reported_by, id, 'duplicate', 2 from tickets where duplicate_of = ${ticketId}) h
    join users u on u.id = h.user_id
    where u.active and u.email <> ''
    order by u.id, h.rank, h.ticket_id limit 100`.execute(db)
  return rows
}
