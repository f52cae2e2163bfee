import type { DiskKind } from '@leitstand/contract/diskUsage'
import i18next, { type TFunction } from 'i18next'
import { formatBytes } from '../../../lib/format.ts'

/** Kinds that are named beside an account, device or twin. */
const namedMax = 3

/** `Packets 1.2 MB, values 0.8 MB`: what takes most. */
export function kindsText(byKind: Partial<Record<DiskKind, number>>, t: TFunction): string {
  return (Object.entries(byKind) as [DiskKind, number][])
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, namedMax)
    .map(([kind, bytes]) => `${t(`diskUsage.kindNames.${kind}`)} ${formatBytes(bytes)}`)
    .join(', ')
}

/** `+ 1.2 MB`, or `− 0.3 MB` for what shrinks. @param bytes in a day */
export function growthText(bytes: number): string {
  if (Math.abs(bytes) < 1) return i18next.t('diskUsage.constant')
  return `${bytes < 0 ? '−' : '+'}\u202f${formatBytes(Math.abs(bytes))}`
}

/** 0 to 100. */
export function percentOf(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.min(100, (100 * part) / whole)
}
