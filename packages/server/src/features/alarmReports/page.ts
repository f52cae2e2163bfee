import type { AlarmReportCondition, AlarmReportLanguage } from '@leitstand/contract/alarmReports'
import type { Presence } from '../../platform/brands.ts'
import type { AlarmRow, DeviceRow } from './content.store.ts'
import { type Content, tablesInOrder, type Wanted } from './content.ts'
import { type Words, wordsIn } from './texts.ts'

const cellLengthMax = 160

export interface Column {
  title: string
  /** share of the width */
  width: number
  right?: true
}

export interface Table {
  title: string
  /** empty titles: without a head */
  columns: Column[]
  rows: string[][]
  /** below the rows: how many more there are */
  note: string | null
}

/** A report as it is read, in its language: the same for HTML, text and PDF. All its texts are single lines. */
export interface Page {
  language: AlarmReportLanguage
  title: string
  lines: string[]
  tables: Table[]
  /** text and address of a link */
  link: { text: string; url: string }
  footer: string
  /** of a page of paper: `Page 1 of 2`, with the numbers as `{page}` and `{pages}` */
  pageOf: string
  /** what the platform is called, for the properties of a file */
  product: string
}

interface Format {
  words: Words
  time: (at: Date | null) => string
  number: (value: number | null) => string
}

/** Pure. */
export function pageOf(
  content: Content,
  wanted: Wanted,
  about: { subject: string; met: readonly AlarmReportCondition[]; presence: Presence },
): Page {
  const { language, timeZone } = wanted
  const words = wordsIn(language)
  const times = new Intl.DateTimeFormat(language, { dateStyle: 'short', timeStyle: 'short', timeZone })
  const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })
  const format: Format = {
    words,
    time: (at) => (at === null ? words.never : oneLine(times.format(at))),
    number: (value) => (value === null ? words.unknown : numbers.format(value)),
  }
  const { met, subject, presence } = about
  const product = oneLine(presence.name[language === 'de-DE' ? 'de' : 'en'])
  return {
    language,
    title: oneLine(subject),
    lines: [
      words.about(oneLine(content.groupTitle), oneLine(content.accountName)),
      words.period(format.time(content.from), `${format.time(content.to)} (${timeZone})`),
      ...(met.length === 0
        ? []
        : [`${words.because}: ${met.map((each) => words.conditions[each]).join(', ')}`]),
    ],
    tables: tablesInOrder(wanted.tables).map((table) =>
      table === 'summary'
        ? { title: words.tables.summary, ...summaryOf(content, wanted, format), note: null }
        : tableOf(words.tables[table], partOf(table, content, format), format),
    ),
    link: { text: words.view(product), url: `${presence.publicUrl}/#/alarm-logs` },
    footer: words.footer,
    pageOf: words.page('{page}', '{pages}'),
    product,
  }
}

function summaryOf({ figures }: Content, { type }: Wanted, { words, number }: Format) {
  const { facts } = words
  const hours = figures.windowHours
  const ofDevices: [string, number | null][] =
    type === 'device'
      ? [
          [facts.errors, figures.errors],
          [facts.warnings, figures.warnings],
          [facts.silent, figures.silent],
        ]
      : [
          [facts.silent, figures.silent],
          ...(figures.low === null ? [] : [[facts.low, figures.low] as [string, number]]),
          [facts.received(hours), figures.received],
          [facts.expected(hours), figures.expected === null ? null : Math.round(figures.expected)],
        ]
  const rows: [string, number | null][] = [
    [facts.devices, figures.devices],
    ...ofDevices,
    [facts.open, figures.open],
    [facts.unacknowledged, figures.unacknowledged],
    [facts.raised, figures.raised],
    [facts.resolved, figures.resolved],
  ]
  return {
    columns: [
      { title: '', width: 3 },
      { title: '', width: 1, right: true as const },
    ],
    rows: rows.map(([name, value]) => [name, number(value)]),
  }
}

type Listed = { columns: Column[]; rows: string[][]; total: number }

function partOf(
  table: Exclude<Wanted['tables'][number], 'summary'>,
  content: Content,
  format: Format,
): Listed {
  const { columns } = format.words
  switch (table) {
    case 'openAlarms':
    case 'newAlarms':
    case 'resolvedAlarms': {
      const { items, total } = content[table]
      const last = table === 'resolvedAlarms'
      return {
        columns: [
          { title: columns.severity, width: 1.2 },
          { title: columns.message, width: 4 },
          { title: columns.device, width: 3 },
          { title: columns.account, width: 2 },
          { title: columns.since, width: 1.8 },
          ...(last ? [{ title: columns.until, width: 1.8 }] : []),
        ],
        rows: items.map((alarm) => alarmCells(alarm, last, format)),
        total,
      }
    }
    case 'deviceHealth': {
      const { items, total } = content.deviceHealth
      return {
        columns: [
          { title: columns.severity, width: 1.2 },
          { title: columns.device, width: 4 },
          { title: columns.identifier, width: 3 },
          { title: columns.lastSeen, width: 2 },
        ],
        rows: items.map((device) => [
          format.words.severities[device.health === 2 ? 'error' : 'warning'],
          oneLine(device.title),
          oneLine(device.identifier),
          format.time(device.lastSeen),
        ]),
        total,
      }
    }
    case 'packets': {
      const { items, total } = content.packets
      return {
        columns: [
          { title: columns.device, width: 4 },
          { title: columns.identifier, width: 3 },
          { title: columns.lastSeen, width: 2 },
          { title: columns.received, width: 1.4, right: true },
          { title: columns.expected, width: 1.4, right: true },
        ],
        rows: items.map((device) => quietCells(device, format)),
        total,
      }
    }
  }
}

function alarmCells(alarm: AlarmRow, withEnd: boolean, { words, time, number }: Format): string[] {
  return [
    words.severities[alarm.severity],
    oneLine(sayingOf(alarm, words, number)),
    oneLine(alarm.title),
    oneLine(alarm.accountName),
    time(alarm.raisedAt),
    ...(withEnd ? [time(alarm.resolvedAt)] : []),
  ]
}

function quietCells(device: DeviceRow, { time, number }: Format): string[] {
  return [
    oneLine(device.title),
    oneLine(device.identifier),
    time(device.lastSeen),
    number(device.received),
    number(device.expected === null ? null : Math.round(device.expected)),
  ]
}

function tableOf(title: string, { columns, rows, total }: Listed, { words, number }: Format): Table {
  const left = total - rows.length
  const note = rows.length === 0 ? words.empty : left > 0 ? words.more(number(left)) : null
  return { title: `${title} (${number(total)})`, columns, rows, note }
}

/** What an alarm says: in the language of the report where the platform itself says it. */
function sayingOf({ source, message, details }: AlarmRow, words: Words, number: Format['number']): string {
  const { received, expected, hours } = details
  if (source !== 'packet-threshold') return message
  if (typeof received !== 'number' || typeof expected !== 'number' || typeof hours !== 'number')
    return message
  return words.threshold(number(received), number(expected), hours)
}

/** Texts of users and devices: no breaks, no invisible control characters, nothing endless. */
function oneLine(text: string): string {
  return text
    .slice(0, 10 * cellLengthMax)
    .replace(/[\s\p{Cc}\p{Bidi_Control}]+/gu, ' ')
    .trim()
    .slice(0, cellLengthMax)
    .toWellFormed()
}
