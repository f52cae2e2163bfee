import type { Asset, AssetRow, AssetRowIssue } from '@leitstand/contract/assets'
import { splitCsv } from '../../lib/splitCsv.ts'
import type { Tone } from '../../ui/display/Badges.tsx'

export const assetPath = (id: number): string => `/is-assetmgmt/assets/${id}`

/** The list of assets in a zone, or of those that belong to it and are elsewhere. */
export const inventoryPath = (
  zoneId: number,
  what: 'here' | 'missing' | 'strangers' | 'expected',
): string => {
  const query = {
    here: `zone=${zoneId}`,
    strangers: `zone=${zoneId}&stranger=yes`,
    expected: `home=${zoneId}`,
    missing: `home=${zoneId}&place=away`,
  }[what]
  return `/is-assetmgmt/assets?${query}`
}

const tones = { home: 'ok', away: 'warning', lent: 'accent', loose: 'unknown' } as const
/** The colour of where an asset is. */
export const placeTone = (place: Asset['place']): Tone => tones[place]

/** Whether a loan should have ended before today. */
export const isOverdue = (loan: Asset['loan'], today: string): boolean =>
  loan !== null && loan.dueAt !== null && loan.dueAt < today

/** Today in the user's calendar, as `2026-11-20`. */
export function todayOf(now: Date): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}

/** Filters of lists and maps from the filter bar. */
export function assetFilter(filters: Readonly<Record<string, readonly string[] | undefined>>, today: string) {
  const ids = (values: readonly string[]) =>
    values.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0)
  const { category, zone, home, place, loan, stranger, tracker } = filters
  return {
    ...(category ? { categories: [...category] } : {}),
    ...(zone ? { zoneIds: ids(zone) } : {}),
    ...(home ? { homeZoneIds: ids(home) } : {}),
    ...(place ? { places: [...place] as Asset['place'][] } : {}),
    ...(loan ? { overdue: true, today } : {}),
    ...(stranger ? { stranger: stranger[0] === 'yes' } : {}),
    ...(tracker ? { tracked: tracker[0] === 'yes' } : {}),
  }
}

export interface FileRow {
  /** line in the text, from 1 */
  line: number
  row: AssetRow
  /** why it cannot be sent */
  problem: 'title' | null
}

/** The heading of a file that people make from the export, in both languages. */
const headings = /^(name|title|titel|bezeichnung)$/i

/**
 * Reads a list of assets: name, category, inventory number, home zone, external id of the tracker. Separated by semicolon,
 * comma or tab; a first line that begins with the heading of the first column is left out.
 */
export function parseAssets(text: string): FileRow[] {
  const lines = splitCsv(text.replace(/^\ufeff/, ''))
  const rows = headings.test(lines[0]?.fields[0]?.trim() ?? '') ? lines.slice(1) : lines
  return rows.map(({ line, fields }) => {
    const [title = '', category = '', inventoryNumber = '', homeZone = '', tracker = ''] = fields.map(
      (field) => field.trim(),
    )
    return {
      line,
      row: { title, category, inventoryNumber, homeZone, tracker },
      problem: title === '' ? 'title' : null,
    }
  })
}

/** What the server found wrong, by line of the text. */
export function issuesByLine(
  rows: readonly FileRow[],
  issues: readonly AssetRowIssue[],
): ReadonlyMap<number, AssetRowIssue> {
  return new Map(
    issues.flatMap((issue) => {
      const row = rows[issue.row]
      return row === undefined ? [] : [[row.line, issue] as const]
    }),
  )
}
