import type { ChangedIds, WatchedTable } from '../../platform/db/notices.ts'
import type { ChangedGrounds } from '../../platform/derivedCache.ts'
import type { Reach } from './store/scopes.ts'

/**
 * What rights and sign-ins are computed from, each with the id of
 * - `user`: a user, with their sessions, second factors and roles,
 * - `role`: the rules of a role,
 * - `scopes`: an account of which some scopes are reached, with these scopes,
 * - `line`: an account whose modules, place or demand for a second factor count,
 * - `key`, `application`, `grant`, `dashboard`, `account`: rows of these tables.
 */
type Kind = 'user' | 'role' | 'scopes' | 'line' | 'key' | 'application' | 'grant' | 'dashboard' | 'account'
export type Ground = `${Kind} ${number}`

/**
 * Tables whose changes can concern rights, with the grounds that an id of their notices names. A row that is new has no ground yet, so
 * the notices of scopes name the accounts in which one was made.
 */
const kindsOf = {
  users: ['user'],
  sessions: ['user'],
  second_factors: ['user'],
  user_access: ['user'],
  roles: ['role'],
  scope_accounts: ['scopes'],
  account_modules: ['scopes', 'line'],
  account_lines: ['scopes', 'line'],
  api_keys: ['key'],
  applications: ['application'],
  application_grants: ['grant'],
  oauth_records: ['grant'],
  dashboards: ['dashboard'],
  accounts: ['account'],
} as const satisfies Partial<Record<WatchedTable, readonly Kind[]>>

/** Tables that every way to authenticate depends on. */
export const changesRights = [
  'users',
  'sessions',
  'second_factors',
  'user_access',
  'roles',
  'scope_accounts',
  'account_modules',
  'account_lines',
] as const

/** The grounds that have changed with a table. */
export function groundsChanged(table: keyof typeof kindsOf, ids: ChangedIds): ChangedGrounds {
  return ids === '*' ? ids : new Set(kindsOf[table].flatMap((kind) => groundsOf(kind, ids)))
}

/** Grounds of one kind. */
export function groundsOf(kind: Kind, ids: Iterable<number>): Ground[] {
  return Array.from(ids, (id): Ground => `${kind} ${id}`)
}

/** The grounds of what was read of scopes: their accounts, and those above whose modules count. */
export function groundsOfReach({ scopes, accountsAbove }: Reach): Ground[] {
  const within = new Set(scopes.map(({ accountId }) => accountId))
  return [...groundsOf('scopes', within), ...groundsOf('line', accountsAbove)]
}
