import type { Activity } from '@leitstand/contract'
import { byteOrderMark, csvLine, separatorOf } from '../../platform/csv.ts'
import type { Executor } from '../../platform/db/index.ts'
import { type ActivityFilter, readAccountNames, readActivities, type Sight } from './store.ts'

type Language = 'de' | 'en'

const pageSize = 1000

const headings: Record<Language, readonly string[]> = {
  de: [
    'Zeit (UTC)',
    'Benutzer',
    'Gehandelt hat',
    'Anwendung',
    'IP-Adresse',
    'Aktion',
    'Art',
    'Id',
    'Objekt',
    'Account',
    'Änderungen',
  ],
  en: [
    'Time (UTC)',
    'User',
    'Acted by',
    'Application',
    'IP address',
    'Action',
    'Kind',
    'Id',
    'Object',
    'Account',
    'Changes',
  ],
}

const cut: Record<Language, (rows: number) => string> = {
  de: (rows) => `Nach ${rows} Einträgen gekürzt. Grenzen Sie den Zeitraum ein.`,
  en: (rows) => `Cut after ${rows} entries. Narrow the period.`,
}

/**
 * The log as lines of a CSV file, newest first, read page by page as the consumer pulls them. New entries
 * sort before those already read, so none is skipped or repeated.
 */
export async function* csvLines(
  db: Executor,
  sight: Sight,
  filter: ActivityFilter,
  { language, rowsMax }: { language: Language; rowsMax: number },
): AsyncGenerator<string> {
  const separator = separatorOf(language)
  yield byteOrderMark + csvLine(headings[language], separator)
  let before: number | undefined
  for (let written = 0; ; ) {
    // One row beyond the limit shows whether the file is truncated.
    const limit = Math.min(pageSize, rowsMax - written + 1)
    const found = await readActivities(db, sight, filter, { offset: 0, limit, before })
    const taken = found.slice(0, rowsMax - written)
    const names = await readAccountNames(db, [...new Set(taken.flatMap(({ accountId }) => accountId ?? []))])
    yield taken.map((entry) => csvLine(cellsOf(entry, names), separator)).join('')
    written += taken.length
    if (found.length > taken.length) {
      yield csvLine([cut[language](rowsMax)], separator)
      return
    }
    before = found.at(-1)?.id
    if (found.length < limit || before === undefined) return
  }
}

function cellsOf(entry: Activity, accounts: ReadonlyMap<number, string>): (string | number | null)[] {
  const account = entry.accountId === null ? null : (accounts.get(entry.accountId) ?? `#${entry.accountId}`)
  return [
    ...[
      entry.at,
      entry.userName,
      entry.impersonatorName,
      entry.applicationName,
      entry.ip,
      entry.action,
      entry.subject,
    ],
    ...[entry.objectId, entry.objectTitle, account],
    entry.changes === null ? null : JSON.stringify(entry.changes),
  ]
}
