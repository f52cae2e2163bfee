import {
  type Ticket,
  type TicketEntry,
  type TicketPriority,
  type TicketState,
  type TicketType,
  ticketLimits,
} from '@leitstand/contract/tickets'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type TicketChanged, ticketChanged } from '../../topics/ticketChanged.ts'
import { recordActivity } from '../activity/index.ts'
import type { AlarmsFeature } from '../alarms/index.ts'
import { forgetFavorites } from '../people/index.ts'
import { listAssignees } from './assignees.store.ts'
import { type Changes, countComments, insertEntry, listEntries } from './entries.store.ts'
import { findPlace } from './places.store.ts'
import { sightOf, type TicketSight } from './policy.ts'
import {
  countOpen,
  deleteTicket,
  findReport,
  findSame,
  findTicket,
  insertTicket,
  type LockedTicket,
  lockNumbers,
  lockTicket,
  passDuplicates,
  type TicketValues,
  takeNumber,
  touchTicket,
  writeTicket,
} from './store.ts'

export interface Parts {
  alarms: Pick<AlarmsFeature, 'readFor'>
}

type Ctx = Pick<Context, 'db' | 'clock' | 'events' | 'live'>

export interface Report {
  twinId: number
  type: TicketType
  subject: string
  comment: string
  key?: string | undefined
  again: boolean
  priority: TicketPriority
  alarmId?: number | undefined
}

/**
 * Makes a ticket of a report, once for each key of a person.
 * @throws AppError DTWIN_NOT_FOUND, TICKET_DUPLICATE, TICKETS_LIMIT
 */
export async function report(ctx: Ctx, parts: Parts, caller: Caller, input: Report): Promise<Ticket> {
  const sight = sightOf(caller)
  const { scopeId, id, isNew } = await ctx.db.transaction().execute(async (tx) => {
    const place = await findPlace(tx, sight, input.twinId)
    if (place === undefined) throw new AppError('DTWIN_NOT_FOUND', { id: input.twinId })
    const { accountId, scopeId } = place
    await lockNumbers(tx, accountId)
    const { key = null } = input
    const sent = key === null ? undefined : await findReport(tx, { accountId, userId: caller.userId, key })
    if (sent !== undefined) return { id: sent, scopeId, isNew: false }
    await demandRoom(tx, accountId, caller.userId)
    const same = input.again ? undefined : await findSame(tx, input)
    if (same !== undefined) throw new AppError('TICKET_DUPLICATE', { number: same.number })
    const at = ctx.clock.now()
    const { twinId, type, subject, comment } = input
    const alarms = input.alarmId === undefined ? [] : await parts.alarms.readFor(tx, caller, [input.alarmId])
    const alarmId = alarms[0]?.id ?? null
    const number = await takeNumber(tx, accountId)
    const made = await insertTicket(tx, number, {
      accountId,
      twinId,
      type,
      subject,
      comment,
      // How urgent it is decides who takes care of it.
      priority: sight.manage.includes(scopeId) ? input.priority : 'normal',
      source: alarmId === null ? 'person' : 'alarm',
      alarmId,
      ruleId: null,
      reporter: caller,
      key,
      at,
    })
    await insertEntry(tx, made, caller, { kind: 'created', at })
    await note(tx, caller, 'create', { id: made, number, subject, accountId }, { twin: place.title, type })
    await tell(ctx, tx, accountId, { ticketId: made, what: 'created', by: caller.userId, at })
    return { id: made, scopeId, isNew: true }
  })
  if (isNew) announce(ctx, id, [scopeId])
  return required(ctx.db, sight, id)
}

/** @throws AppError TICKETS_LIMIT */
async function demandRoom(tx: Executor, accountId: number, userId: number | null): Promise<void> {
  const { openOfAccountMax, openOfReporterMax } = ticketLimits
  const open = await countOpen(tx, accountId, userId)
  if (open.all >= openOfAccountMax)
    throw new AppError('TICKETS_LIMIT', { max: openOfAccountMax, of: 'account' })
  if (open.own >= openOfReporterMax)
    throw new AppError('TICKETS_LIMIT', { max: openOfReporterMax, of: 'reporter' })
}

/** @throws AppError TICKET_NOT_FOUND */
export async function required(db: Executor, sight: TicketSight, id: number): Promise<Ticket> {
  const ticket = await findTicket(db, sight, id)
  if (ticket === undefined) throw new AppError('TICKET_NOT_FOUND', { id })
  return ticket
}

export interface Edit {
  twinId: number
  type: TicketType
  subject: string
  state: TicketState
  priority: TicketPriority
  dueAt: string | null
  assigneeId: number | null
}

/**
 * Changes a ticket the caller manages.
 * @throws AppError TICKET_NOT_FOUND, NO_PERMISSION, VERSION_CONFLICT, DTWIN_NOT_FOUND, TICKET_ANOTHER_ACCOUNT,
 *   TICKET_ASSIGNEE_INVALID
 */
export async function edit(
  ctx: Ctx,
  caller: Caller,
  id: number,
  editOf: (before: LockedTicket) => Edit & { version?: number },
): Promise<Ticket> {
  const sight = sightOf(caller)
  const scopeIds = await ctx.db.transaction().execute(async (tx) => {
    const before = await lockManaged(tx, sight, { id })
    const { version, ...next } = editOf(before)
    if (version !== undefined && version !== before.version) throw new AppError('VERSION_CONFLICT')
    const place = next.twinId === before.twinId ? undefined : await otherPlace(tx, sight, before, next.twinId)
    const scopeId = place?.scopeId ?? before.scopeId
    const assignee = await assigneeOf(tx, { caller, sight, scopeId }, before, next.assigneeId)
    // What is opened again is no duplicate any more.
    const reopened = before.duplicateOf !== null && next.state !== 2 ? { duplicateOf: null } : {}
    const values: TicketValues = { ...next, assignee, ...reopened }
    await change(ctx, tx, caller, before, { values, twinTitle: place?.title ?? before.twinTitle })
    return [before.scopeId, scopeId]
  })
  announce(ctx, id, scopeIds)
  return required(ctx.db, sight, id)
}

/** The values of a ticket as an edit that changes nothing. */
export const editOf = (ticket: LockedTicket): Edit => ({
  twinId: ticket.twinId,
  type: ticket.type,
  subject: ticket.subject,
  state: ticket.state,
  priority: ticket.priority,
  dueAt: ticket.dueAt,
  assigneeId: ticket.assignedTo,
})

/** Writes new values with their entry in the history, and tells those it concerns. Nothing changed: writes nothing. */
async function change(
  ctx: Ctx,
  tx: Executor,
  caller: Caller,
  before: LockedTicket,
  { values, twinTitle, joined }: { values: TicketValues; twinTitle: string; joined?: number },
): Promise<void> {
  const changes = changesOf(before, values, twinTitle)
  if (joined !== undefined) changes.joined = [null, `#${joined}`]
  if (Object.keys(changes).length === 0) return
  const { id, accountId } = before
  const at = ctx.clock.now()
  await writeTicket(tx, id, values, at)
  await insertEntry(tx, id, caller, { kind: 'change', changes, at })
  await note(tx, caller, 'update', { ...before, subject: values.subject }, changes)
  const about = { ticketId: id, by: caller.userId, at }
  const to = values.assignee?.id ?? null
  if (to !== null && to !== before.assignedTo)
    await tell(ctx, tx, accountId, { ...about, what: 'assigned', to })
  if (joined !== undefined) await tell(ctx, tx, accountId, { ...about, what: 'joined', to: joined })
  else if (values.state !== before.state)
    await tell(ctx, tx, accountId, { ...about, what: 'state', to: values.state })
}

function changesOf(before: LockedTicket, after: TicketValues, twinTitle: string): Changes {
  const pairs: [keyof Changes, string | null, string | null][] = [
    ['state', String(before.state), String(after.state)],
    ['assignee', before.assignedName, after.assignee?.name ?? null],
    ['priority', before.priority, after.priority],
    ['dueAt', before.dueAt, after.dueAt],
    ['subject', before.subject, after.subject],
    ['type', before.type, after.type],
    ['twin', before.twinTitle, twinTitle],
  ]
  return Object.fromEntries(pairs.flatMap(([field, from, to]) => (from === to ? [] : [[field, [from, to]]])))
}

async function otherPlace(tx: Executor, sight: TicketSight, { accountId }: LockedTicket, twinId: number) {
  const place = await findPlace(tx, { create: sight.manage }, twinId)
  if (place === undefined) throw new AppError('DTWIN_NOT_FOUND', { id: twinId })
  // The number is that of the account.
  if (place.accountId !== accountId) throw new AppError('TICKET_ANOTHER_ACCOUNT')
  return place
}

async function assigneeOf(
  tx: Executor,
  { caller, sight, scopeId }: { caller: Caller; sight: TicketSight; scopeId: number },
  before: LockedTicket,
  userId: number | null,
): Promise<{ id: number; name: string } | null> {
  if (userId === null) return null
  if (userId === before.assignedTo) return { id: userId, name: before.assignedName ?? '' }
  const { items } = await listAssignees(tx, { scopeId, visible: sight.manage, userId, self: caller.userId })
  if (items[0] === undefined) throw new AppError('TICKET_ASSIGNEE_INVALID')
  return items[0]
}

/** @throws AppError TICKET_NOT_FOUND, NO_PERMISSION */
async function lockManaged(
  tx: Executor,
  sight: TicketSight,
  by: { id: number } | { accountId: number; number: number },
): Promise<LockedTicket> {
  const ticket = await lockTicket(tx, sight, by)
  if (ticket === undefined) throw new AppError('TICKET_NOT_FOUND', by)
  if (!sight.manage.includes(ticket.scopeId))
    throw new AppError('NO_PERMISSION', { subject: 'IsFmTicket', action: 'manage' })
  return ticket
}

/** @throws AppError TICKET_NOT_FOUND, TICKET_COMMENTS_LIMIT */
export async function comment(ctx: Ctx, caller: Caller, id: number, text: string): Promise<TicketEntry> {
  const sight = sightOf(caller)
  const { entryId, scopeId } = await ctx.db.transaction().execute(async (tx) => {
    const ticket = await lockTicket(tx, sight, { id })
    if (ticket === undefined) throw new AppError('TICKET_NOT_FOUND', { id })
    if ((await countComments(tx, id)) >= ticketLimits.commentsMax)
      throw new AppError('TICKET_COMMENTS_LIMIT', { max: ticketLimits.commentsMax })
    const at = ctx.clock.now()
    const entryId = await insertEntry(tx, id, caller, { kind: 'comment', text, at })
    await touchTicket(tx, id, at)
    await note(tx, caller, 'comment', ticket, { text })
    await tell(ctx, tx, ticket.accountId, { ticketId: id, what: 'comment', by: caller.userId, text, at })
    return { entryId, scopeId: ticket.scopeId }
  })
  announce(ctx, id, [scopeId])
  const seesUsers = sight.users.includes(scopeId)
  const page = { offset: 0, limit: 1, id: entryId }
  const { items } = await listEntries(ctx.db, id, { userId: caller.userId, seesUsers }, page)
  return items[0] as TicketEntry
}

/**
 * Joins a ticket with the one that has a number in the same account; if that was joined itself, with the one it was joined with.
 * @throws AppError TICKET_NOT_FOUND, NO_PERMISSION, TICKET_JOIN_INVALID
 */
export async function join(ctx: Ctx, caller: Caller, id: number, number: number): Promise<Ticket> {
  const sight = sightOf(caller)
  const scopeId = await ctx.db.transaction().execute(async (tx) => {
    const before = await lockManaged(tx, sight, { id })
    const named = await lockManaged(tx, sight, { accountId: before.accountId, number })
    const into = named.duplicateOf === null ? named : await lockManaged(tx, sight, { id: named.duplicateOf })
    if (into.id === id) throw new AppError('TICKET_JOIN_INVALID')
    await passDuplicates(tx, id, into.id)
    const assignee =
      before.assignedTo === null ? null : { id: before.assignedTo, name: before.assignedName ?? '' }
    const values = { ...editOf(before), state: 2 as const, assignee, duplicateOf: into.id }
    await change(ctx, tx, caller, before, { values, twinTitle: before.twinTitle, joined: into.number })
    return before.scopeId
  })
  announce(ctx, id, [scopeId])
  return required(ctx.db, sight, id)
}

/** @throws AppError TICKET_NOT_FOUND, NO_PERMISSION */
export async function remove(ctx: Ctx, caller: Caller, id: number): Promise<void> {
  const scopeId = await ctx.db.transaction().execute(async (tx) => {
    const ticket = await lockManaged(tx, sightOf(caller), { id })
    await deleteTicket(tx, id)
    await forgetFavorites(tx, 'ticket', id)
    await note(tx, caller, 'delete', ticket)
    return ticket.scopeId
  })
  announce(ctx, id, [scopeId])
}

export async function note(
  tx: Executor,
  caller: Parameters<typeof recordActivity>[1],
  action: 'create' | 'update' | 'comment' | 'delete',
  { id, number, subject, accountId }: { id: number; number: number; subject: string; accountId: number },
  changes?: object,
): Promise<void> {
  await recordActivity(tx, caller, {
    action,
    subject: 'Ticket',
    objectId: id,
    objectTitle: `#${number} ${subject}`,
    accountId,
    ...(changes === undefined ? {} : { changes }),
  })
}

export async function tell(
  ctx: Pick<Context, 'events'>,
  tx: Executor,
  accountId: number,
  event: Pick<TicketChanged, 'ticketId' | 'what' | 'by'> &
    Partial<Pick<TicketChanged, 'text' | 'to'>> & { at: Date },
): Promise<void> {
  const payload = { text: '', to: null, ...event, at: event.at.toISOString() }
  await ctx.events.appendAll(tx, [ticketChanged.event(accountId, payload)])
}

/** Readers of lists read them again. */
export function announce(
  { live, clock }: Pick<Context, 'live' | 'clock'>,
  ticketId: number,
  scopeIds: readonly number[],
): void {
  for (const scopeId of new Set(scopeIds))
    live.publish(
      'tickets',
      { kind: 'ticket', topic: 'tickets', ticketId, timeMs: clock.now().getTime() },
      { scopeId, category: 'ticket' },
    )
}
