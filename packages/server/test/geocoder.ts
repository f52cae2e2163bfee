import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterThisFile } from './cleanup.ts'

/** A geocoder that answers like Photon or Nominatim, with the shapes of their documentation. */
export interface FakeGeocoder {
  url: string
  /** paths and queries it was asked for */
  asked: string[]
  /** headers of the last request */
  headers: IncomingHttpHeaders
  /** answers instead of the usual places */
  answer: ((reply: ServerResponse) => void) | undefined
}

const photonPlace = (properties: object, coordinates: unknown) => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates },
  properties: { osm_type: 'N', osm_id: 240109189, osm_key: 'place', countrycode: 'DE', ...properties },
})

/** https://github.com/komoot/photon#search-api */
const photon = {
  type: 'FeatureCollection',
  features: [
    photonPlace(
      {
        type: 'house',
        name: 'Rathaus',
        street: 'Marktplatz',
        housenumber: '1',
        postcode: '12345',
        city: 'Musterstadt',
        district: 'Altstadt',
        state: 'Hessen',
        country: 'Deutschland',
      },
      [10.0013, 53.5504],
    ),
    photonPlace({ type: 'city', name: 'Musterstadt', state: 'Hessen', country: 'Deutschland' }, [10, 53.55]),
    photonPlace({ name: 'Beyond the pole' }, [10, 95]),
    photonPlace({ name: 'Nowhere' }, null),
  ],
}

const nominatimPlace = {
  place_id: 100149,
  licence: 'Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright',
  osm_type: 'node',
  osm_id: '107775',
  boundingbox: ['51.3473219', '51.6673219', '-0.2876474', '0.0323526'],
  lat: '53.5504',
  lon: '10.0013',
  display_name: 'Rathaus, 1, Marktplatz, Altstadt, Musterstadt, Hessen, 12345, Deutschland',
  category: 'amenity',
  type: 'townhall',
  importance: 0.96,
  address: {
    amenity: 'Rathaus',
    house_number: '1',
    road: 'Marktplatz',
    suburb: 'Altstadt',
    city: 'Musterstadt',
    state: 'Hessen',
    postcode: '12345',
    country: 'Deutschland',
    country_code: 'de',
  },
}

const answers: Readonly<Record<string, unknown>> = {
  '/api': photon,
  '/reverse': nominatimPlace,
  '/search': [nominatimPlace, { ...nominatimPlace, lat: 'north' }],
  '/photon/reverse': { ...photon, features: photon.features.slice(0, 1) },
}

/** Starts one; stopped after the test file. */
export async function startGeocoder(): Promise<FakeGeocoder> {
  const fake: FakeGeocoder = { url: '', asked: [], headers: {}, answer: undefined }
  const server = createServer((request, reply) => {
    fake.asked.push(request.url ?? '')
    fake.headers = request.headers
    if (fake.answer) return fake.answer(reply)
    const known = answers[new URL(request.url ?? '', 'http://localhost').pathname]
    reply.writeHead(known ? 200 : 404, { 'content-type': 'application/json' })
    reply.end(JSON.stringify(known ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterThisFile(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return fake
}
