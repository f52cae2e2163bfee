import * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { ApiKeys } from './apikeys/keys.ts'
import type { ApplicationTokens } from './provider/tokens.ts'
import { type Rights, shared } from './rights.ts'
import type { Sessions } from './sessions.ts'
import { isActive } from './store/access.ts'

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

interface Sources {
  db: Context['db']
  sessions: Sessions
  keys: ApiKeys
  tokens: ApplicationTokens
}

/**
 * What somebody who asked for something may do now; null when they would not be let in any more: the key is gone or has
 * ended, the person is gone or deactivated, or has taken back what they allowed the application. Signing out ends nothing.
 */
export async function standingOf(sources: Sources, asker: Asker): Promise<Pick<Rights, 'scopeIds'> | null> {
  const { db, sessions, keys, tokens } = sources
  const { userId, keyHash, applicationId, impersonatorId } = asker
  if (keyHash !== undefined) return keys.rightsNow(keyHash)
  if (userId === null || !(await isActive(db, userId))) return null
  const own =
    applicationId === undefined
      ? await sessions.rightsOf(userId)
      : await tokens.rightsNow(userId, applicationId)
  if (own === null || impersonatorId === undefined) return own
  return (await isActive(db, impersonatorId)) ? shared(own, await sessions.rightsOf(impersonatorId)) : null
}
