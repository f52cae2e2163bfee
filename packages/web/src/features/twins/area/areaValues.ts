import { GeoPolygon, lacksPolygon } from '@leitstand/contract/geoPolygon'
import i18next from 'i18next'
import * as z from 'zod'
import { formatNumber } from '../../../lib/format.ts'
import { check } from '../../../lib/validation.ts'
import { areaFrom } from '../../../ui/map/areaText.ts'

/** The polygon of a twin in a form. */
export interface AreaValues {
  geoPolygon: GeoPolygon | null
  /** coordinates that were entered and cannot be read; null if `geoPolygon` is what was entered */
  areaText: string | null
}

const checkPolygon = check(z.object({ geoPolygon: GeoPolygon.nullable() }))

/** A fault of the polygon alone, whatever the type of the twin. */
export function shapeFault({ geoPolygon, areaText }: AreaValues): string | undefined {
  if (areaText === null) return Object.values(checkPolygon({ geoPolygon }))[0]
  const read = areaFrom(areaText)
  if (!('fault' in read)) return undefined
  const { key, ...details } = read.fault
  return i18next.t(`geoPolygon.${key}`, details)
}

/** The fault of a form's polygon at its field. */
export function areaFaults(values: AreaValues & { type: string }): Record<string, string> {
  const fault =
    shapeFault(values) ?? (lacksPolygon(values) ? i18next.t('validation.custom.zoneNeedsPolygon') : undefined)
  return fault === undefined ? {} : { geoPolygon: fault }
}

/** The error of the field: also the server's about one of its corners. */
export function areaError<T>(errors: Record<string, T>): T | undefined {
  return errors.geoPolygon ?? Object.entries(errors).find(([path]) => path.startsWith('geoPolygon.'))?.[1]
}

const hectare = 1e4
const squareKilometre = 1e6

/** An area in m², ha or km². */
export function areaWords(squareMetres: number): string {
  if (squareMetres < hectare) return `${formatNumber(squareMetres, squareMetres < 10 ? 1 : 0)} m²`
  if (squareMetres < squareKilometre) return `${formatNumber(squareMetres / hectare, 1)} ha`
  return `${formatNumber(squareMetres / squareKilometre, 1)} km²`
}
