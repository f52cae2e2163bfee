import type { LiveTopic } from '@leitstand/contract/live'
import type { Action, Subject } from '@leitstand/contract/permissions'

/** The caller of an operation. Every query must be filtered with `scopeIds`. */
export interface Caller {
  /**
   * `apiKey`: a program; it has rights but no user, so operations on a user's own data are closed to it.
   * `link`: a visitor of a public page, who never reaches operations other than those of public pages
   */
  kind: 'user' | 'apiKey' | 'link' | 'anonymous' | 'system'
  userId: number | null
  /** shown in the activity log */
  name: string
  ip: string
  /** The language the console asked for; absent for other programs. */
  language?: 'de' | 'en'
  /** The account of a key, or of the user of an application. */
  accountId?: number
  /** The base64 hash of the API key the program used. */
  keyHash?: string
  /** The key of the public link of a visitor. */
  linkId?: number
  /** The only topics of the live connection that a visitor may follow; absent: all that rights allow. */
  follows?(topic: LiveTopic): Promise<boolean>
  /** The session of a user. */
  sessionId?: number
  /** The user who is impersonating this user. */
  impersonator?: { readonly userId: number; readonly name: string }
  /** The impersonator only looks: operations that change something or reveal a secret are refused. */
  looking?: true
  /** The application that acts for this user, with the rights the user has granted it. */
  application?: { readonly id: number; readonly name: string }
  /** The account requires a second factor and the user has none yet: only setting it up is allowed. */
  needsTwoFactor?: boolean
  /** When this expires unless it is used before: a long-lived connection then authenticates again. */
  until?: Date
  /** Changes when the rights do; a long-lived connection then knows that its decisions are out of date. */
  rightsKey: string
  /**
   * What all of this was computed from, see `Ground` of rights: a long-lived connection asks again when something of it
   * has changed. Absent: it may depend on anything.
   */
  grounds?: readonly ReadonlySet<string>[]
  /** Whether the caller may do this in at least one scope. */
  can(subject: Subject, action: Action): boolean
  /** Scope ids (whole subtrees resolved) in which the caller may do this. Empty array = nowhere. */
  scopeIds(subject: Subject, action: Action): readonly number[]
  /**
   * Like `scopeIds` but by roles alone, ignoring disabled modules: what the caller may grant to others. Never
   * use it to filter a query.
   */
  grantedIn(subject: Subject, action: Action): readonly number[]
}

/** Whose writes a caller has to see: all sessions of a user, an API key, a link; undefined for those who write nothing. */
export function callerKey({ userId, keyHash, linkId }: Caller): string | undefined {
  if (userId !== null) return `user.${userId}`
  if (keyHash !== undefined) return `key.${keyHash}`
  return linkId === undefined ? undefined : `link.${linkId}`
}

/** A caller that is not signed in: may only call public operations. */
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
 * The platform itself, for work without a request (a rule's action, a built-in driver). It has no scopes:
 * such code names the objects it works on.
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
