import { type Ticket, ticketLimits } from '@leitstand/contract/tickets'
import type { Executor } from '../../platform/db/index.ts'
import type { Table, TableColumn } from '../../platform/tableFiles/index.ts'
import type { TicketSight } from './policy.ts'
import { listTickets, type TicketFilter, type TicketOrder } from './store.ts'

type Language = 'de' | 'en'
type Column = readonly [
  name: string,
  de: string,
  en: string,
  cell: (ticket: Ticket, language: Language) => ReturnType<TableColumn<Ticket>['cell']>,
]

const pageSize = 500

const words = {
  type: {
    defect: ['Defekt', 'Defect'],
    pollution: ['Verschmutzung', 'Pollution'],
    waterLeakage: ['Wasserschaden', 'Water leakage'],
    powerFailure: ['Stromausfall', 'Power failure'],
    heatingFailure: ['Heizungsausfall', 'Heating failure'],
    other: ['Sonstiges', 'Other'],
  },
  state: [
    ['Offen', 'To do'],
    ['In Arbeit', 'In progress'],
    ['Erledigt', 'Done'],
  ],
  priority: {
    low: ['Niedrig', 'Low'],
    normal: ['Normal', 'Normal'],
    high: ['Hoch', 'High'],
    urgent: ['Dringend', 'Urgent'],
  },
} as const

const inLanguage = (pair: readonly [string, string], language: Language): string =>
  language === 'de' ? pair[0] : pair[1]

const columns: readonly Column[] = [
  ['number', 'Nummer', 'Number', ({ number }) => number],
  ['state', 'Status', 'State', ({ state }, language) => inLanguage(words.state[state], language)],
  [
    'priority',
    'Priorität',
    'Priority',
    ({ priority }, language) => inLanguage(words.priority[priority], language),
  ],
  ['type', 'Art', 'Type', ({ type }, language) => inLanguage(words.type[type], language)],
  ['subject', 'Betreff', 'Subject', ({ subject }) => subject],
  ['comment', 'Beschreibung', 'Description', ({ comment }) => comment],
  ['place', 'Ort', 'Place', ({ twin }) => [...twin.above, twin.title].join(' › ')],
  ['reporter', 'Gemeldet von', 'Reported by', ({ reporter }) => reporter.name],
  ['assignee', 'Zuständig', 'Assignee', ({ assignee }) => assignee?.name ?? null],
  ['due', 'Fällig', 'Due', ({ dueAt }) => dueAt],
  ['created', 'Gemeldet (UTC)', 'Reported (UTC)', ({ createdAt }) => new Date(createdAt)],
  [
    'closed',
    'Erledigt (UTC)',
    'Done (UTC)',
    ({ closedAt }) => (closedAt === null ? null : new Date(closedAt)),
  ],
  ['account', 'Account', 'Account', ({ accountName }) => accountName],
]
const types: Readonly<Record<string, TableColumn<Ticket>['type']>> = {
  number: 'id',
  created: 'time',
  closed: 'time',
}

const cut: Record<Language, (rows: number) => string> = {
  de: (rows) => `Nach ${rows} Tickets gekürzt. Grenzen Sie die Auswahl ein.`,
  en: (rows) => `Cut after ${rows} tickets. Narrow the selection.`,
}

/** The visible tickets as a file, read page by page as the consumer pulls them. */
export function ticketTable(
  db: Executor,
  sight: TicketSight,
  filter: TicketFilter,
  { orderBy, language, isCut }: { orderBy: TicketOrder; language: Language; isCut: boolean },
): Table<Ticket> {
  async function* pages() {
    for (let offset = 0; offset < ticketLimits.fileRowsMax; offset += pageSize) {
      const limit = Math.min(pageSize, ticketLimits.fileRowsMax - offset)
      const found = await listTickets(db, sight, filter, { orderBy, offset, limit })
      yield found
      if (found.length < limit) return
    }
  }
  return {
    title: 'Tickets',
    columns: columns.map(([name, de, en, cell]) => ({
      name,
      title: language === 'de' ? de : en,
      type: types[name] ?? 'text',
      cell: (ticket: Ticket) => cell(ticket, language),
    })),
    language,
    pages: pages(),
    cut: isCut ? cut[language](ticketLimits.fileRowsMax) : null,
  }
}
