import { UserInput } from '@leitstand/contract/users'
import i18next from 'i18next'
import type { UserDefaults } from '../../lib/session.ts'
import { check } from '../../lib/validation.ts'
import type { AccessLine } from '../rights/index.ts'
import type { User } from './queries.ts'

/** The form of a user. */
export interface UserValues extends Record<string, unknown> {
  username: string
  email: string
  firstName: string
  lastName: string
  phone: string
  mobile: string
  active: boolean
  defaults: UserDefaults
  /** the user's other properties, as JSON */
  properties: string
  access: AccessLine[]
}

/** Properties the console stores for itself; all others are free. */
const ownKeys = new Set(['userDefaults', 'columns'])

export function toUserValues(user: User | undefined, access: AccessLine[] = []): UserValues {
  const free = Object.entries(user?.properties ?? {}).filter(([key]) => !ownKeys.has(key))
  return {
    username: user?.username ?? '',
    email: user?.email ?? '',
    firstName: user?.firstName ?? '',
    lastName: user?.lastName ?? '',
    phone: user?.phone ?? '',
    mobile: user?.mobile ?? '',
    active: user?.active ?? true,
    defaults: user?.properties.userDefaults ?? {},
    properties: free.length === 0 ? '' : JSON.stringify(Object.fromEntries(free), null, 2),
    access: user ? user.access.map(toLine) : access,
  }
}

/** Converts an access entry to a form row. */
export function toLine({ scopeId, roleId, isMain }: User['access'][number], key: number): AccessLine {
  return { key, scopeId: String(scopeId), roleId: String(roleId), isMain }
}

/** The roles a new user of an account gets, as rows of the form: on its own scope first, then on those of its twins. */
export function defaultLines(
  scopeId: number,
  defaults: {
    roleIds: readonly number[]
    moduleRoleIds: readonly number[]
    twinScopes: readonly { scopeId: number; roleIds: readonly number[] }[]
  },
): AccessLine[] {
  const own = [...new Set([...defaults.roleIds, ...defaults.moduleRoleIds])]
  const all = [{ scopeId, roleIds: own }, ...defaults.twinScopes]
  return all
    .flatMap((scope) => scope.roleIds.map((roleId) => ({ scopeId: scope.scopeId, roleId })))
    .map((entry, index) => toLine({ ...entry, isMain: index === 0 }, index))
}

/** @param before previous properties, so that those the console keeps are not lost */
export function toUserInput(values: UserValues, before: User['properties'] = {}) {
  const { defaults, properties, access, ...data } = values
  const kept = Object.fromEntries(
    Object.entries(before).filter(([key]) => ownKeys.has(key) && key !== 'userDefaults'),
  )
  const chosen = Object.fromEntries(Object.entries(defaults).filter(([, value]) => value !== undefined))
  return {
    username: data.username.trim() || data.email.trim(),
    email: data.email.trim(),
    firstName: data.firstName,
    lastName: data.lastName,
    phone: data.phone,
    mobile: data.mobile,
    active: data.active,
    properties: {
      ...(readJson(properties) ?? {}),
      ...kept,
      ...(Object.keys(chosen).length === 0 ? {} : { userDefaults: chosen }),
    },
    access: access
      .filter(({ scopeId, roleId }) => scopeId !== null && roleId !== null)
      .map(({ scopeId, roleId, isMain }) => ({ scopeId: Number(scopeId), roleId: Number(roleId), isMain })),
  }
}

function readJson(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    // The field reports the invalid JSON.
    return null
  }
}

/** The free properties as key-value rows if all values are strings; null otherwise. */
export function readTexts(properties: string): Record<string, string> | null {
  const entries = Object.entries(readJson(properties) ?? { broken: null })
  return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')
    ? Object.fromEntries(entries)
    : null
}

/** Serializes key-value rows for the form. */
export function writeTexts(texts: Readonly<Record<string, string>>): string {
  return Object.keys(texts).length === 0 ? '' : JSON.stringify(texts, null, 2)
}

const faultsOf = check(UserInput)

/** Errors by form field. */
export function checkUser(values: UserValues): Record<string, string> {
  const unfinished = values.access.some(({ scopeId, roleId }) => (scopeId === null) !== (roleId === null))
  const { access: _checkedHere, ...data } = toUserInput(values)
  return {
    ...faultsOf(data),
    ...(readJson(values.properties) === null ? { properties: i18next.t('users.notJson') } : {}),
    ...(unfinished ? { access: i18next.t('users.access.unfinished') } : {}),
  }
}
