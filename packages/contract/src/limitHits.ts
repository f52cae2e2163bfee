import * as z from 'zod'
import { Id, operation, Time } from './common.ts'
import { may } from './permissions.ts'

/** Limits that slow an account down or refuse something it asked for, in the order in which they are shown. */
export const limitNames = [
  /** messages a second of the account (`ACCOUNT_MESSAGES_PER_SECOND`, or its own limit) or of one of its connectors */
  'messages',
  /** processor time of the account's scripts */
  'scriptTime',
  /** sandbox processes that its scripts took down */
  'scriptCrashes',
  /** processor time and memory of its parsers in Elixir */
  'elixir',
  /** open live connections of a user, an account or an address */
  'liveConnections',
  /** wrong passwords on the built-in MQTT broker */
  'mqttSignIns',
  /** mails of one rule or of all rules of the account */
  'ruleMails',
  /** mails to one recipient */
  'recipientMails',
  /** time or memory to read an uploaded file */
  'files',
] as const
export type LimitName = (typeof limitNames)[number]

/** Days that can be looked back. */
export const limitHitsDays = 30

/** How often an account ran into one limit. */
export const LimitHit = z.object({
  limit: z.enum(limitNames),
  /** in the whole range */
  times: z.int(),
  lastAt: Time,
  /** what ran into it the last time, e.g. the name of a driver or a connector; may be empty */
  detail: z.string(),
  /** by day of the account's time zone, oldest first; days without are left out */
  days: z.array(z.object({ day: z.iso.date(), times: z.int() })),
})
export type LimitHit = z.infer<typeof LimitHit>

export const limitHits = {
  /**
   * Which limits slowed an account down or refused something, those of the last 30 days; counted by the hour, so `from` and
   * `to` count the hours they lie in whole. The limit that was reached last comes first.
   */
  limitHits: operation
    .meta({ rule: may('all', 'manage') })
    .route({
      method: 'GET',
      path: '/tenant/{id}/limit-hits',
      tags: ['accounts'],
      summary: 'Limits an account has reached',
    })
    .input(z.object({ id: Id, from: Time.optional(), to: Time.optional() }))
    .output(z.object({ items: z.array(LimitHit) })),
}
