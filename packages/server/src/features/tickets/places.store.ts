import type { Search } from '@leitstand/contract/search'
import { type TicketPlace, type TicketType, ticketLimits } from '@leitstand/contract/tickets'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import { matches } from '../../platform/db/textFilter.ts'
import type { TicketSight } from './policy.ts'
import { titlesAbove } from './store.ts'

/** Twins at which the caller may report something, by title. */
export async function listPlaces(
  db: Executor,
  sight: TicketSight,
  { search, offset, limit }: { search: Search | null; offset: number; limit: number },
): Promise<{ items: TicketPlace[]; total: number }> {
  const where = sql`w.category = 'digitalTwin' and w.scope_id = ${anyOf([...sight.create])}
    and ${search ? matches([sql`w.search`], search) : sql`true`}`
  const { rows } = await sql<{ id: number; title: string }>`
    select w.id, w.title from twins w where ${where}
    order by w.title collate natural_order, w.id offset ${offset} limit ${limit}`.execute(db)
  const counted = await sql<{
    total: number
  }>`select count(*)::int as total from twins w where ${where}`.execute(db)
  const above = await titlesAbove(
    db,
    sight,
    rows.map(({ id }) => id),
  )
  return {
    items: rows.map(({ id, title }) => ({ id, title, above: above.get(id) ?? [] })),
    total: counted.rows[0]?.total ?? 0,
  }
}

/** A twin at which the caller may report something. */
export async function findPlace(
  db: Executor,
  sight: Pick<TicketSight, 'create'>,
  twinId: number,
): Promise<{ id: number; title: string; accountId: number; scopeId: number } | undefined> {
  const { rows } = await sql<{ id: number; title: string; accountId: number; scopeId: number }>`
    select id, title, account_id as "accountId", scope_id as "scopeId" from twins
    where id = ${twinId} and category = 'digitalTwin' and scope_id = ${anyOf([...sight.create])}`.execute(db)
  return rows[0]
}

/** The twin that a rule's report is about: its own, or the one its device is below. */
export async function findPlaceOf(
  db: Executor,
  twinId: number,
): Promise<{ id: number; title: string; accountId: number; scopeId: number } | undefined> {
  const { rows } = await sql<{ id: number; title: string; accountId: number; scopeId: number }>`
    select p.id, p.title, p.account_id as "accountId", p.scope_id as "scopeId"
    from twins t join twins p on p.id = case t.category when 'digitalTwin' then t.id else t.parent_id end
    where t.id = ${twinId} and p.category = 'digitalTwin'`.execute(db)
  return rows[0]
}

/** Open tickets of a twin, newest first. */
export async function listOpenHere(
  db: Executor,
  twinId: number,
): Promise<{ id: number; number: number; type: TicketType; subject: string; createdAt: string }[]> {
  const { rows } = await sql<{
    id: number
    number: number
    type: TicketType
    subject: string
    created_at: Date
  }>`
    select id, number, type, subject, created_at from tickets where twin_id = ${twinId} and state < 2
    order by id desc limit ${ticketLimits.openHereMax}`.execute(db)
  return rows.map(({ created_at, ...ticket }) => ({ ...ticket, createdAt: created_at.toISOString() }))
}
