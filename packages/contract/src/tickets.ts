import * as z from 'zod'
import {
  Done,
  Id,
  ListFile,
  ListFileInput,
  limits,
  listOf,
  operation,
  orderBy,
  Paging,
  pageOf,
  Text,
  Time,
  Version,
} from './common.ts'
import { may } from './permissions.ts'

export const ticketTypes = [
  'defect',
  'pollution',
  'waterLeakage',
  'powerFailure',
  'heatingFailure',
  'other',
] as const
export type TicketType = (typeof ticketTypes)[number]

/** 0 to do, 1 in progress, 2 done. Every transition is allowed. */
export const ticketStates = [0, 1, 2] as const
export type TicketState = (typeof ticketStates)[number]
export const ticketDone = 2 satisfies TicketState

export const ticketPriorities = ['low', 'normal', 'high', 'urgent'] as const
export type TicketPriority = (typeof ticketPriorities)[number]

/** `alarm`: made by a person from an alarm. */
export const ticketSources = ['person', 'alarm', 'rule'] as const

export const ticketLimits = {
  /** characters of the subject */
  subjectMax: 120,
  /** comments of a ticket */
  commentsMax: 200,
  /** tickets that one person has reported and that are not done */
  openOfReporterMax: 100,
  /** of an account, not done */
  openOfAccountMax: 20_000,
  /** open tickets of a place that a reporter is shown */
  openHereMax: 20,
  /** rows of a file */
  fileRowsMax: 20_000,
  /** days of the longest period of the statistics */
  statisticsDaysMax: 366,
} as const

/** Plain text. What turns the direction of writing could make it, and what is shown beside it, say something else. */
const Subject = z
  .string()
  .trim()
  .min(1)
  .max(ticketLimits.subjectMax)
  .regex(/^[^\p{Bidi_Control}]*$/u)

/** Somebody who has to do with a ticket; `name` null: the caller may not read users. */
export const TicketPerson = z.object({ userId: Id.nullable(), name: z.string().nullable() })
export type TicketPerson = z.infer<typeof TicketPerson>

const TicketType = z.enum(ticketTypes)
const TicketState = z.literal(ticketStates)
const TicketPriority = z.enum(ticketPriorities)
/** Counted within the account. */
const TicketNumber = z.int().positive()

/** The twin a ticket is about. */
const TicketPlace = z.object({
  id: Id,
  title: z.string(),
  /** titles of the twins above it, the topmost first, as far as the caller may report there */
  above: z.array(z.string()),
})
export type TicketPlace = z.infer<typeof TicketPlace>

export const Ticket = z.object({
  id: Id,
  version: Version,
  number: TicketNumber,
  accountId: Id,
  accountName: z.string(),
  twin: TicketPlace,
  type: TicketType,
  subject: z.string(),
  /** what the reporter wrote */
  comment: z.string(),
  state: TicketState,
  priority: TicketPriority,
  /** the day it is to be done, in the reader's calendar */
  dueAt: z.iso.date().nullable(),
  source: z.enum(ticketSources),
  alarmId: Id.nullable(),
  /** the rule that has made it; it may be deleted */
  ruleId: Id.nullable(),
  createdAt: Time,
  /** of the last change or comment */
  changedAt: Time,
  closedAt: Time.nullable(),
  reporter: TicketPerson,
  assignee: TicketPerson.nullable(),
  /** the photo; null: none */
  pictureId: Id.nullable(),
  /** how many there are */
  comments: z.int(),
  /** the ticket it was joined with, because both report the same */
  duplicateOf: z.object({ id: Id, number: TicketNumber }).nullable(),
  /** tickets that were joined with it */
  duplicates: z.int(),
  /** whether the caller may change it, and not only comment on it */
  editable: z.boolean(),
})
export type Ticket = z.infer<typeof Ticket>

/** What can happen to a ticket besides a comment. */
export const ticketChanges = [
  'state',
  'assignee',
  'priority',
  'dueAt',
  'subject',
  'type',
  'twin',
  'joined',
] as const

/** A comment on a ticket or a change of it. */
export const TicketEntry = z.object({
  id: Id,
  at: Time,
  by: TicketPerson,
  kind: z.enum(['created', 'comment', 'change']),
  /** of a comment */
  text: z.string(),
  /** of a change: by field, from and to as they are shown (a state and a priority as in the contract); null: none */
  changes: z.partialRecord(z.enum(ticketChanges), z.tuple([z.string().nullable(), z.string().nullable()])),
})
export type TicketEntry = z.infer<typeof TicketEntry>

const read = may('IsFmTicket', 'read', 'manage')
const create = may('IsFmTicket', 'create', 'manage')
const manage = may('IsFmTicket', 'manage')
/** Who has reported a ticket sees it with the right to create them. */
const own = may('IsFmTicket', 'read', 'create', 'manage')

const filters = {
  search: z.string().max(200).optional(),
  accountIds: listOf(Id).optional(),
  states: listOf(z.coerce.number<number | string>().pipe(TicketState)).optional(),
  types: listOf(TicketType).optional(),
  priorities: listOf(TicketPriority).optional(),
  /** whose task it is: the caller's, somebody's, nobody's */
  assigned: z.enum(['me', 'anyone', 'nobody']).optional(),
  /** true: not done, and its day is over: before `today` */
  overdue: z.boolean().optional(),
  /** the caller's day, for `overdue`; default: that of UTC */
  today: z.iso.date().optional(),
  /** of a twin and of everything below it */
  inTwinId: Id.optional(),
  /** only favourites of the caller */
  favorites: z.boolean().optional(),
}

const order = orderBy(['createdAt', 'changedAt', 'priority', 'dueAt', 'number', 'state']).default(
  '-createdAt',
)

const fields = {
  twinId: Id,
  type: TicketType,
  subject: Subject,
  comment: Text.default(''),
}

/** Fault tickets, each about a twin: visible in the scope of the twin, and to those who have reported them. */
export const isFmTicket = {
  list: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/isFmTicket', tags: ['tickets'], summary: 'Tickets' })
    .input(z.object({ ...Paging, ...filters, order_by: order }))
    .output(pageOf(Ticket)),
  /** How many tickets are in a state; without one: to do, as on the bell. */
  count: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/isFmTicket/count', tags: ['tickets'], summary: 'Count tickets' })
    .input(
      z
        .object({ state: z.coerce.number<number | string>().pipe(TicketState).default(0), ...filters })
        .omit({ states: true }),
    )
    .output(z.object({ count: z.int() })),
  /** What a user has reported: the caller themselves, or others as far as the caller sees their tickets. */
  ofUser: operation
    .meta({ rule: own })
    .route({
      method: 'GET',
      path: '/isFmTicket/user/{userId}',
      tags: ['tickets'],
      summary: 'Tickets a user has reported',
    })
    .input(z.object({ userId: Id, ...Paging, states: filters.states }))
    .output(pageOf(Ticket)),
  /** As a file, at most `ticketLimits.fileRowsMax`. */
  exportFile: operation
    .meta({ rule: read, clientTimeoutMs: 60_000, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/isFmTicket/file',
      tags: ['tickets'],
      summary: 'Tickets as a file',
      outputStructure: 'detailed',
    })
    .input(z.object({ ...filters, order_by: order, ...ListFileInput }))
    .output(ListFile),
  /** Sums of the tickets reported in the last days. */
  statistics: operation
    .meta({ rule: read, clientTimeoutMs: 60_000, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/isFmTicket/statistics',
      tags: ['tickets'],
      summary: 'Statistics of tickets',
    })
    .input(
      z.object({
        days: z.coerce.number().pipe(z.int().min(1).max(ticketLimits.statisticsDaysMax)).default(30),
        accountIds: filters.accountIds,
        inTwinId: filters.inTwinId,
      }),
    )
    .output(
      z.object({
        reported: z.int(),
        /** of these, by now */
        done: z.int(),
        /** of all, whenever they were reported */
        open: z.int(),
        /** median of the time from the report until it was done, in seconds; null: none is done */
        medianSeconds: z.number().nullable(),
        types: z.array(z.object({ type: TicketType, reported: z.int(), open: z.int() })),
        /** those with the most reports */
        places: z.array(z.object({ id: Id, title: z.string(), reported: z.int(), open: z.int() })),
      }),
    ),
  /** Where the caller may report something, by title. */
  places: operation
    .meta({ rule: create })
    .route({ method: 'GET', path: '/isFmTicket/places', tags: ['tickets'], summary: 'Places to report at' })
    .input(z.object({ ...Paging, search: z.string().max(200).optional() }))
    .output(pageOf(TicketPlace)),
  /**
   * A place with its open tickets, so that the same is not reported twice.
   * @throws DTWIN_NOT_FOUND
   */
  place: operation
    .meta({ rule: create })
    .route({
      method: 'GET',
      path: '/isFmTicket/places/{twinId}',
      tags: ['tickets'],
      summary: 'A place to report at',
    })
    .input(z.object({ twinId: Id }))
    .output(
      TicketPlace.extend({
        /** newest first, at most `ticketLimits.openHereMax` */
        open: z.array(
          z.object({ id: Id, number: TicketNumber, type: TicketType, subject: z.string(), createdAt: Time }),
        ),
      }),
    ),
  /**
   * Reports something. A report that is sent again with the same key is the same ticket, also if the first answer was lost.
   * @throws DTWIN_NOT_FOUND, TICKET_DUPLICATE, TICKETS_LIMIT
   */
  create: operation
    .meta({ rule: create })
    .route({
      method: 'POST',
      path: '/isFmTicket',
      tags: ['tickets'],
      summary: 'Report something',
      successStatus: 201,
    })
    .input(
      z.object({
        ...fields,
        /** chosen by the client, one for each report */
        key: z.uuid().optional(),
        /** although an open ticket of this type and subject is there */
        again: z.boolean().default(false),
        /** with the right to manage tickets only; ignored without */
        priority: TicketPriority.default('normal'),
        /** the alarm it was made from, if the caller sees that */
        alarmId: Id.optional(),
      }),
    )
    .output(Ticket),
  /** @throws TICKET_NOT_FOUND */
  get: operation
    .meta({ rule: own })
    .route({ method: 'GET', path: '/isFmTicket/{id}', tags: ['tickets'], summary: 'A ticket' })
    .input(z.object({ id: Id }))
    .output(Ticket),
  /** @throws TICKET_NOT_FOUND, VERSION_CONFLICT, DTWIN_NOT_FOUND, TICKET_ASSIGNEE_INVALID, TICKET_ANOTHER_ACCOUNT */
  update: operation
    .meta({ rule: manage })
    .route({ method: 'PUT', path: '/isFmTicket/{id}', tags: ['tickets'], summary: 'Change a ticket' })
    .input(
      z.object({
        id: Id,
        version: Version,
        twinId: Id,
        type: TicketType,
        subject: Subject,
        state: TicketState,
        priority: TicketPriority,
        dueAt: z.iso.date().nullable(),
        assigneeId: Id.nullable(),
      }),
    )
    .output(Ticket),
  /** Moves a ticket, as on the board. @throws TICKET_NOT_FOUND */
  setState: operation
    .meta({ rule: manage })
    .route({
      method: 'PUT',
      path: '/isFmTicket/{id}/state',
      tags: ['tickets'],
      summary: 'Change the state of a ticket',
    })
    .input(z.object({ id: Id, state: TicketState }))
    .output(Ticket),
  /** @throws TICKET_NOT_FOUND */
  delete: operation
    .meta({ rule: manage })
    .route({ method: 'DELETE', path: '/isFmTicket/{id}', tags: ['tickets'], summary: 'Delete a ticket' })
    .input(z.object({ id: Id }))
    .output(Done),
  /** Comments and changes, oldest first. @throws TICKET_NOT_FOUND */
  history: operation
    .meta({ rule: own })
    .route({
      method: 'GET',
      path: '/isFmTicket/{id}/history',
      tags: ['tickets'],
      summary: 'History of a ticket',
    })
    .input(z.object({ id: Id, ...Paging }))
    .output(pageOf(TicketEntry)),
  /** @throws TICKET_NOT_FOUND, TICKET_COMMENTS_LIMIT */
  comment: operation
    .meta({ rule: own })
    .route({
      method: 'POST',
      path: '/isFmTicket/{id}/comments',
      tags: ['tickets'],
      summary: 'Comment on a ticket',
      successStatus: 201,
    })
    .input(z.object({ id: Id, text: z.string().trim().min(1).max(limits.textLengthMax) }))
    .output(TicketEntry),
  /** Users who can be given the ticket: they may read or manage tickets of its place. By name. @throws TICKET_NOT_FOUND */
  assignees: operation
    .meta({ rule: manage })
    .route({
      method: 'GET',
      path: '/isFmTicket/{id}/assignees',
      tags: ['tickets'],
      summary: 'Who can take care of a ticket',
    })
    .input(z.object({ id: Id, ...Paging, search: z.string().max(200).optional() }))
    .output(pageOf(z.object({ id: Id, name: z.string() }))),
  /**
   * Joins a ticket with another one of the account that reports the same: it is done, and what becomes of the other is told
   * to its reporter as well.
   * @throws TICKET_NOT_FOUND, TICKET_JOIN_INVALID
   */
  join: operation
    .meta({ rule: manage })
    .route({
      method: 'POST',
      path: '/isFmTicket/{id}/join',
      tags: ['tickets'],
      summary: 'Join a ticket with another',
    })
    .input(z.object({ id: Id, number: TicketNumber }))
    .output(Ticket),
}
