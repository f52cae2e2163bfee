import type { JsonValue } from '@leitstand/contract/common'
import { type ExportColumn, exportColumns } from '@leitstand/contract/exports'
import type { ExportRow } from './page.ts'
import type { ExportParams } from './params.ts'

/** A time, told from a value that looks like one. */
export class Moment {
  /** milliseconds since 1970 */
  readonly timeMs: number
  constructor(timeMs: number) {
    this.timeMs = timeMs
  }
}

/** A cell before it is written. */
export type ExportCell = JsonValue | Moment

export interface Column {
  /** for people */
  title: string
  /** for programs; the title if somebody has chosen one */
  name: string
  /** what its cells are, for formats that need to know */
  type: 'time' | 'id' | 'text' | 'value'
  /** `decimals` as its state is shown; null: as exact as it is */
  cell: (row: ExportRow) => { cell: ExportCell; decimals: number | null }
}

const headings: Record<ExportColumn, readonly [de: string, en: string]> = {
  time: ['Zeit', 'Time'],
  object: ['Gerät oder Zwilling', 'Device or twin'],
  objectId: ['ID', 'ID'],
  externalId: ['Kennung', 'Identifier'],
  account: ['Account', 'Account'],
  state: ['Datenpunkt', 'State'],
  stateId: ['Datenpunkt-ID', 'State ID'],
  key: ['Schlüssel', 'Key'],
  value: ['Wert', 'Value'],
  unit: ['Einheit', 'Unit'],
  measuredAt: ['Gemessen', 'Measured'],
}

const types: Partial<Record<ExportColumn, Column['type']>> = {
  time: 'time',
  measuredAt: 'time',
  objectId: 'id',
  stateId: 'id',
  value: 'value',
}

const plain = (cell: ExportCell) => ({ cell, decimals: null })

const cells: Record<ExportColumn, Column['cell']> = {
  time: ({ timeMs }) => plain(new Moment(timeMs)),
  object: ({ object }) => plain(object.title),
  objectId: ({ object }) => plain(object.id),
  externalId: ({ object }) => plain(object.externalId),
  account: ({ object }) => plain(object.accountName),
  state: ({ state }) => plain(state?.title ?? null),
  stateId: ({ state }) => plain(state?.id ?? null),
  key: ({ state }) => plain(state?.key ?? null),
  value: ({ value, state }) => ({ cell: value, decimals: state?.decimals ?? null }),
  unit: ({ state }) => plain(state?.unit ?? null),
  measuredAt: ({ measuredMs }) => plain(new Moment(measuredMs)),
}

/** Columns when none are chosen. */
const usual = {
  long: ['time', 'object', 'externalId', 'state', 'key', 'value', 'unit'],
  wide: ['time', 'object', 'externalId'],
} as const

const prefix = 'state:'

/** Columns that say nothing when a row has the values of several states. */
const ofOneState: readonly ExportColumn[] = ['state', 'stateId', 'key', 'value', 'unit']

/** Identifiers that the chosen columns name; undefined: none, so that all have a column. */
export function namedKeys({ formatting }: Pick<ExportParams, 'formatting'>): string[] | undefined {
  const named = formatting.columns?.flatMap(({ key }) =>
    key.startsWith(prefix) ? [key.slice(prefix.length)] : [],
  )
  return named?.length ? named : undefined
}

/** The columns of an export in their order. @param keys identifiers with a column of their own, in the wide layout */
export function columnsOf(
  { formatting, values }: Pick<ExportParams, 'formatting' | 'values'>,
  keys: readonly string[],
): Column[] {
  const { layout, columns } = formatting
  const fixed = (key: ExportColumn, title?: string): Column => ({
    title: title ?? titleOf(key, formatting),
    name: title ?? key,
    type: types[key] ?? 'text',
    cell: cells[key],
  })
  const ofKey = (key: string, title?: string): Column => ({
    title: title ?? key,
    name: title ?? key,
    type: 'value',
    cell: ({ values: own }) => plain(Object.hasOwn(own, key) ? (own[key] as JsonValue) : null),
  })
  const isFixed = (key: string): key is ExportColumn => (exportColumns as readonly string[]).includes(key)
  if (columns === undefined) {
    const measured = values.kind === 'reading' && layout === 'long' ? (['measuredAt'] as const) : []
    return [...usual[layout], ...measured]
      .map((key) => fixed(key))
      .concat(layout === 'wide' ? keys.map((key) => ofKey(key)) : [])
  }
  const chosen = columns.flatMap(({ key, title }) => {
    if (isFixed(key)) return layout === 'wide' && ofOneState.includes(key) ? [] : [fixed(key, title)]
    return layout === 'wide' ? [ofKey(key.slice(prefix.length), title)] : []
  })
  const rest =
    layout === 'wide' && namedKeys({ formatting }) === undefined ? keys.map((key) => ofKey(key)) : []
  const all = [...chosen, ...rest]
  return all.length > 0 ? all : [fixed('time')]
}

function titleOf(key: ExportColumn, { language, timeZone }: ExportParams['formatting']): string {
  const title = headings[key][language === 'de' ? 0 : 1]
  return types[key] === 'time' ? `${title} (${timeZone})` : title
}
