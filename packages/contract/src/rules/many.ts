import * as z from 'zod'
import { Id } from '../common.ts'
import { StateQuery } from '../states/query.ts'

export const manyLimits = {
  /** twins of a rule */
  twinsMax: 20_000,
  /** of these, twins on which it does not run */
  exceptMax: 1_000,
  /** twins of a rule with a geofence around something that moves: each is compared with it whenever it does */
  movingMax: 10_000,
  /** twins of a rule times the areas of its geofences */
  areaTwinsMax: 1_000_000,
  /** rules of an account that look for twins, or for states by key */
  rulesMax: 500,
} as const

/** Twins and devices of the account, as far as the scope of the rule's twin reaches and its editor may see. */
export const TwinQuery = StateQuery.omit({ key: true })
export type TwinQuery = z.infer<typeof TwinQuery>

/**
 * The twins that a rule for many runs on: those the query finds, which change with the twins there are. If metrics name states
 * of the twin by key, it has at least one of them.
 */
export const ManyTwins = z.object({
  query: TwinQuery,
  /** twins on which the rule does not run */
  except: z.array(Id).max(manyLimits.exceptMax).default([]),
})
export type ManyTwins = z.infer<typeof ManyTwins>
