import {
  type BulkExport,
  type ExportColumn,
  type ExportFormat,
  type ExportRange,
  type ExportSelection,
  exportColumns,
  type exportMethods,
  type exportTimeFormats,
  rangeUnits,
} from '@leitstand/contract/exports'
import type { AggregationDuration } from '@leitstand/contract/series'

export type Layout = 'long' | 'wide'

/** A column as the form has it. */
export interface FormColumn {
  key: ExportColumn
  shown: boolean
  /** empty: as usual */
  title: string
}

/** What the form of an export holds. */
export interface FormValues {
  title: string
  stateKeys: string[]
  /** `last month`, or `own` with two ends */
  range: string
  /** local times as 2026-03-04T12:30 */
  start: string
  end: string
  kind: 'raw' | 'interval' | 'reading'
  method: (typeof exportMethods)[number]
  duration: AggregationDuration
  format: ExportFormat
  zip: boolean
  layout: Layout
  columns: Record<Layout, FormColumn[]>
  header: boolean
  separator: '' | ';' | ',' | '\t'
  decimal: '' | '.' | ','
  timeFormat: (typeof exportTimeFormats)[number]
  timeZone: string
  notify: boolean
  /** saved to be run again, with this title */
  saves: boolean
}

/** Periods that can be chosen, the most usual first. */
export const periods = [
  ...rangeUnits.map((unit) => `last ${unit}`),
  ...rangeUnits.map((unit) => `current ${unit}`),
]
export const ownPeriod = 'own'

/** Columns of a layout that are shown unless somebody chooses others. */
const usual: Record<Layout, readonly ExportColumn[]> = {
  long: ['time', 'object', 'externalId', 'state', 'key', 'value', 'unit'],
  wide: ['time', 'object', 'externalId'],
}
const ofOneState: readonly ExportColumn[] = ['state', 'stateId', 'key', 'value', 'unit']

const columnsOf = (layout: Layout): FormColumn[] => {
  const possible = exportColumns.filter((key) => layout === 'long' || !ofOneState.includes(key))
  const others = possible.filter((key) => !usual[layout].includes(key))
  return [...usual[layout], ...others].map((key) => ({ key, shown: usual[layout].includes(key), title: '' }))
}

export function initialValues(title: string, timeZone: string): FormValues {
  return {
    title,
    stateKeys: [],
    range: 'last month',
    start: '',
    end: '',
    kind: 'raw',
    method: 'avg',
    duration: '1d',
    format: 'xlsx',
    zip: false,
    layout: 'long',
    columns: { long: columnsOf('long'), wide: columnsOf('wide') },
    header: true,
    separator: '',
    decimal: '',
    timeFormat: 'local',
    timeZone,
    notify: false,
    saves: false,
  }
}

/** The form with a saved export in it. */
export function valuesOf({ title, ...request }: BulkExport): FormValues {
  const { range, values, formatting } = request
  const own = 'start' in range
  const initial = initialValues(title, formatting.timeZone)
  const chosen = formatting.columns?.flatMap(({ key, title: renamed }) => {
    const known = exportColumns.find((each) => each === key)
    return known ? [{ key: known, shown: true, title: renamed ?? '' }] : []
  })
  const rest = initial.columns[formatting.layout].filter(
    ({ key }) => !chosen?.some((each) => each.key === key),
  )
  return {
    ...initial,
    stateKeys: request.stateKeys ?? [],
    range: own ? ownPeriod : `${range.which} ${range.unit}`,
    start: own ? localOf(range.start) : '',
    end: own ? localOf(range.end) : '',
    kind: values.kind,
    ...(values.kind === 'interval' ? { method: values.method } : {}),
    ...(values.kind === 'raw' ? {} : { duration: values.duration }),
    format: request.format,
    zip: request.zip,
    layout: formatting.layout,
    columns: {
      ...initial.columns,
      ...(chosen
        ? { [formatting.layout]: [...chosen, ...rest.map((each) => ({ ...each, shown: false }))] }
        : {}),
    },
    header: formatting.header,
    separator: formatting.separator ?? '',
    decimal: formatting.decimal ?? '',
    timeFormat: formatting.timeFormat,
    notify: request.notify,
    saves: true,
  }
}

/** The request of the form, as the API takes it. */
export function requestOf(values: FormValues, selection: ExportSelection, language: 'de' | 'en') {
  const { kind, method, duration, layout } = values
  const columns = values.columns[layout]
  const isUsual = JSON.stringify(columns) === JSON.stringify(columnsOf(layout))
  return {
    title: values.title,
    selection,
    ...(values.stateKeys.length > 0 ? { stateKeys: values.stateKeys } : {}),
    range: rangeOf(values),
    values: kind === 'raw' ? { kind } : kind === 'interval' ? { kind, method, duration } : { kind, duration },
    format: values.format,
    zip: values.zip && values.format !== 'xlsx',
    notify: values.notify,
    formatting: {
      layout,
      header: values.header,
      timeFormat: values.timeFormat,
      timeZone: values.timeZone,
      language,
      ...(values.separator === '' ? {} : { separator: values.separator }),
      ...(values.decimal === '' ? {} : { decimal: values.decimal }),
      ...(isUsual
        ? {}
        : {
            columns: columns
              .filter(({ shown }) => shown)
              .map(({ key, title }) => (title.trim() === '' ? { key } : { key, title })),
          }),
    },
  }
}

function rangeOf({ range, start, end }: FormValues): ExportRange {
  if (range === ownPeriod) return { start: isoOf(start), end: isoOf(end) }
  const [which, unit] = range.split(' ') as ['last' | 'current', (typeof rangeUnits)[number]]
  return { which, unit }
}

/** An empty or unreadable time stays as it is, so that the check of the form finds it. */
function isoOf(local: string): string {
  const time = new Date(local)
  return Number.isNaN(time.getTime()) ? '' : time.toISOString()
}

function localOf(iso: string): string {
  const time = new Date(iso)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
