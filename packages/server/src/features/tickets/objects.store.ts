import { sql } from 'kysely'
import { anyOf } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { FeatureObjects } from '../objects/index.ts'
import { isVisible, sightOf, type TicketSight } from './policy.ts'
import { deleteOldTickets, lockTicket, readTicket } from './store.ts'

export const ticketObjects = {
  kinds: {
    ticket: {
      table: 'tickets',
      subject: 'Ticket',
      things: (caller) => sql`
        select t.id, '#' || t.number || ' ' || t.subject as title, ${isVisible(sightOf(caller))} as visible,
          'digitalTwin'::text as owner_kind, t.twin_id as owner_id
        from tickets t join twins w on w.id = t.twin_id`,
      withAccount: 'owner',
      // Their favourites lead to the list of tickets, which those who only report cannot open.
      favourite: (caller) => sql`
        select t.id, '#' || t.number || ' ' || t.subject as title, w.scope_id = ${anyOf([...sightOf(caller).read])} as visible
        from tickets t join twins w on w.id = t.twin_id`,
      files: {
        as: 'ticket',
        column: 'ticket_id',
        ids: sql`select id from tickets`,
        mayChange: async (db, caller, id) => {
          const sight = sightOf(caller)
          const ticket = await readTicket(db, sight, { id })
          if (ticket === undefined) throw new AppError('TICKET_NOT_FOUND', { id })
          return mayAttach(sight, ticket)
        },
        lockForChange: async (tx, caller, id) => {
          const sight = sightOf(caller)
          const ticket = await lockTicket(tx, sight, { id })
          if (ticket === undefined) throw new AppError('TICKET_NOT_FOUND', { id })
          if (!mayAttach(sight, ticket))
            throw new AppError('NO_PERMISSION', { subject: 'IsFmTicket', action: 'manage' })
          return { id, title: `#${ticket.number} ${ticket.subject}`, accountId: ticket.accountId }
        },
      },
    },
  },
  retention: [{ table: 'tickets', time: 'closed_at', kept: 'yearAtLeast', deleteOld: deleteOldTickets }],
} as const satisfies FeatureObjects<'ticket'>

/** Who manages tickets may change their files; who has reported one may until it is done. */
function mayAttach(
  { manage, create, userId }: TicketSight,
  { scopeId, reportedBy, state }: { scopeId: number; reportedBy: number | null; state: number },
): boolean {
  if (manage.includes(scopeId)) return true
  return reportedBy !== null && reportedBy === userId && create.includes(scopeId) && state < 2
}
