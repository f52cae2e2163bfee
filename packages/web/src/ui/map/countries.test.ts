import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import { describe, expect, it } from 'vitest'
import { countryNames, graticule, namesIn } from './countries.ts'
import { unwrapped } from './world.ts'

const file = createRequire(import.meta.url).resolve('world-atlas/countries-50m.json')
const topology = JSON.parse(readFileSync(file, 'utf8')) as Topology<{ countries: GeometryCollection }>
const world = unwrapped(feature(topology, topology.objects.countries))

describe('names of countries', () => {
  it.each([
    ['276', 'de', 'Deutschland'],
    ['276', 'en', 'Germany'],
    [8, 'de', 'Albanien'],
    [undefined, 'de', undefined],
    ['-99', 'de', undefined],
  ])('%s is in %s %s', (id, language, name) => {
    expect(namesIn(language)(id)).toBe(name)
  })

  it('each country of the world has one, within its largest part', () => {
    const names = countryNames(world, 'de').features.map(({ geometry, properties }) => ({
      ...properties,
      place: geometry.type === 'Point' ? geometry.coordinates.map(Math.round) : [],
    }))
    expect(names).toHaveLength(world.features.length)
    expect(names).toContainEqual(expect.objectContaining({ name: 'Kosovo' }))
    const placeOf = (wanted: string) =>
      names.find((each) => 'name' in each && each.name === wanted)?.place as number[]
    // Not in Sweden, the sea or Alaska, where the centre of all parts would be.
    const [norwayEast = 0, norwayNorth = 0] = placeOf('Norwegen')
    expect(norwayEast).toBeGreaterThan(4)
    expect(norwayNorth).toBeLessThan(71)
    const [west = 0, north = 0] = placeOf('Vereinigte Staaten')
    expect([west > -120 && west < -75, north > 30 && north < 48]).toEqual([true, true])
  })
})

it('the grid says at which distance each of its lines is drawn', () => {
  const steps = graticule().features.map(({ properties }) => properties?.step as number)
  const count = (step: number) => steps.filter((each) => each === step).length
  expect([count(30), count(10), count(1)]).toEqual([12 + 5, 24 + 12, 324 + 144])
})

it('no outline jumps to the other end of the map, but around the pole', () => {
  const rings = (geometry: GeoJSON.Geometry) =>
    geometry.type === 'Polygon'
      ? geometry.coordinates
      : geometry.type === 'MultiPolygon'
        ? geometry.coordinates.flat()
        : []
  const jumping = world.features.filter(({ geometry }) =>
    rings(geometry).some((ring) =>
      ring.some(([x = 0], index) => Math.abs(x - (ring[index - 1]?.[0] ?? x)) > 180),
    ),
  )
  expect(jumping.map(({ properties }) => properties?.name)).toEqual(['Antarctica'])
})
