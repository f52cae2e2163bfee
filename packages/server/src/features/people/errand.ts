import type { JsonValue } from '@leitstand/contract/common'
import type { Action, Subject } from '@leitstand/contract/permissions'
import * as z from 'zod'
import type { Caller } from '../../platform/http/caller.ts'
import type { Rights } from '../rights/index.ts'
import { type Asker, askerOf } from './standing.ts'

const About = z.object({ userId: z.int(), name: z.string() })

/** Authorises background work: the user who started it, and their rights at that time. */
export const Errand = z.object({
  userId: z.int().nullable(),
  name: z.string(),
  ip: z.string(),
  /** the hash of the key a program authenticated with, in base64 */
  keyHash: z.string().optional(),
  impersonator: About.optional(),
  application: z.object({ id: z.int(), name: z.string() }).optional(),
  /** scope ids by `Subject.action` */
  rights: z.record(z.string(), z.array(z.int())),
})
export type Errand = z.infer<typeof Errand>

/** Who work is done for again and again: a user, a program with a key or an application. */
export const Owner = Errand.omit({ ip: true, impersonator: true, rights: true }).extend({
  /** of a program */
  accountId: z.int().optional(),
})
export type Owner = z.infer<typeof Owner>

/** Records who somebody is, without what they may do. Somebody who impersonates a user sets things up for that user. */
export function ownerOf({ userId, name, keyHash, application, accountId }: Caller): Owner {
  return {
    userId,
    name,
    ...(keyHash === undefined ? {} : { keyHash }),
    ...(application ? { application: { ...application } } : {}),
    ...(accountId === undefined ? {} : { accountId }),
  }
}

/** The owner as a caller with the rights they have now; null when they no longer have access. */
export async function actFor(
  { accountId, ...owner }: Owner,
  standingOf: (asker: Asker) => Promise<Pick<Rights, 'scopeIds'> | null>,
): Promise<Caller | null> {
  const about = aboutErrand({ ...owner, ip: '', rights: {} })
  const now = await standingOf(askerOf(about))
  if (now === null) return null
  const scopeIds = (subject: Subject, action: Action): readonly number[] => now.scopeIds(subject, action)
  return { ...about, ...(accountId === undefined ? {} : { accountId }), ...rightsIn(scopeIds) }
}

/** Rights recorded in an errand. */
const taken: readonly (readonly [Subject, readonly Action[]])[] = [
  ['VirtualDevice', ['read', 'write', 'manage']],
  ['DigitalTwin', ['read', 'list', 'write', 'manage']],
  ['DigitalTwinStates', ['read']],
  ['DeviceTemplate', ['read', 'manage']],
  ['Dashboards', ['read']],
]

/** Records the current rights of a caller as JSON, to be stored with a background job. */
export function beginErrand(caller: Caller): { [key: string]: JsonValue } {
  const { userId, name, ip, keyHash, impersonator, application } = caller
  const rights = Object.fromEntries(
    taken.flatMap(([subject, actions]) =>
      actions.map((action) => [`${subject}.${action}`, [...caller.scopeIds(subject, action)]]),
    ),
  )
  return {
    userId,
    name,
    ip,
    rights,
    ...(keyHash === undefined ? {} : { keyHash }),
    ...(impersonator ? { impersonator: { ...impersonator } } : {}),
    ...(application ? { application: { ...application } } : {}),
  }
}

/**
 * The caller of an errand: a user, a program with a key or an application. They have the rights they had when
 * the errand began and still have now.
 * @param standingOf the current rights of an asker, null when they no longer have access
 */
export async function callerOf(
  errand: Errand,
  standingOf: (asker: Asker) => Promise<Pick<Rights, 'scopeIds'> | null>,
): Promise<Caller> {
  const about = aboutErrand(errand)
  const now = await standingOf(askerOf(about))
  const scopeIds = (subject: Subject, action: Action): readonly number[] => {
    const then = errand.rights[`${subject}.${action}`] ?? []
    const held = new Set(now?.scopeIds(subject, action))
    return then.filter((id) => held.has(id))
  }
  return { ...about, ...rightsIn(scopeIds) }
}

function aboutErrand({ userId, name, ip, keyHash, impersonator, application }: Errand) {
  return {
    kind: userId === null ? ('apiKey' as const) : ('user' as const),
    userId,
    name,
    ip,
    rightsKey: '',
    ...(keyHash === undefined ? {} : { keyHash }),
    ...(impersonator ? { impersonator } : {}),
    ...(application ? { application } : {}),
  }
}

function rightsIn(scopeIds: Caller['scopeIds']): Pick<Caller, 'scopeIds' | 'grantedIn' | 'can'> {
  return {
    scopeIds,
    grantedIn: scopeIds,
    can: (subject, action) => scopeIds(subject, action).length > 0,
  }
}
