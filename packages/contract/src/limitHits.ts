import * as z from 'zod'
import { Id, operation, Time } from './common.ts'
import { may } from './permissions.ts'

/** Limits that throttle an account or refuse its requests, in display order. */
export const limitNames = [
  /** messages a second of the account (`ACCOUNT_MESSAGES_PER_SECOND`, or its own limit) or of one of its connectors */
  'messages',
  /** large messages of a connector that could not be read */
  'unreadable',
  /** CPU time of the account's scripts */
  'scriptTime',
  /** sandbox processes crashed by its scripts */
  'scriptCrashes',
  /** CPU time and memory of its Elixir parsers */
  'elixir',
  /** open live connections of a user, an account or an address */
  'liveConnections',
  /** wrong passwords on the built-in MQTT broker */
  'mqttSignIns',
  /** mails of one rule or of all rules of the account */
  'ruleMails',
  /** mails to one recipient */
  'recipientMails',
  /** webhooks, commands, push messages and downlinks of rules */
  'ruleMessages',
  /** time or memory used to read an uploaded file */
  'files',
] as const
export type LimitName = (typeof limitNames)[number]

/** Number of days available. */
export const limitHitsDays = 30

/** How often an account reached one limit. */
export const LimitHit = z.object({
  limit: z.enum(limitNames),
  /** in the whole range */
  times: z.int(),
  lastAt: Time,
  /** what reached the limit most recently, e.g. the name of a driver or a connector; may be empty */
  detail: z.string(),
  /** by day in the account's time zone, oldest first; days without hits are left out */
  days: z.array(z.object({ day: z.iso.date(), times: z.int() })),
})
export type LimitHit = z.infer<typeof LimitHit>

export const limitHits = {
  /**
   * Limits that throttled an account or refused requests in the last 30 days, most recently reached first.
   * Counted per hour, so the whole hours containing `from` and `to` are included.
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
