import type { DecodePreview } from '@leitstand/contract/redecoding'
import type { TFunction } from 'i18next'
import { formatNumber, formatValue } from '../../lib/format.ts'

export function kindsOf(each: DecodePreview['variables'][number], t: TFunction): string {
  return (['appears', 'vanishes', 'changes'] as const)
    .filter((kind) => each[kind] > 0)
    .map((kind) => t(`decoding.kind.${kind}`, { count: each[kind], shown: formatNumber(each[kind], 0) }))
    .join(', ')
}

export function shown(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return typeof value === 'object' ? JSON.stringify(value) : formatValue(value)
}
