import * as z from 'zod'
import { Done, Id, operation, orderBy, Paging, pageOf, Time, Version, WebAddress } from './common.ts'
import { may } from './permissions.ts'

export const announcementTypes = ['info', 'warning', 'error', 'success'] as const
export type AnnouncementType = (typeof announcementTypes)[number]

/** `banner`: on top of every page; `message`: on the home page. */
export const presentationTypes = ['banner', 'message'] as const

/** `scheduled`: active, begins later; `shown`: now; `past`: its end is over; `off`: deactivated before. */
export const announcementStatuses = ['scheduled', 'shown', 'past', 'off'] as const
export type AnnouncementStatus = (typeof announcementStatuses)[number]

export const announcementLimits = {
  /** active ones of an account */
  activeMax: 10,
  /** of an account, with past ones */
  max: 500,
  /** characters of the text */
  textMax: 500,
  linkTextMax: 100,
  /** shown to a user; the most urgent come first */
  shownMax: 20,
} as const

/** Plain text. What turns the direction of writing could make it, and what is shown beside it, say something else. */
const Plain = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\p{Bidi_Control}]*$/u)

const fields = {
  type: z.enum(announcementTypes),
  presentationType: z.enum(presentationTypes),
  text: Plain(announcementLimits.textMax),
  /** follows the text */
  link: z
    .object({ url: WebAddress, text: Plain(announcementLimits.linkTextMax) })
    .nullable()
    .default(null),
  active: z.boolean().default(true),
  /** null: at once */
  start: Time.nullable().default(null),
  /** null: until it is deactivated */
  end: Time.nullable().default(null),
  /** users of the accounts below see it as well */
  includeSubTenants: z.boolean().default(false),
}

const startsBeforeEnd = ({ start, end }: { start: string | null; end: string | null }): boolean =>
  start === null || end === null || Date.parse(start) < Date.parse(end)
const orderFault = { path: ['end'], message: 'the end must be after the start' }

/** What an administrator enters, except the account. */
export const AnnouncementInput = z.object(fields).refine(startsBeforeEnd, orderFault)
export type AnnouncementInput = z.infer<typeof AnnouncementInput>

/** As it is stored: older ones need not meet what is required of new ones. */
const Link = z.object({ url: z.string(), text: z.string() }).nullable()

export const Announcement = z.object({
  id: Id,
  version: Version,
  accountId: Id,
  accountName: z.string(),
  type: fields.type,
  presentationType: fields.presentationType,
  text: z.string(),
  link: Link,
  active: z.boolean(),
  start: Time.nullable(),
  end: Time.nullable(),
  includeSubTenants: z.boolean(),
  status: z.enum(announcementStatuses),
  /** users who have closed it */
  dismissals: z.int(),
  createdAt: Time,
})
export type Announcement = z.infer<typeof Announcement>

/** An announcement as the users it is meant for see it. */
export const OwnAnnouncement = z.object({
  id: Id,
  type: fields.type,
  presentationType: fields.presentationType,
  text: z.string(),
  link: Link,
  end: Time.nullable(),
})
export type OwnAnnouncement = z.infer<typeof OwnAnnouncement>

const manageAll = may('all', 'manage')

/** Announcements: made by administrators of an account, read by its users. Keys and applications read none. */
export const announcement = {
  /**
   * Of an account, newest first; `below`: of the accounts below it as well.
   * @throws TENANT_NOT_FOUND
   */
  list: operation
    .meta({ rule: manageAll })
    .route({
      method: 'GET',
      path: '/tenant/{id}/announcements',
      tags: ['announcements'],
      summary: 'Announcements of an account',
    })
    .input(
      z.object({
        id: Id,
        ...Paging,
        search: z.string().max(200).optional(),
        below: z.boolean().default(false),
        status: z.enum(announcementStatuses).optional(),
        order_by: orderBy(['createdAt', 'start', 'end']).default('-createdAt'),
      }),
    )
    .output(pageOf(Announcement)),
  /** @throws TENANT_NOT_FOUND, ANNOUNCEMENTS_LIMIT, ANNOUNCEMENT_ENDED */
  create: operation
    .meta({ rule: manageAll })
    .route({
      method: 'POST',
      path: '/tenant/{id}/announcements',
      tags: ['announcements'],
      summary: 'Announce something',
      successStatus: 201,
    })
    .input(z.object({ id: Id, ...fields }).refine(startsBeforeEnd, orderFault))
    .output(Announcement),
  /**
   * How many active users an announcement of the account would reach, in how many accounts.
   * @throws TENANT_NOT_FOUND
   */
  reach: operation
    .meta({ rule: manageAll })
    .route({
      method: 'GET',
      path: '/tenant/{id}/announcements/reach',
      tags: ['announcements'],
      summary: 'Whom an announcement reaches',
    })
    .input(z.object({ id: Id, includeSubTenants: z.boolean().default(false) }))
    .output(z.object({ users: z.int(), accounts: z.int() })),
  /** @throws ANNOUNCEMENT_NOT_FOUND */
  get: operation
    .meta({ rule: manageAll })
    .route({
      method: 'GET',
      path: '/system/announcements/{id}',
      tags: ['announcements'],
      summary: 'An announcement',
    })
    .input(z.object({ id: Id }))
    .output(Announcement),
  /** Who has closed it does not see it again. @throws ANNOUNCEMENT_NOT_FOUND, VERSION_CONFLICT, ANNOUNCEMENTS_LIMIT, ANNOUNCEMENT_ENDED */
  update: operation
    .meta({ rule: manageAll })
    .route({
      method: 'PUT',
      path: '/system/announcements/{id}',
      tags: ['announcements'],
      summary: 'Change an announcement',
    })
    .input(z.object({ id: Id, version: Version, ...fields }).refine(startsBeforeEnd, orderFault))
    .output(Announcement),
  /** Activates or deactivates it. @throws ANNOUNCEMENT_NOT_FOUND, ANNOUNCEMENTS_LIMIT, ANNOUNCEMENT_ENDED */
  setState: operation
    .meta({ rule: manageAll })
    .route({
      method: 'PUT',
      path: '/system/announcements/{id}/state',
      tags: ['announcements'],
      summary: 'Activate or deactivate an announcement',
    })
    .input(z.object({ id: Id, active: z.boolean() }))
    .output(Announcement),
  /** @throws ANNOUNCEMENT_NOT_FOUND */
  delete: operation
    .meta({ rule: manageAll })
    .route({
      method: 'DELETE',
      path: '/system/announcements/{id}',
      tags: ['announcements'],
      summary: 'Delete an announcement',
    })
    .input(z.object({ id: Id }))
    .output(Done),
  /** What the caller is to see now and has not closed, most urgent first. Their own: closed to keys and applications. */
  own: operation
    .meta({ rule: 'session' })
    .route({
      method: 'GET',
      path: '/user/own/announcements',
      tags: ['announcements'],
      summary: 'Announcements for the caller',
    })
    .output(z.object({ items: z.array(OwnAnnouncement) })),
  /** Closes it for the caller, for good. @throws ANNOUNCEMENT_NOT_FOUND, AUTH_IMPERSONATING */
  dismiss: operation
    .meta({ rule: 'session' })
    .route({
      method: 'POST',
      path: '/user/own/announcements/{id}/dismiss',
      tags: ['announcements'],
      summary: 'Close an announcement',
    })
    .input(z.object({ id: Id }))
    .output(Done),
}
