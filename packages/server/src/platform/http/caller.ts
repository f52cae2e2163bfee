import type { Action, Subject } from '@leitstand/contract/permissions'

/**
 * Who is asking. Every query is filtered with `scopeIds`; there is no query without it.
 */
export interface Caller {
  /** `apiKey`: a program; it has rights but is nobody, so what belongs to a person is closed to it */
  kind: 'user' | 'apiKey' | 'anonymous' | 'system'
  userId: number | null
  /** shown in the activity log */
  name: string
  ip: string
  /** The account of a key, or of the user of an application. */
  accountId?: number
  /** The hash of the key a program came with, in base64. */
  keyHash?: string
  /** The session of a user. */
  sessionId?: number
  /** Who really acts, when somebody acts as this user. */
  impersonator?: { readonly userId: number; readonly name: string }
  /** The application that acts for this user, with what he has allowed it. */
  application?: { readonly id: number; readonly name: string }
  /** The account demands a second factor and the user has none yet: only setting it up is open. */
  needsTwoFactor?: boolean
  /** When this ends unless it is used before: a long-lived connection then asks again. */
  until?: Date
  /** Changes when the rights do; tells a long-lived connection that its decisions are out of date. */
  rightsKey: string
  /** Whether the caller may do this in at least one scope. */
  can(subject: Subject, action: Action): boolean
  /** Scope ids (whole subtrees resolved) in which the caller may do this. Empty array = nowhere. */
  scopeIds(subject: Subject, action: Action): readonly number[]
  /**
   * The same by roles alone, whatever modules are off: what the caller may give to others. Never a filter of a query.
   */
  grantedIn(subject: Subject, action: Action): readonly number[]
}

/** Nobody in particular: may call what is public. */
export function anonymous(ip: string): Caller {
  return {
    kind: 'anonymous',
    userId: null,
    name: '',
    ip,
    rightsKey: '',
    can: () => false,
    scopeIds: () => [],
    grantedIn: () => [],
  }
}

/**
 * The platform itself, for work no request asked for (a rule's action, a delivered driver).
 * It sees no scope: such code names the objects it works on.
 * @param name shown in the activity log, e.g. `rule 12`
 */
export function system(name: string): Caller {
  const nowhere = () => []
  return {
    kind: 'system',
    userId: null,
    name,
    ip: '',
    rightsKey: '',
    can: () => true,
    scopeIds: nowhere,
    grantedIn: nowhere,
  }
}
