import { type Activation, type DoorKey, keyLimits } from '@leitstand/contract/keys'
import type { Table, TableColumn } from '../../platform/tableFiles/index.ts'

type Language = 'de' | 'en'
type Cell<Row> = (row: Row, language: Language) => ReturnType<TableColumn<Row>['cell']>
type Column<Row> = readonly [
  name: string,
  de: string,
  en: string,
  cell: Cell<Row>,
  type?: TableColumn<Row>['type'],
]

const pageSize = 500

const weekdays = {
  de: ['Mo', 'Di', 'Mi', 'Do', 'Fr', 'Sa', 'So'],
  en: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'],
} as const
const closed = {
  revoked: ['Gesperrt', 'Revoked'],
  notYet: ['Noch nicht gültig', 'Not valid yet'],
  expired: ['Abgelaufen', 'Expired'],
  hours: ['Außerhalb der Zeiten', 'Outside its hours'],
} as const
const results = {
  opened: ['Geöffnet', 'Opened'],
  sent: ['Befehl gesendet', 'Command sent'],
  failed: ['Fehlgeschlagen', 'Failed'],
  noAnswer: ['Keine Antwort', 'No answer'],
  refused: ['Abgelehnt', 'Refused'],
} as const

const inLanguage = (pair: readonly [string, string], language: Language): string =>
  language === 'de' ? pair[0] : pair[1]
const time = (text: string | null) => (text === null ? null : new Date(text))

const keyColumns: readonly Column<DoorKey>[] = [
  ['id', 'Schlüssel', 'Key', ({ id }) => id, 'id'],
  ['user', 'Person', 'Person', ({ user }) => user.name],
  ['door', 'Tür', 'Door', ({ lock }) => lock?.title ?? null],
  ['group', 'Gruppe', 'Group', ({ group }) => group?.title ?? null],
  ['from', 'Gültig ab (UTC)', 'Valid from (UTC)', ({ validFrom }) => time(validFrom), 'time'],
  ['until', 'Gültig bis (UTC)', 'Valid until (UTC)', ({ validUntil }) => time(validUntil), 'time'],
  [
    'weekdays',
    'Wochentage',
    'Weekdays',
    (key, language) => key.weekdays.map((day) => weekdays[language][day - 1]).join(', '),
  ],
  ['hours', 'Uhrzeit', 'Hours', ({ hours }) => (hours === null ? null : `${hours.from}–${hours.until}`)],
  ['zone', 'Zeitzone', 'Time zone', ({ timeZone }) => timeZone],
  [
    'state',
    'Status',
    'State',
    (key, language) =>
      key.closed === null
        ? inLanguage(['Gültig', 'Valid'], language)
        : inLanguage(closed[key.closed], language),
  ],
  ['note', 'Notiz', 'Note', ({ note }) => note],
  ['given', 'Ausgegeben von', 'Given by', ({ createdBy }) => createdBy],
  ['revoked', 'Gesperrt (UTC)', 'Revoked (UTC)', ({ revokedAt }) => time(revokedAt), 'time'],
  ['account', 'Account', 'Account', ({ accountName }) => accountName],
]

const logColumns: readonly Column<Activation>[] = [
  ['id', 'Vorgang', 'Activation', ({ id }) => id, 'id'],
  ['time', 'Zeit (UTC)', 'Time (UTC)', ({ requestedAt }) => time(requestedAt), 'time'],
  ['door', 'Tür', 'Door', ({ lock }) => lock.title],
  ['user', 'Person', 'Person', ({ user }) => user.name],
  [
    'result',
    'Ergebnis',
    'Result',
    ({ result }, language) =>
      result === null
        ? inLanguage(['Angefordert', 'Requested'], language)
        : inLanguage(results[result], language),
  ],
  ['reason', 'Grund', 'Reason', ({ reason, detail }) => [reason, detail].filter(Boolean).join(': ')],
  ['metres', 'Entfernung (m)', 'Distance (m)', ({ metres }) => metres, 'id'],
  ['ended', 'Beendet (UTC)', 'Ended (UTC)', ({ endedAt }) => time(endedAt), 'time'],
  ['account', 'Account', 'Account', ({ accountName }) => accountName],
]

const cut: Record<Language, (rows: number) => string> = {
  de: (rows) => `Nach ${rows} Zeilen gekürzt. Grenzen Sie die Auswahl ein.`,
  en: (rows) => `Cut after ${rows} rows. Narrow the selection.`,
}

interface Source<Row> {
  language: Language
  isCut: boolean
  /** one page of the rows */
  read: (page: { offset: number; limit: number }) => Promise<Row[]>
}

/** Keys as a file, read page by page as the consumer pulls them. */
export const keyTable = (source: Source<DoorKey>): Table<DoorKey> =>
  tableOf(source.language === 'de' ? 'Schlüssel' : 'Keys', keyColumns, source)

/** The log as a file, read in the same way. */
export const logTable = (source: Source<Activation>): Table<Activation> =>
  tableOf(source.language === 'de' ? 'Türöffnungen' : 'Door openings', logColumns, source)

function tableOf<Row>(
  title: string,
  columns: readonly Column<Row>[],
  { language, isCut, read }: Source<Row>,
): Table<Row> {
  async function* pages() {
    for (let offset = 0; offset < keyLimits.fileRowsMax; offset += pageSize) {
      const limit = Math.min(pageSize, keyLimits.fileRowsMax - offset)
      const found = await read({ offset, limit })
      yield found
      if (found.length < limit) return
    }
  }
  return {
    title,
    columns: columns.map(([name, de, en, cell, type = 'text']) => ({
      name,
      title: language === 'de' ? de : en,
      type,
      cell: (row: Row) => cell(row, language),
    })),
    language,
    pages: pages(),
    cut: isCut ? cut[language](keyLimits.fileRowsMax) : null,
  }
}
