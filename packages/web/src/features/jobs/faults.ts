import type { JobRow } from '@leitstand/contract/jobs'
import type { TFunction } from 'i18next'

type Fault = JobRow['faults'][number]

/** Error of a row, in words: `Länge: Das ist keine Zahl.` */
export function faultText(t: TFunction, { code, column, detail = '' }: Fault): string {
  const told =
    t(`jobs.fault.${code}`, { defaultValue: '' }) || t(`errors.${code}`, { defaultValue: code, detail })
  const text = told.replace(/: $/, '.')
  return column === null ? text : t('jobs.rows.in', { column, text })
}
