import type { RemoteField } from '@leitstand/contract/remote'
import type { TFunction } from 'i18next'
import { formatNumber } from '../../lib/format.ts'

interface Described {
  description: string
  latitude: number | null
  longitude: number | null
}

const degreeDigits = 5

export function shown(field: RemoteField, thing: Described, title: string, t: TFunction): string {
  if (field === 'title') return title
  if (field === 'description') return thing.description
  const { latitude, longitude } = thing
  if (latitude === null || longitude === null) return t('devices.sync.nowhere')
  return `${formatNumber(latitude, degreeDigits)}, ${formatNumber(longitude, degreeDigits)}`
}
