import { type FoundPlace, geocoderLimits } from '@leitstand/contract/geocoder'
import * as z from 'zod'
import type { GeocoderKind } from '../../../geocoderSettings.ts'
import { storableText } from '../../../platform/storable.ts'

type Language = 'de' | 'en'
interface Position {
  latitude: number
  longitude: number
}

/** How a geocoder is asked, and how its answers are read. */
interface Geocoder {
  /** @returns path and query */
  search(text: string, language: Language): string
  reverse(position: Position, language: Language): string
  /** @returns null if this is no answer of such a geocoder; places that make no sense are left out */
  read(answer: unknown): FoundPlace[] | null
}

const { placesMax, addressMax } = geocoderLimits
const titleMax = 500

const text = z.string().max(1000).optional().catch(undefined)
const Latitude = z.coerce.number().min(-90).max(90)
const Longitude = z.coerce.number().min(-180).max(180)

const query = (path: string, values: Record<string, string | number>) =>
  `${path}?${new URLSearchParams(Object.entries(values).map(([name, value]): [string, string] => [name, String(value)]))}`

/** https://github.com/komoot/photon: GeoJSON */
const PhotonAnswer = z.object({ features: z.array(z.unknown()) })
const PhotonPlace = z.object({
  geometry: z.object({ coordinates: z.tuple([Longitude, Latitude]) }),
  properties: z.object({
    name: text,
    street: text,
    housenumber: text,
    postcode: text,
    city: text,
    district: text,
    county: text,
    state: text,
    country: text,
    type: text,
  }),
})

const photon: Geocoder = {
  search: (q, lang) => query('/api', { q, lang, limit: placesMax }),
  reverse: ({ latitude, longitude }, lang) =>
    query('/reverse', { lat: latitude, lon: longitude, lang, limit: 1 }),
  read: (answer) => {
    const parsed = PhotonAnswer.safeParse(answer)
    if (!parsed.success) return null
    return placesOf(parsed.data.features, PhotonPlace, ({ geometry, properties }) => {
      const { name, street, housenumber, postcode, city, district, county, state, country, type } = properties
      const town = city ?? (type === 'city' ? name : undefined) ?? county
      const line = joined(' ', street ?? (type === 'street' ? name : undefined), housenumber)
      const [longitude, latitude] = geometry.coordinates
      return {
        title: joined(', ', name, line, district, joined(' ', postcode, town), state, country),
        address: joined(', ', line || name, joined(' ', postcode, town)),
        latitude,
        longitude,
      }
    })
  },
}

/** https://nominatim.org/release-docs/latest/api/Overview/, format jsonv2 */
const NominatimPlace = z.object({
  lat: Latitude,
  lon: Longitude,
  display_name: z.string().max(2000),
  address: z
    .object({
      house_number: text,
      road: text,
      pedestrian: text,
      hamlet: text,
      village: text,
      town: text,
      city: text,
      municipality: text,
      postcode: text,
    })
    .optional(),
})
const NominatimNothing = z.object({ error: z.string() })

const nominatim: Geocoder = {
  search: (q, language) =>
    query('/search', {
      q,
      format: 'jsonv2',
      addressdetails: 1,
      limit: placesMax,
      'accept-language': language,
    }),
  reverse: ({ latitude, longitude }, language) =>
    query('/reverse', {
      lat: latitude,
      lon: longitude,
      format: 'jsonv2',
      addressdetails: 1,
      'accept-language': language,
    }),
  read: (answer) => {
    if (NominatimNothing.safeParse(answer).success) return []
    const items = Array.isArray(answer) ? answer : NominatimPlace.safeParse(answer).success ? [answer] : null
    if (items === null) return null
    return placesOf(items, NominatimPlace, ({ lat, lon, display_name, address = {} }) => {
      const { house_number, road, pedestrian, postcode, hamlet, village, town, city, municipality } = address
      const place = city ?? town ?? village ?? municipality ?? hamlet
      const line = joined(' ', road ?? pedestrian, house_number)
      return {
        title: display_name,
        address: line || place ? joined(', ', line, joined(' ', postcode, place)) : display_name,
        latitude: lat,
        longitude: lon,
      }
    })
  },
}

export const geocoders: Readonly<Record<GeocoderKind, Geocoder>> = { photon, nominatim }

function placesOf<T>(
  items: readonly unknown[],
  Place: z.ZodType<T>,
  read: (place: T) => FoundPlace,
): FoundPlace[] {
  return items.slice(0, placesMax).flatMap((item) => {
    const parsed = Place.safeParse(item)
    if (!parsed.success) return []
    const { title, address, ...position } = read(parsed.data)
    const place = { title: cut(title, titleMax), address: cut(address, addressMax), ...position }
    return place.title === '' ? [] : [place]
  })
}

/** The parts there are, each once. */
function joined(separator: string, ...parts: readonly (string | undefined)[]): string {
  const present = parts.map((part) => part?.trim() ?? '').filter((part) => part !== '')
  return [...new Set(present)].join(separator)
}

/** Text for a form: one line that the database can store. */
function cut(value: string, max: number): string {
  return storableText(value.replaceAll(/[\p{Cc}\s]+/gu, ' '))
    .trim()
    .slice(0, max)
    .toWellFormed()
}
