import { type ImportedDevice, importProblems } from '@leitstand/contract/driverImport'
import i18next, { type TFunction } from 'i18next'

/** How many examples became golden packets, and what was left out. */
export function summaryOf(t: TFunction, { golden, differing, unusable, encoder }: ImportedDevice): string {
  return [
    t('drivers.import.golden', { count: golden }),
    differing > 0 ? t('drivers.import.differing', { count: differing }) : '',
    unusable > 0 ? t('drivers.import.unusable', { count: unusable }) : '',
    encoder ? t('drivers.import.encoder') : '',
  ]
    .filter(Boolean)
    .join(' · ')
}

export function problemText(t: TFunction, { code, message }: { code: string; message: string }): string {
  const known = importProblems.find((each) => each === code)
  if (known) return t(`drivers.import.problem.${known}`, { path: message })
  const key = `errors.${code}`
  return i18next.exists(key) ? `${t(key)} ${message}` : message
}
