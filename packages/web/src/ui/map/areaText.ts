import type { GeoPolygon } from '@leitstand/contract/geoPolygon'
import { cornersOf } from './area.ts'

/** Maximum length of a text that is read: 500 corners of GeoJSON with line breaks, and some more. */
export const areaTextMax = 60_000

/** What is wrong with a text: it is no polygon at all, or one of its lines (from 1) is not a position. */
export type AreaTextFault = { key: 'noPolygon' } | { key: 'noPosition'; line: number } | { key: 'tooLong' }

/** The corners as lines `latitude, longitude`, as people note them; GeoJSON if there are holes. */
export function textOf(polygon: GeoPolygon | null): string {
  if (!polygon) return ''
  if (polygon.coordinates.length > 1) return JSON.stringify(polygon)
  return cornersOf(polygon)
    .map(([longitude = 0, latitude = 0]) => `${plain(latitude)}, ${plain(longitude)}`)
    .join('\n')
}

/** Without an exponent, which tiny numbers are written with. */
function plain(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(12).replace(/\.?0+$/, '') : text
}

/**
 * Reads GeoJSON (a polygon, or a feature or collection with one) or lines of latitude and longitude, also with decimal
 * commas. An empty text is no polygon. Whether the corners make sense is checked by the contract.
 */
export function areaFrom(text: string): { polygon: GeoPolygon | null } | { fault: AreaTextFault } {
  if (text.length > areaTextMax) return { fault: { key: 'tooLong' } }
  const trimmed = text.trim()
  if (trimmed === '') return { polygon: null }
  if (trimmed.startsWith('{') || trimmed.startsWith('[')) return fromJson(trimmed)
  const corners: number[][] = []
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const corner = positionIn(line)
    if (!corner) return { fault: { key: 'noPosition', line: at + 1 } }
    corners.push(corner)
  }
  return { polygon: polygonOf(corners) }
}

/** Closes the ring and drops positions that repeat the one before. */
function polygonOf(positions: readonly number[][]): GeoPolygon {
  const key = (position: number[] | undefined) => position?.slice(0, 2).join()
  const corners = positions.filter((each, at) => at === 0 || key(each) !== key(positions[at - 1]))
  if (corners.length > 1 && key(corners[0]) === key(corners.at(-1))) corners.pop()
  return { type: 'Polygon', coordinates: [[...corners, ...corners.slice(0, 1)]] }
}

const number = /^[+-]?\d{1,3}(?:[.,]\d{1,20})?°?$/

/** `[longitude, latitude]` of a line: two numbers, separated by a comma, a semicolon or a space. */
function positionIn(line: string): number[] | undefined {
  const bare = line.trim().replace(/[,;]$/, '')
  for (const separator of [/\s*;\s*/, /\s*,\s+|\s+/, /,/]) {
    const parts = bare.split(separator)
    if (parts.length !== 2 || !parts.every((part) => number.test(part))) continue
    const [latitude = 0, longitude = 0] = parts.map((part) => Number(part.replace(',', '.').replace('°', '')))
    return [longitude, latitude]
  }
  return undefined
}

function fromJson(text: string): { polygon: GeoPolygon } | { fault: AreaTextFault } {
  try {
    const polygon = polygonIn(JSON.parse(text))
    if (polygon) return { polygon }
  } catch {
    // Reported like JSON of something else.
  }
  return { fault: { key: 'noPolygon' } }
}

function polygonIn(value: unknown): GeoPolygon | undefined {
  const { type, geometry, features, coordinates } = (value ?? {}) as Record<string, unknown>
  if (type === 'Feature') return polygonIn(geometry)
  if (type === 'FeatureCollection' && Array.isArray(features))
    return features.length === 1 ? polygonIn(features[0]) : undefined
  if (type !== 'Polygon' || !Array.isArray(coordinates) || !coordinates.every(isRing)) return undefined
  return { type, coordinates }
}

const isRing = (value: unknown): value is number[][] =>
  Array.isArray(value) &&
  value.every((each) => Array.isArray(each) && each.every((part) => typeof part === 'number'))
