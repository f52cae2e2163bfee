import { parseSearch } from '@leitstand/contract/search'
import { type Ticket, type TicketPriority, type TicketState, ticketLimits } from '@leitstand/contract/tickets'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { tableReply } from '../../platform/tableFiles/index.ts'
import { listAssignees } from './assignees.store.ts'
import { countWrites, listEntries } from './entries.store.ts'
import { findPlace, findPlaceOf, listOpenHere, listPlaces } from './places.store.ts'
import { sightOf } from './policy.ts'
import { type Raised, type RuleReport, raiseTicket } from './raise.ts'
import { ticketSums } from './statistics.store.ts'
import { countTickets, findTicket, listTickets, readTicket, type TicketFilter, titlesAbove } from './store.ts'
import { ticketTable } from './table.ts'
import { announce, comment, edit, editOf, join, type Parts, remove, report, required } from './tickets.ts'

export { ticketObjects } from './objects.store.ts'
export type { Raised } from './raise.ts'

const dayMs = 86_400_000

/** What callers filter by. */
interface Asked {
  search?: string | undefined
  accountIds?: number[] | undefined
  states?: TicketState[] | undefined
  types?: string[] | undefined
  priorities?: TicketPriority[] | undefined
  assigned?: 'me' | 'anyone' | 'nobody' | undefined
  overdue?: boolean | undefined
  today?: string | undefined
  inTwinId?: number | undefined
  favorites?: boolean | undefined
}

export type TicketsFeature = ReturnType<typeof registerTickets>

/** Fault tickets: reported by anyone who may, taken care of by those who manage them. */
export function registerTickets(ctx: Context, parts: Parts) {
  const { db, clock } = ctx
  ctx.live.topic('tickets', {
    hears: (caller, { scopeId }) => sightOf(caller).read.includes(scopeId),
    authorise: async (caller) => sightOf(caller).read.length > 0,
  })
  const filterOf = (caller: Caller, asked: Asked): TicketFilter => {
    const { search, assigned, overdue, today, favorites, ...others } = asked
    return {
      ...others,
      search: parseSearch(search),
      assigned: assigned === 'me' ? { to: caller.userId } : assigned,
      ...(favorites ? { favoritesOf: caller.userId } : {}),
      overdue:
        overdue === undefined
          ? undefined
          : { is: overdue, today: today ?? clock.now().toISOString().slice(0, 10) },
    }
  }
  const routes = {
    list: os.isFmTicket.list.handler(async ({ input, context: { caller } }) => {
      const { offset, limit, order_by: orderBy, ...asked } = input
      const [sight, filter] = [sightOf(caller), filterOf(caller, asked)]
      const items = await listTickets(db, sight, filter, { orderBy, offset, limit })
      return { items, total: await countTickets(db, sight, filter), offset, limit }
    }),
    count: os.isFmTicket.count.handler(async ({ input: { state, ...asked }, context: { caller } }) => {
      const filter = { ...filterOf(caller, asked), states: [state] }
      return { count: await countTickets(db, sightOf(caller), filter) }
    }),
    ofUser: os.isFmTicket.ofUser.handler(async ({ input, context: { caller } }) => {
      const { userId, states, offset, limit } = input
      const [sight, filter] = [sightOf(caller), { reportedBy: userId, states }]
      const items = await listTickets(db, sight, filter, { orderBy: '-createdAt', offset, limit })
      return { items, total: await countTickets(db, sight, filter), offset, limit }
    }),
    exportFile: os.isFmTicket.exportFile.handler(async ({ input, context: { caller } }) => {
      const { format, language, order_by: orderBy, ...asked } = input
      const [sight, filter] = [sightOf(caller), filterOf(caller, asked)]
      const isCut = (await countTickets(db, sight, filter)) > ticketLimits.fileRowsMax
      const day = clock.now().toISOString().slice(0, 10)
      return tableReply(
        format,
        `tickets-${day}`,
        ticketTable(db, sight, filter, { orderBy, language, isCut }),
      )
    }),
    statistics: os.isFmTicket.statistics.handler(({ input, context: { caller } }) => {
      const since = new Date(clock.now().getTime() - input.days * dayMs)
      return ticketSums(db, sightOf(caller), { ...input, since })
    }),
    places: os.isFmTicket.places.handler(async ({ input, context: { caller } }) => {
      const { offset, limit } = input
      const page = { search: parseSearch(input.search), offset, limit }
      return { ...(await listPlaces(db, sightOf(caller), page)), offset, limit }
    }),
    place: os.isFmTicket.place.handler(async ({ input: { twinId }, context: { caller } }) => {
      const sight = sightOf(caller)
      const place = await findPlace(db, sight, twinId)
      if (place === undefined) throw new AppError('DTWIN_NOT_FOUND', { id: twinId })
      const above = (await titlesAbove(db, sight, [twinId])).get(twinId) ?? []
      return { id: place.id, title: place.title, above, open: await listOpenHere(db, twinId) }
    }),
    create: os.isFmTicket.create.handler(({ input, context: { caller } }) =>
      report(ctx, parts, caller, input),
    ),
    get: os.isFmTicket.get.handler(({ input: { id }, context: { caller } }) =>
      required(db, sightOf(caller), id),
    ),
    update: os.isFmTicket.update.handler(({ input: { id, ...input }, context: { caller } }) =>
      edit(ctx, caller, id, () => input),
    ),
    setState: os.isFmTicket.setState.handler(({ input: { id, state }, context: { caller } }) =>
      edit(ctx, caller, id, (before) => ({ ...editOf(before), state })),
    ),
    delete: os.isFmTicket.delete.handler(async ({ input: { id }, context: { caller } }) => {
      await remove(ctx, caller, id)
      return { ok: true } as const
    }),
    history: os.isFmTicket.history.handler(async ({ input, context: { caller } }) => {
      const { id, offset, limit } = input
      const sight = sightOf(caller)
      const ticket = await readTicket(db, sight, { id })
      if (ticket === undefined) throw new AppError('TICKET_NOT_FOUND', { id })
      const names = { userId: caller.userId, seesUsers: sight.users.includes(ticket.scopeId) }
      return { ...(await listEntries(db, id, names, { offset, limit })), offset, limit }
    }),
    comment: os.isFmTicket.comment.handler(({ input: { id, text }, context: { caller } }) =>
      comment(ctx, caller, id, text),
    ),
    assignees: os.isFmTicket.assignees.handler(async ({ input, context: { caller } }) => {
      const { id, offset, limit } = input
      const sight = sightOf(caller)
      const ticket = await readTicket(db, sight, { id })
      if (ticket === undefined) throw new AppError('TICKET_NOT_FOUND', { id })
      if (!sight.manage.includes(ticket.scopeId))
        throw new AppError('NO_PERMISSION', { subject: 'IsFmTicket', action: 'manage' })
      const { scopeId } = ticket
      const search = parseSearch(input.search)
      const page = { scopeId, visible: sight.manage, self: caller.userId, search, offset, limit }
      return { ...(await listAssignees(db, page)), offset, limit }
    }),
    join: os.isFmTicket.join.handler(({ input: { id, number }, context: { caller } }) =>
      join(ctx, caller, id, number),
    ),
  }
  return {
    routes: { isFmTicket: routes },
    /** Those of some tickets that are visible with these rights. */
    readFor: async (
      tx: Executor,
      rights: Pick<Caller, 'userId' | 'scopeIds'>,
      ids: readonly number[],
    ): Promise<Ticket[]> =>
      (await Promise.all(ids.map((id) => findTicket(tx, sightOf(rights), id)))).flatMap(
        (ticket) => ticket ?? [],
      ),
    /** Whether a caller may report something at a twin, or for a device at the twin it is below. */
    mayReport: async (tx: Executor, caller: Caller, twinId: number): Promise<boolean> => {
      const place = await findPlaceOf(tx, twinId)
      return place !== undefined && sightOf(caller).create.includes(place.scopeId)
    },
    /** Makes a ticket for a rule, in this transaction; then call `announce`. */
    raise: (tx: Executor, report: RuleReport): Promise<Raised> => raiseTicket(ctx, tx, report),
    /** Readers of the tickets of these scopes read them again. */
    announce: (scopeIds: readonly number[]): void => announce(ctx, 0, scopeIds),
    /** How often a user has changed tickets or commented on them since a time. */
    writesOf: countWrites,
  }
}
