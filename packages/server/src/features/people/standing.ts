import * as z from 'zod'
import type { Caller } from '../../platform/http/caller.ts'

/**
 * The user or program that started long-running work, with how they authenticated, so that revocation is
 * noticed.
 */
export const Asker = z.object({
  userId: z.int().nullable(),
  /** the hash of the key a program authenticated with, in base64 */
  keyHash: z.string().optional(),
  applicationId: z.int().optional(),
  impersonatorId: z.int().optional(),
})
export type Asker = z.infer<typeof Asker>

export function askerOf({
  userId,
  keyHash,
  application,
  impersonator,
}: Pick<Caller, 'userId' | 'keyHash' | 'application' | 'impersonator'>): Asker {
  return {
    userId,
    ...(keyHash === undefined ? {} : { keyHash }),
    ...(application === undefined ? {} : { applicationId: application.id }),
    ...(impersonator === undefined ? {} : { impersonatorId: impersonator.userId }),
  }
}
