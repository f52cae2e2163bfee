import type { NewUserRow, RowFault } from '@leitstand/contract'
import { loginName } from '../loginName.ts'

/**
 * Faults of rows of new users: names and addresses that are repeated in the list or taken. Both share one
 * namespace.
 * @param taken in the form of `loginName`
 */
export function faultsOf(rows: readonly NewUserRow[], taken: ReadonlySet<string>): RowFault[] {
  const listed = new Set<string>()
  return rows.flatMap((row, index): RowFault[] => {
    const email = loginName(row.email)
    const name = loginName(nameOf(row))
    const fault = (code: RowFault['code'], field: string) => [{ row: index, email: row.email, code, field }]
    const twice = listed.has(email) ? 'email' : listed.has(name) ? 'username' : null
    listed.add(email).add(name)
    if (twice) return fault('USER_DUPLICATE_IN_LIST', twice)
    if (taken.has(email)) return fault('USER_DUPLICATE', 'email')
    return taken.has(name) ? fault('USER_DUPLICATE', 'username') : []
  })
}

/** The user name of a row; the e-mail if it has none. */
export function nameOf(row: Pick<NewUserRow, 'username' | 'email'>): string {
  return row.username ?? row.email
}
