import type { JobRow } from '@leitstand/contract/jobs'
import type { TFunction } from 'i18next'

type Fault = JobRow['faults'][number]

/** What is wrong with a row, in words: `Länge: Das ist keine Zahl.` */
export function faultText(t: TFunction, { code, column }: Fault): string {
  const text = t(`jobs.fault.${code}`, { defaultValue: '' }) || t(`errors.${code}`, { defaultValue: code })
  return column === null ? text : t('jobs.rows.in', { column, text })
}
