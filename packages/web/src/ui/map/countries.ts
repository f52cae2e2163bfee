/** Labels and grid of the built-in atlas, computed from the country outlines. */

type Ring = readonly GeoJSON.Position[]

/** Names of countries in a language, by ISO 3166 number; undefined for areas without one. */
export function namesIn(language: string): (id: string | number | undefined) => string | undefined {
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
  return (id = '') => {
    if (!/^\d{1,3}$/.test(String(id))) return undefined
    const { region } = new Intl.Locale(`und-${String(id).padStart(3, '0')}`)
    return region && names.of(region)
  }
}

/**
 * Label position of each country, with `name` (the data's own if the language has none) and `area` (square
 * degrees, for label priority).
 */
export function countryNames(world: GeoJSON.FeatureCollection, language: string): GeoJSON.FeatureCollection {
  const nameOf = namesIn(language)
  const features = world.features.flatMap((country): GeoJSON.Feature[] => {
    const largest = outlines(country.geometry)
      .map((ring) => ({ ring, area: areaOf(ring) }))
      .sort((one, other) => other.area - one.area)[0]
    const place = largest && insideOf(largest.ring)
    if (!largest || !place) return []
    const name = nameOf(country.id) ?? String(country.properties?.name ?? '')
    return [
      {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: place },
        properties: { name, area: largest.area },
      },
    ]
  })
  return { type: 'FeatureCollection', features }
}

/**
 * Meridians and parallels; `step` is the widest grid spacing in degrees that includes the line: 30, 10 or 1.
 */
export function graticule(): GeoJSON.FeatureCollection {
  const line = (degrees: number, coordinates: GeoJSON.Position[]): GeoJSON.Feature => ({
    type: 'Feature',
    geometry: { type: 'LineString', coordinates },
    properties: { step: [30, 10].find((step) => degrees % step === 0) ?? 1 },
  })
  const from = (start: number, end: number) => Array.from({ length: end - start + 1 }, (_, at) => start + at)
  return {
    type: 'FeatureCollection',
    features: [
      ...from(-180, 179).map((longitude) =>
        line(longitude, [
          [longitude, -85],
          [longitude, 85],
        ]),
      ),
      // In the map's projection a parallel is a straight line, too.
      ...from(-80, 80).map((latitude) =>
        line(latitude, [
          [-180, latitude],
          [180, latitude],
        ]),
      ),
    ],
  }
}

function outlines(geometry: GeoJSON.Geometry): Ring[] {
  if (geometry.type === 'Polygon') return geometry.coordinates.slice(0, 1)
  if (geometry.type === 'MultiPolygon') return geometry.coordinates.flatMap((polygon) => polygon.slice(0, 1))
  return []
}

/** Edges of the ring, as pairs of longitude and latitude. */
function edges(ring: Ring): [number, number, number, number][] {
  return ring.slice(1).map(([x = 0, y = 0], index) => [ring[index]?.[0] ?? 0, ring[index]?.[1] ?? 0, x, y])
}

/** Area of a ring in square degrees. */
function areaOf(ring: Ring): number {
  return Math.abs(edges(ring).reduce((sum, [x1, y1, x2, y2]) => sum + x1 * y2 - x2 * y1, 0)) / 2
}

/** A point well inside a ring: of several parallels, the middle of the longest segment inside. */
function insideOf(ring: Ring): GeoJSON.Position | undefined {
  const sides = edges(ring)
  const latitudes = ring.map(([, y = 0]) => y)
  const [south, north] = [
    latitudes.reduce((a, b) => Math.min(a, b)),
    latitudes.reduce((a, b) => Math.max(a, b)),
  ]
  const stretches = [0.4, 0.45, 0.5, 0.55, 0.6].flatMap((share) => {
    const y = south + (north - south) * share
    const crossings = sides
      .filter(([, y1, , y2]) => y1 > y !== y2 > y)
      .map(([x1, y1, x2, y2]) => x1 + ((y - y1) / (y2 - y1)) * (x2 - x1))
      .sort((a, b) => a - b)
    return crossings.flatMap((west, index) => {
      const east = crossings[index + 1]
      return index % 2 === 0 && east !== undefined ? [{ y, west, east }] : []
    })
  })
  const widest = stretches.sort((one, other) => other.east - other.west - (one.east - one.west))[0]
  return widest && [(widest.west + widest.east) / 2, widest.y]
}
