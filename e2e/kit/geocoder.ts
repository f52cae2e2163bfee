import { createServer } from 'node:http'
import { freePort } from './server.ts'

/** A server that answers like Photon: two places for a text, one for a position. */
export interface Geocoder extends AsyncDisposable {
  url: string
  /** requested paths with their queries */
  asked: string[]
}

const places = [
  { type: 'house', street: 'Marktplatz', housenumber: '1', postcode: '12345', city: 'Musterstadt' },
  { type: 'house', street: 'Marktplatz', housenumber: '1', postcode: '54321', city: 'Altdorf' },
]

export async function startGeocoder(at: { latitude: number; longitude: number }): Promise<Geocoder> {
  const asked: string[] = []
  const features = places.map((properties, index) => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [at.longitude + index, at.latitude] },
    properties: { ...properties, country: 'Deutschland', countrycode: 'DE' },
  }))
  const server = createServer((request, reply) => {
    asked.push(request.url ?? '')
    const isReverse = request.url?.startsWith('/reverse?')
    reply.setHeader('content-type', 'application/json')
    reply.end(JSON.stringify({ type: 'FeatureCollection', features: isReverse ? [features[1]] : features }))
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}`, asked, [Symbol.asyncDispose]: stop }
}
