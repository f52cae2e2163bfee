import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Page } from 'playwright-core'
import { freePort } from './server.ts'
import { buildingTile, type House, type Position } from './vectorTile.ts'

/** The only zoom with tiles; closer ones are scaled. */
const tilesZoom = 14

/** A real tile server with a style and, around one place, vector tiles of houses in the schema of OpenMapTiles. */
export interface TileServer extends AsyncDisposable {
  url: string
  styleUrl: string
  /** requested paths */
  asked: string[]
  /** Stops it, so that it is unreachable; `start` brings it back at the same address. */
  stop(): Promise<void>
  start(): Promise<void>
}

/** Starts a server of tiles: blue ground with red houses, 20 m high, around the place. */
export async function startTileServer(place: { latitude: number; longitude: number }): Promise<TileServer> {
  const url = `http://127.0.0.1:${await freePort()}`
  const houses = housesAround(place)
  const asked: string[] = []
  const answer = (path: string, reply: ServerResponse) => {
    asked.push(path)
    reply.setHeader('access-control-allow-origin', '*')
    if (path === '/style.json') return reply.end(JSON.stringify(style(url)))
    if (path === '/tiles.json') return reply.end(JSON.stringify(tileset(url)))
    const [z, x, y] = (/^\/tiles\/(\d+)\/(\d+)\/(\d+)\.pbf$/.exec(path) ?? []).slice(1).map(Number)
    if (z === undefined || x === undefined || y === undefined) return reply.writeHead(404).end()
    return reply.end(buildingTile(houses, z, x, y))
  }
  let server: Server | undefined
  const start = async () => {
    const made = createServer((request, reply) => answer(request.url ?? '/', reply))
    await new Promise<void>((resolve) => made.listen(Number(new URL(url).port), '127.0.0.1', resolve))
    server = made
  }
  const stop = async () => {
    const ending = server
    server = undefined
    await new Promise<void>((resolve) => {
      if (!ending) return resolve()
      ending.close(() => resolve())
      ending.closeAllConnections()
    })
  }
  await start()
  return { url, styleUrl: `${url}/style.json`, asked, start, stop, [Symbol.asyncDispose]: stop }
}

function style(url: string): object {
  return {
    version: 8,
    // No fonts: requests for one get 404.
    glyphs: `${url}/fonts/{fontstack}/{range}.pbf`,
    sources: { city: { type: 'vector', url: 'tiles.json' } },
    layers: [
      { id: 'ground', type: 'background', paint: { 'background-color': '#0000cc' } },
      {
        id: 'houses',
        type: 'fill',
        source: 'city',
        'source-layer': 'building',
        paint: { 'fill-color': '#cc0000' },
      },
    ],
  }
}

function tileset(url: string): object {
  return {
    tilejson: '3.0.0',
    tiles: [`${url}/tiles/{z}/{x}/{y}.pbf`],
    attribution: '© <b>Vermessung</b>',
    minzoom: tilesZoom,
    maxzoom: tilesZoom,
    vector_layers: [{ id: 'building', fields: {} }],
  }
}

/** Twenty rows of houses of 30 m with 6 m between them. */
function housesAround({ latitude, longitude }: { latitude: number; longitude: number }): House[] {
  const degrees = 1 / 111_320
  const across = degrees / Math.cos((latitude * Math.PI) / 180)
  const steps = Array.from({ length: 21 }, (_, index) => (index - 10) * 36 - 15)
  const corner = (x: number, y: number): Position => [longitude + x * across, latitude + y * degrees]
  return steps.flatMap((x) =>
    steps.map((y) => ({
      corners: [corner(x, y), corner(x, y + 30), corner(x + 30, y + 30), corner(x + 30, y)],
      heightM: 20,
    })),
  )
}

/** Share of the map's screenshot that is red, blue, or neither: white, grey, black. */
export async function coloursOf(page: Page): Promise<{ red: number; blue: number; grey: number }> {
  const picture = (await page.locator('canvas.maplibregl-canvas').screenshot()).toString('base64')
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d')
    if (!context) throw new Error('there is no canvas')
    context.drawImage(image, 0, 0)
    const { data } = context.getImageData(0, 0, image.width, image.height)
    const count = { red: 0, blue: 0, grey: 0 }
    for (let at = 0; at < data.length; at += 4) {
      const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3)
      if (Math.max(red, green, blue) - Math.min(red, green, blue) < 60) count.grey++
      else if (red > 2 * Math.max(green, blue)) count.red++
      else if (blue > 2 * Math.max(red, green)) count.blue++
    }
    const all = data.length / 4
    return { red: count.red / all, blue: count.blue / all, grey: count.grey / all }
  }, picture)
}

/** The share of a map's pixels that have about this colour, `#rrggbb`. */
export async function shareOf(page: Page, colour: string): Promise<number> {
  const picture = (await page.locator('canvas.maplibregl-canvas').screenshot()).toString('base64')
  const wanted = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
  return page.evaluate(
    async ([base64, parts]) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d')
      if (!context) throw new Error('there is no canvas')
      context.drawImage(image, 0, 0)
      const { data } = context.getImageData(0, 0, image.width, image.height)
      let count = 0
      for (let at = 0; at < data.length; at += 4)
        if (parts.every((part, index) => Math.abs((data[at + index] ?? 0) - part) <= 3)) count++
      return count / (data.length / 4)
    },
    [picture, wanted] as const,
  )
}
