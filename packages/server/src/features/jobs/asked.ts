import type { JsonValue } from '@leitstand/contract/common'
import { actions, type Permission, subjects } from '@leitstand/contract/permissions'
import * as z from 'zod'
import type { Caller } from '../../platform/http/caller.ts'
import { Asker, askerOf, type PeopleFeature } from '../people/index.ts'
import type { JobRecord } from './store.ts'

/** The permissions the caller of a job needs for as long as it runs. */
export interface Demands {
  /** any one of them is enough */
  permissions: readonly Permission[]
  /** where the work is done */
  scopeIds: readonly number[]
  /** required in every scope; otherwise in any of them, for jobs that check each row themselves */
  everywhere: boolean
}

/** Required for jobs that change devices or their values. */
export const mayWriteDevices: readonly Permission[] = [
  { subject: 'VirtualDevice', action: 'write' },
  { subject: 'VirtualDevice', action: 'manage' },
]

/** Required for jobs that change twins. */
export const mayWriteTwins: readonly Permission[] = [
  { subject: 'DigitalTwin', action: 'write' },
  { subject: 'DigitalTwin', action: 'manage' },
]

const Asked = z.object({
  asker: Asker,
  permissions: z.array(z.object({ subject: z.enum(subjects), action: z.enum(actions) })),
  scopeIds: z.array(z.int()),
  everywhere: z.boolean(),
})

/** The caller of a job and the required permissions, as stored with the job. */
export function askedBy(caller: Caller, { permissions, scopeIds, everywhere }: Demands): JsonValue {
  const asked: z.infer<typeof Asked> = {
    asker: askerOf(caller),
    everywhere,
    scopeIds: [...new Set(scopeIds)],
    permissions: permissions.map(({ subject, action }) => ({ subject, action })),
  }
  return z.json().parse(asked)
}

/** The same for another caller, who resumes the job. */
export function askedAgainBy(caller: Caller, job: JobRecord): JsonValue {
  const known = Asked.safeParse(job.asker)
  return askedBy(caller, known.success ? known.data : { permissions: [], scopeIds: [], everywhere: false })
}

/**
 * Whether a job may continue: its asker still has access and the required permissions. Older jobs do not
 * store this; for them only the user is checked, and those of programs end.
 */
export async function mayGoOn(job: JobRecord, standingOf: PeopleFeature['standingOf']): Promise<boolean> {
  const parsed = Asked.safeParse(job.asker)
  if (!parsed.success) return (await standingOf({ userId: job.userId })) !== null
  const { asker, permissions, scopeIds, everywhere } = parsed.data
  const now = await standingOf(asker)
  if (now === null) return false
  if (permissions.length === 0) return true
  const held = new Set(permissions.flatMap(({ subject, action }) => now.scopeIds(subject, action)))
  return everywhere ? scopeIds.every((id) => held.has(id)) : scopeIds.some((id) => held.has(id))
}
