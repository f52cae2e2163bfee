import * as z from 'zod'
import type { Caller } from '../../platform/http/caller.ts'

/** Who asked for something that goes on after the request: by what they were let in, so that its end can be noticed. */
export const Asker = z.object({
  userId: z.int().nullable(),
  /** the hash of the key a program came with, in base64 */
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
