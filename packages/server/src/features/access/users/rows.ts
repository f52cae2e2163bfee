import type { NewUserRow, RowFault } from '@leitstand/contract'

/**
 * What is wrong with rows of new users: names and addresses that come twice in the list or are taken.
 * @param taken in lower case
 */
export function faultsOf(
  rows: readonly NewUserRow[],
  taken: { names: ReadonlySet<string>; emails: ReadonlySet<string> },
): RowFault[] {
  const emails = new Set<string>()
  const names = new Set<string>()
  return rows.flatMap((row, index): RowFault[] => {
    const email = row.email.toLowerCase()
    const name = nameOf(row).toLowerCase()
    const fault = (code: RowFault['code'], field: string) => [{ row: index, email: row.email, code, field }]
    const twice = emails.has(email) ? 'email' : names.has(name) ? 'username' : null
    emails.add(email)
    names.add(name)
    if (twice) return fault('USER_DUPLICATE_IN_LIST', twice)
    if (taken.emails.has(email)) return fault('USER_DUPLICATE', 'email')
    return taken.names.has(name) ? fault('USER_DUPLICATE', 'username') : []
  })
}

/** The user name of a row; the e-mail where there is none. */
export function nameOf(row: Pick<NewUserRow, 'username' | 'email'>): string {
  return row.username ?? row.email
}
