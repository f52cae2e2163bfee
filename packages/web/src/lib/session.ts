import { type AccessRule, type Action, isAllowed, type Subject } from '@leitstand/contract/permissions'
import { ORPCError } from '@orpc/client'
import { client, followStoredToken, queryClient, setToken, tokenStore, whenUnauthorised } from './api.ts'
import { createStore, useStore } from './store.ts'

type VerifyReply = Awaited<ReturnType<typeof client.auth.verify>>
export type SessionUser = NonNullable<VerifyReply['user']>
export type SessionAccess = NonNullable<VerifyReply['access']>
export type UserDefaults = NonNullable<SessionUser['properties']['userDefaults']>

/**
 * The session of this tab: `unknown` until the first reply, then `guest` or `user`. Transitions: unknown →
 * guest | user; guest → user (login); user → guest (logout, 401).
 */
export type Session =
  | { status: 'unknown' }
  | { status: 'guest' }
  | {
      status: 'user'
      user: SessionUser
      access: SessionAccess
      tenantId: number | null
      flags: Readonly<Record<string, boolean>>
      /** the impersonating user of this session */
      impersonator: { id: number; name: string } | null
      /** the impersonating user can change nothing */
      looking: boolean
      /** the account requires a second factor: until it is set up, all other screens are closed */
      needsTwoFactor: boolean
      /** maximum rows of a CSV file, set by the account; null: no limit */
      csvRowsMax: number | null
      /** the terms of use have to be accepted */
      needsConsent: boolean
    }

/** A session survives timeouts and gateway errors for this long after it was last confirmed. */
const toleranceMs = 30 * 60_000
/** Within this time a navigation does not wait for a new confirmation, which runs in the background. */
const freshMs = 30_000

export const sessionStore = createStore<Session>({ status: 'unknown' })

let confirmedAtMs = 0
let running: Promise<Session> | undefined
const signInListeners = new Set<(user: SessionUser) => void>()

/** Registers a listener for sign-in and for restored sessions. */
export function onSignIn(listener: (user: SessionUser) => void): () => void {
  signInListeners.add(listener)
  return () => {
    signInListeners.delete(listener)
  }
}

function becomeGuest(): Session {
  setToken(null)
  keepOriginal(null)
  confirmedAtMs = 0
  queryClient.clear()
  const guest: Session = { status: 'guest' }
  sessionStore.set(guest)
  return guest
}

function becomeUser(session: Extract<Session, { status: 'user' }>): Session {
  const before = sessionStore.get()
  confirmedAtMs = Date.now()
  sessionStore.set(session)
  if (before.status === 'user' && before.user.id !== session.user.id) {
    // Another tab has switched to another user: none of the previous user's data may stay in this one.
    location.reload()
  }
  if (before.status !== 'user' || before.user.id !== session.user.id) {
    for (const listener of signInListeners) listener(session.user)
  }
  return session
}

/** Reads the session from the server. Concurrent callers share one request. */
export function verifySession(): Promise<Session> {
  running ??= askServer().finally(() => {
    running = undefined
  })
  return running
}

/**
 * A pending call that replaces the token: until it returns, a 401 does not mean that the session has ended.
 */
let replacing: Promise<void> = Promise.resolve()

/** Makes a call that invalidates the token and returns its replacement. Throws the API's error. */
export async function replaceToken(call: () => Promise<{ token: string }>): Promise<void> {
  const replaced = call().then(({ token }) => setToken(token))
  replacing = replaced.catch(() => undefined)
  await replaced
}

async function askServer(): Promise<Session> {
  // The server closes the live connection of a token that was just replaced.
  await replacing
  // Another tab may have a new token while this one was suspended.
  followStoredToken()
  try {
    const reply = await client.auth.verify({ domain: location.hostname })
    if (!reply.isAuthenticated || reply.user === null || reply.access === null) return becomeGuest()
    if (reply.token !== null) setToken(reply.token)
    return becomeUser({
      status: 'user',
      user: reply.user,
      access: reply.access,
      tenantId: reply.tenantId,
      flags: reply.featureFlags.flags,
      impersonator: reply.impersonator,
      looking: reply.looking,
      needsTwoFactor: reply.needsTwoFactor,
      csvRowsMax: reply.csvRowsMax,
      needsConsent: reply.needsConsent,
    })
  } catch (error) {
    const current = sessionStore.get()
    // Only a rejected session ends it; a busy server or a gateway error does not.
    const refused = error instanceof ORPCError && (error.status === 401 || error.status === 403)
    if (!refused && current.status === 'user' && Date.now() - confirmedAtMs < toleranceMs) return current
    if (refused) return becomeGuest()
    // The server is unreachable: the token may still be valid, so it is kept for the next try.
    const guest: Session = { status: 'guest' }
    sessionStore.set(guest)
    return guest
  }
}

/**
 * The session for a protected navigation: reads it from the server, without waiting if it was confirmed
 * recently.
 */
export async function ensureSession(): Promise<Session> {
  const current = sessionStore.get()
  if (current.status === 'user' && Date.now() - confirmedAtMs < freshMs) return current
  return verifySession()
}

/** Signs in. Throws the API's error (wrong password, locked, second factor required). */
export async function login(username: string, password: string, code?: string): Promise<void> {
  const reply = await client.auth.login(code ? { username, password, code } : { username, password })
  setToken(reply.token)
  queryClient.clear()
  const session = await verifySession()
  if (session.status !== 'user') {
    becomeUser({
      status: 'user',
      user: reply.user,
      access: reply.access,
      tenantId: null,
      flags: {},
      impersonator: null,
      looking: false,
      needsTwoFactor: reply.needsTwoFactor,
      needsConsent: false,
      csvRowsMax: null,
    })
  }
}

/** Completes a single sign-on that waits for the user's second factor. Throws the API's error. */
export async function confirmSignOn(code: string): Promise<void> {
  const reply = await client.sso.confirm({ code })
  setToken(reply.token)
  queryClient.clear()
  await verifySession()
}

const originalKey = 'leitstand.original'

/** Stores the user's own token while impersonating; the cookie has it, too. */
function keepOriginal(token: string | null): void {
  try {
    if (token === null) localStorage.removeItem(originalKey)
    else localStorage.setItem(originalKey, token)
  } catch {
    // Storage is unavailable: the server finds the user's own session by its cookie.
  }
}

function readOriginal(): string | undefined {
  try {
    return localStorage.getItem(originalKey) ?? undefined
  } catch {
    return undefined
  }
}

/** Starts impersonating a user. Reloads the page, so that none of the own user's data stays in it. */
export async function impersonate(userId: number): Promise<void> {
  const reply = await client.auth.impersonate({ userId })
  keepOriginal(reply.originalToken)
  startAs(reply.token)
}

/** Starts looking at the console as a user sees it, without changing anything. Reloads the page like `impersonate`. */
export async function lookAs(userId: number): Promise<void> {
  const reply = await client.auth.look({ userId })
  keepOriginal(reply.originalToken)
  startAs(reply.token)
}

/** Stops impersonating. */
export async function restoreSelf(): Promise<void> {
  const originalToken = readOriginal()
  await replaceToken(() => client.auth.restore(originalToken === undefined ? {} : { originalToken }))
  keepOriginal(null)
  startAgain()
}

function startAs(token: string): void {
  setToken(token)
  startAgain()
}

/** Loads the console again, at the home page. */
function startAgain(): void {
  // Past the router: it would show the home page with the new token and the old rights until the page is reloaded.
  History.prototype.replaceState.call(history, null, '', '#/home')
  location.reload()
}

/** Signs out here and on the server; the session ends locally even if the server is unreachable. */
export async function logout(): Promise<void> {
  try {
    await client.auth.logout()
  } catch (error) {
    // The token is removed below in any case; it expires on the server.
    console.warn('The sign-out did not reach the server', error)
  }
  becomeGuest()
  clearStorage()
}

/** Removes all user data from the browser's storage. */
function clearStorage(): void {
  try {
    localStorage.clear()
    sessionStorage.clear()
  } catch {
    // Storage is unavailable: there is nothing to remove.
  }
}

/** Updates the user's properties in the session. */
function updateUser(properties: SessionUser['properties']): void {
  sessionStore.set((current) =>
    current.status === 'user' ? { ...current, user: { ...current.user, properties } } : current,
  )
}

whenUnauthorised(() => {
  // The refused call may have had a token that was replaced meanwhile: the server says whether the session has ended.
  if (sessionStore.get().status === 'user') void verifySession()
})

// A sign-out in one tab applies to the others; a sign-in is picked up at their next navigation.
window.addEventListener('storage', (event) => {
  if (event.key !== 'leitstand.token') return
  tokenStore.set(event.newValue)
  if (event.newValue === null) becomeGuest()
  else void verifySession()
})

/** Whether the user has a permission in at least one scope. */
export function sessionCan(session: Session, subject: Subject, action: Action): boolean {
  return session.status === 'user' && session.access.permissions.includes(`${subject}.${action}`)
}

/** Whether the session meets an access rule. */
export function sessionMeets(session: Session, rule: AccessRule): boolean {
  return isAllowed(rule, session.status === 'user', (subject, action) => sessionCan(session, subject, action))
}

/** The session; re-renders on change. */
export function useSession(): Session {
  return useStore(sessionStore)
}

/** The signed-in user. Only for screens inside the shell, which are never shown to guests. */
export function useUser(): SessionUser {
  const session = useSession()
  if (session.status !== 'user') throw new Error('useUser outside of a signed-in session')
  return session.user
}

/**
 * `const can = useCan()`; `can('VirtualDevice', 'manage')` hides what the user may not do. The server
 * enforces it.
 */
export function useCan(): (subject: Subject, action: Action) => boolean {
  const session = useSession()
  return (subject, action) => sessionCan(session, subject, action)
}

/** Personal defaults of the user, empty for guests. */
export function useUserDefaults(): UserDefaults {
  const session = useSession()
  return (session.status === 'user' ? session.user.properties.userDefaults : undefined) ?? {}
}

/** CSV rows the user may export: at most the account's limit. */
export function csvRowsAllowed(wanted: number): number {
  const session = sessionStore.get()
  const account = session.status === 'user' ? session.csvRowsMax : null
  return Math.min(wanted, account ?? wanted)
}

let writing: Promise<unknown> = Promise.resolve()

/**
 * Changes the user's own properties: applies the change at once and stores it after earlier ones, so that
 * none overwrites another. If storing fails, it lasts for this page. Guests' properties stay in the browser.
 */
export async function saveProperties(
  change: (properties: SessionUser['properties']) => SessionUser['properties'],
): Promise<void> {
  const session = sessionStore.get()
  if (session.status !== 'user') return
  const properties = change(session.user.properties)
  updateUser(properties)
  const stored = writing.then(() => client.user.setProperties({ properties }))
  // The next write waits for this one even if it fails; the caller gets the error below.
  writing = stored.then(
    () => undefined,
    () => undefined,
  )
  await stored
}

/** Saves part of the user's personal defaults; undefined removes one. */
export function saveUserDefaults(change: UserDefaults): Promise<void> {
  return saveProperties((properties) => ({
    ...properties,
    userDefaults: { ...properties.userDefaults, ...change },
  }))
}
