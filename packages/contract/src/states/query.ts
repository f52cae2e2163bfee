import * as z from 'zod'
import { Id, Tags } from '../common.ts'
import { twinTypes } from '../twinTypes.ts'

export const stateCategories = ['digitalTwin', 'virtualDevice'] as const

export const memberLimits = {
  /** states of an aggregate by query */
  membersMax: 50_000,
  /** aggregates by query of an account */
  queriesMax: 200,
  staleSecondsMin: 60,
  staleSecondsMax: 31_536_000,
} as const

/**
 * States of the account with a key, as far as the scope of the aggregate reaches and its editor may see. A list matches any
 * of its items.
 */
export const StateQuery = z.object({
  key: z.string().regex(/^[A-Za-z0-9_.]{1,100}$/, 'letters, digits, underscore and dot'),
  /** with everything below it; absent: wherever */
  twinId: Id.optional(),
  category: z.enum(stateCategories).optional(),
  types: z.array(z.enum(twinTypes)).max(twinTypes.length).optional(),
  tags: Tags.optional(),
  zones: Tags.optional(),
  /** only devices with one of these drivers */
  driverIds: z.array(Id).max(20).optional(),
  /** only devices linked to one of these templates */
  templateIds: z.array(Id).max(20).optional(),
})
export type StateQuery = z.infer<typeof StateQuery>

/**
 * What counts after a time without a new value: the others only (`dropped`), or nothing (`unknown`: the aggregate has no
 * value until all members have a new one). Absent: the last value, however old.
 */
export const Stale = z.object({
  afterSeconds: z.int().min(memberLimits.staleSecondsMin).max(memberLimits.staleSecondsMax),
  counts: z.enum(['dropped', 'unknown']),
})
export type Stale = z.infer<typeof Stale>
