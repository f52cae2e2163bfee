/** Why the roles of a row cannot be read. */
export type RolesProblem = 'role' | 'scope' | 'scopeTwice' | 'roleTwice'

export interface NamedChoice {
  id: number
  /** every name the object may be called by, in either language */
  names: readonly string[]
}

export interface RoleNames {
  roles: readonly NamedChoice[]
  /** with their name and their path, `City / Town hall` */
  scopes: readonly NamedChoice[]
  /** the scope of a role without one */
  accountScopeId: number
}

export interface ReadRoles {
  access: { scopeId: number; roleId: number; isMain: boolean }[]
  /** what is wrong, with the text that is not understood */
  problem: { kind: RolesProblem; text: string } | null
}

/**
 * Reads the roles of a user: `Viewer | Operator @ Town hall`. Separated by `|`; the scope follows `@`, by its name
 * or, where names repeat, its path. The first role is on the main scope.
 */
export function readRoles(text: string, names: RoleNames): ReadRoles {
  const access: ReadRoles['access'] = []
  for (const part of text.split('|').map((each) => each.trim())) {
    if (part === '') continue
    const at = part.indexOf('@')
    const roleText = (at < 0 ? part : part.slice(0, at)).trim()
    const scopeText = at < 0 ? '' : part.slice(at + 1).trim()
    const role = idsOf(names.roles, roleText)[0]
    if (role === undefined) return failed('role', roleText || part)
    const scopes = at < 0 ? [names.accountScopeId] : idsOf(names.scopes, scopeText)
    const [scopeId] = scopes
    if (scopeId === undefined) return failed('scope', scopeText || part)
    if (scopes.length > 1) return failed('scopeTwice', scopeText)
    if (access.some((one) => one.scopeId === scopeId && one.roleId === role)) return failed('roleTwice', part)
    access.push({ scopeId, roleId: role, isMain: access.length === 0 })
  }
  return { access, problem: null }
}

function failed(kind: RolesProblem, text: string): ReadRoles {
  return { access: [], problem: { kind, text } }
}

function idsOf(choices: readonly NamedChoice[], text: string): number[] {
  const wanted = plain(text)
  return choices.filter(({ names }) => names.some((name) => plain(name) === wanted)).map(({ id }) => id)
}

/** Ignores letter case and blanks around and within the path. */
function plain(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/\s*\/\s*/g, '/')
    .replace(/\s+/g, ' ')
    .trim()
}
