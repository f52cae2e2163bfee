import type { RoleMapping, SecondFactorOf } from '@leitstand/contract'

/** A provider's claims about a user: user info, and for OIDC the ID token. */
export type Claims = Readonly<Record<string, unknown>>

/** Maximum lengths of the texts we accept. */
const subjectLengthMax = 255
const emailLengthMax = 200
const nameLengthMax = 100
/** Methods of RFC 8176 that count as a second factor, including `mfa` itself. */
const factorMethods: ReadonlySet<string> = new Set(['mfa', 'otp', 'hwk', 'swk', 'sc', 'fpt', 'face', 'iris'])

/**
 * The value at a path like `realm_access.roles`. A claim whose name itself contains dots, such as a URL, is
 * matched as a whole first.
 */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  let here: unknown = claims
  for (const part of path.split('.')) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, part)) return undefined
    here = (here as Record<string, unknown>)[part]
  }
  return here
}

/** Whether a claim is this value, or a list containing it; numbers and booleans are compared as text. */
export function hasValue(claims: Claims, path: string, value: string): boolean {
  const found = claimAt(claims, path)
  const values: unknown[] = Array.isArray(found) ? found : [found]
  return values.some(
    (one) =>
      (typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean') &&
      String(one) === value,
  )
}

export interface Profile {
  email: string | null
  /** null: not specified by the provider */
  emailVerified: boolean | null
  firstName: string
  lastName: string
}

export interface ProfileFields {
  email: string
  emailVerified: string
  firstName: string
  lastName: string
}

/** The profile from the claims; claims of an unexpected type count as missing. */
export function profileOf(claims: Claims, fields: ProfileFields): Profile {
  const email = textAt(claims, fields.email)
  const verified = claimAt(claims, fields.emailVerified)
  const isAddress = email.normalize('NFKC').length <= emailLengthMax && /^[^\s@]+@[^\s@]+$/.test(email)
  return {
    email: isAddress ? email : null,
    emailVerified: verified === undefined || verified === null ? null : isTrue(verified),
    firstName: textAt(claims, fields.firstName).slice(0, nameLengthMax),
    lastName: textAt(claims, fields.lastName).slice(0, nameLengthMax),
  }
}

/** The provider's identifier of a user; null when it is missing or too long. */
export function subjectOf(claims: Claims, path: string): string | null {
  const found = claimAt(claims, path)
  const text = typeof found === 'number' ? String(found) : found
  return typeof text === 'string' && text !== '' && text.length <= subjectLengthMax ? text : null
}

interface Access {
  scopeId: number
  roleId: number
}

/**
 * Roles from all matching mappings, without duplicates, otherwise the fallback. The first scope is the main
 * one.
 */
export function mappedAccess(
  claims: Claims,
  mappings: readonly RoleMapping[],
  fallback: Access | null,
): (Access & { isMain: boolean })[] {
  const fitting: Access[] = mappings.filter(({ claim, value }) => hasValue(claims, claim, value))
  const given = fitting.length > 0 || fallback === null ? fitting : [fallback]
  const byKey = new Map(given.map(({ scopeId, roleId }) => [`${scopeId}:${roleId}`, { scopeId, roleId }]))
  return [...byKey.values()].map((access, index) => ({ ...access, isMain: index === 0 }))
}

/** Whether the provider has already checked a second factor. */
export function hasFactor(claims: Claims, secondFactor: SecondFactorOf): boolean {
  if (secondFactor === 'provider') return true
  if (secondFactor === 'own') return false
  const methods = claims.amr
  return Array.isArray(methods) && methods.some((method) => factorMethods.has(String(method)))
}

function textAt(claims: Claims, path: string): string {
  const found = claimAt(claims, path)
  return typeof found === 'string' ? found.trim() : ''
}

/** Some providers send booleans as text or number. */
function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true'
}
