import { splitCsv } from '../../lib/splitCsv.ts'

/** Why a row cannot be sent. */
export type RowProblem = 'fields' | 'email' | 'properties' | 'twice'

export interface ParsedRow {
  /** line in the text, from 1 */
  line: number
  firstName: string
  lastName: string
  email: string
  username: string | undefined
  phone: string
  mobile: string
  properties: Record<string, unknown>
  /** as written, see `readRoles` */
  roles: string
  problem: RowProblem | null
}

const emailForm = /^[^\s@,;]+@[^\s@,;]+$/

/**
 * Parses a list of users: first name, last name, e-mail, then optionally user name, phone, mobile and
 * properties (JSON) and roles. Separated by semicolon, comma or tab; a first line without an address is taken as the
 * heading.
 */
export function parseUsers(text: string): ParsedRow[] {
  const lines = splitCsv(text.replace(/^\ufeff/, ''))
  const [first] = lines
  const rows = first && !first.fields.some((field) => field.includes('@')) ? lines.slice(1) : lines
  const seen = new Set<string>()
  return rows.map(({ line, fields }) => {
    const [
      firstName = '',
      lastName = '',
      email = '',
      username = '',
      phone = '',
      mobile = '',
      json = '',
      roles = '',
    ] = fields.map((field) => field.trim())
    const properties = readProperties(json)
    const address = email.toLowerCase()
    const problem =
      firstName === '' || lastName === '' || email === ''
        ? ('fields' as const)
        : !emailForm.test(email)
          ? ('email' as const)
          : properties === null
            ? ('properties' as const)
            : seen.has(address)
              ? ('twice' as const)
              : null
    seen.add(address)
    return {
      line,
      firstName,
      lastName,
      email,
      username: username || undefined,
      phone,
      mobile,
      properties: properties ?? {},
      roles,
      problem,
    }
  })
}

function readProperties(json: string): Record<string, unknown> | null {
  if (json === '') return {}
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    // Reported by the row: its properties are not valid JSON.
    return null
  }
}

export function toUser({ firstName, lastName, email, username, phone, mobile, properties }: ParsedRow) {
  return { firstName, lastName, email, phone, mobile, properties, ...(username ? { username } : {}) }
}
