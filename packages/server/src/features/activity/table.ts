import type { Activity } from '@leitstand/contract'
import type { Executor } from '../../platform/db/index.ts'
import type { Table, TableColumn } from '../../platform/tableFiles/index.ts'
import { type ActivityFilter, readAccountNames, readActivities, type Sight } from './store.ts'

type Language = 'de' | 'en'

const pageSize = 1000

/** An entry with the name of its account. */
type Entry = Activity & { accountName: string | null }

type Column = readonly [name: string, de: string, en: string, cell: TableColumn<Entry>['cell']]

const columns: readonly Column[] = [
  ['time', 'Zeit (UTC)', 'Time (UTC)', ({ at }) => new Date(at)],
  ['user', 'Benutzer', 'User', ({ userName }) => userName],
  ['actedBy', 'Gehandelt hat', 'Acted by', ({ impersonatorName }) => impersonatorName],
  ['application', 'Anwendung', 'Application', ({ applicationName }) => applicationName],
  ['ip', 'IP-Adresse', 'IP address', ({ ip }) => ip],
  ['action', 'Aktion', 'Action', ({ action }) => action],
  ['subject', 'Art', 'Kind', ({ subject }) => subject],
  ['objectId', 'Id', 'Id', ({ objectId }) => objectId],
  ['object', 'Objekt', 'Object', ({ objectTitle }) => objectTitle],
  ['account', 'Account', 'Account', ({ accountName }) => accountName],
  ['changes', 'Änderungen', 'Changes', ({ changes }) => (changes === null ? null : JSON.stringify(changes))],
]

const types: Readonly<Record<string, TableColumn<Entry>['type']>> = { time: 'time', objectId: 'id' }

const cut: Record<Language, (rows: number) => string> = {
  de: (rows) => `Nach ${rows} Einträgen gekürzt. Grenzen Sie den Zeitraum ein.`,
  en: (rows) => `Cut after ${rows} entries. Narrow the period.`,
}

/**
 * The log as a file, newest first, read page by page as the consumer pulls them. New entries sort before those already
 * read, so none is skipped or repeated.
 */
export function activityTable(
  db: Executor,
  sight: Sight,
  filter: ActivityFilter,
  { language, rowsMax, isCut }: { language: Language; rowsMax: number; isCut: boolean },
): Table<Entry> {
  async function* pages() {
    let before: number | undefined
    for (let written = 0; written < rowsMax; ) {
      const limit = Math.min(pageSize, rowsMax - written)
      const found = await readActivities(db, sight, filter, { offset: 0, limit, before })
      const accountIds = found.flatMap(({ accountId }) => accountId ?? [])
      const names = await readAccountNames(db, [...new Set(accountIds)])
      yield found.map((entry) => ({ ...entry, accountName: nameOf(entry, names) }))
      written += found.length
      before = found.at(-1)?.id
      if (found.length < limit || before === undefined) return
    }
  }
  return {
    title: language === 'de' ? 'Aktivitäten' : 'Activity',
    columns: columns.map(([name, german, english, cell]) => {
      return { name, title: language === 'de' ? german : english, type: types[name] ?? 'text', cell }
    }),
    language,
    pages: pages(),
    cut: isCut ? cut[language](rowsMax) : null,
  }
}

const nameOf = ({ accountId }: Activity, accounts: ReadonlyMap<number, string>) =>
  accountId === null ? null : (accounts.get(accountId) ?? `#${accountId}`)
