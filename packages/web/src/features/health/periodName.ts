import type { HealthPeriod } from '@leitstand/contract/health'
import type { TFunction } from 'i18next'

export function nameOf({ entry, fault, description }: HealthPeriod, t: TFunction): string {
  return fault === null ? description || (entry ?? '') : t(`deviceHealth.faultNames.${fault}`)
}
