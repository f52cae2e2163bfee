import type { JsonValue } from '@leitstand/contract/common'
import type { Action, Subject } from '@leitstand/contract/permissions'
import * as z from 'zod'
import type { Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { Rights } from './rights.ts'
import { isActive } from './store/access.ts'

const About = z.object({ userId: z.int(), name: z.string() })

/** What somebody may have done in the background: who asked, and where he could do what when he did. */
export const Errand = z.object({
  userId: z.int().nullable(),
  name: z.string(),
  ip: z.string(),
  impersonator: About.optional(),
  application: z.object({ id: z.int(), name: z.string() }).optional(),
  /** scope ids by `Subject.action` */
  rights: z.record(z.string(), z.array(z.int())),
})
export type Errand = z.infer<typeof Errand>

/** Rights an errand takes along. */
const taken: readonly (readonly [Subject, readonly Action[]])[] = [
  ['VirtualDevice', ['read', 'write', 'manage']],
  ['DigitalTwin', ['read', 'list', 'write', 'manage']],
  ['DeviceTemplate', ['read', 'manage']],
  ['Dashboards', ['read']],
]

/** Notes what a caller may do now, as JSON to be kept with a background job. */
export function beginErrand(caller: Caller): { [key: string]: JsonValue } {
  const { userId, name, ip, impersonator, application } = caller
  const rights = Object.fromEntries(
    taken.flatMap(([subject, actions]) =>
      actions.map((action) => [`${subject}.${action}`, [...caller.scopeIds(subject, action)]]),
    ),
  )
  return {
    ...{ userId, name, ip, rights },
    ...(impersonator ? { impersonator: { ...impersonator } } : {}),
    ...(application ? { application: { ...application } } : {}),
  }
}

/**
 * The caller an errand is done for. A user may do what he could when he asked and still can; a program with a key, what
 * it could when it asked.
 */
export async function callerOf(
  db: Executor,
  errand: Errand,
  rightsOf: (userId: number) => Promise<Rights>,
): Promise<Caller> {
  const { userId, name, ip, impersonator, application } = errand
  const now = userId === null ? null : (await isActive(db, userId)) ? await rightsOf(userId) : nothing
  const scopeIds = (subject: Subject, action: Action): readonly number[] => {
    const then = errand.rights[`${subject}.${action}`] ?? []
    if (now === null) return then
    const held = new Set(now.scopeIds(subject, action))
    return then.filter((id) => held.has(id))
  }
  return {
    ...{ kind: userId === null ? 'apiKey' : 'user', userId, name, ip, rightsKey: '' },
    ...(impersonator ? { impersonator } : {}),
    ...(application ? { application } : {}),
    ...{ scopeIds, grantedIn: scopeIds },
    can: (subject, action) => scopeIds(subject, action).length > 0,
  }
}

const nothing: Pick<Rights, 'scopeIds'> = { scopeIds: () => [] }
