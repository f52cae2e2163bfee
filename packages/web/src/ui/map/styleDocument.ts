import type { StyleSpecification } from 'maplibre-gl'

/** A server that has not begun to answer by then is one that cannot be reached. */
const answerMsMax = 20_000

/** A style that leads to hosts the installation has not named: the browser would refuse to load from there. */
export class ForeignHosts extends Error {
  readonly origins: readonly string[]
  constructor(origins: readonly string[]) {
    super(`The style loads from ${origins.join(', ')}`)
    this.name = 'ForeignHosts'
    this.origins = origins
  }
}

/** Fetches a MapLibre style. Throws when it cannot be had or used, `ForeignHosts` when it leads elsewhere. */
export async function fetchStyle(
  address: string,
  origins: readonly string[],
  signal: AbortSignal,
): Promise<StyleSpecification> {
  const reply = await fetch(address, { signal: AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)]) })
  if (!reply.ok) throw new Error(`The map style answered ${reply.status}`)
  return readStyle(await reply.json(), address, origins)
}

/**
 * What came as a style, with addresses that stand for themselves.
 * @param address where it came from, which relative addresses start at
 * @param origins those the browser may load from
 */
export function readStyle(
  document: unknown,
  address: string,
  origins: readonly string[],
): StyleSpecification {
  if (!isStyle(document)) throw new Error('This is no MapLibre style')
  const asked = new Set<string>()
  const absolute = (text: string) => {
    const url = new URL(text, address)
    if (url.protocol !== 'data:') asked.add(url.protocol.startsWith('http') ? url.origin : url.protocol)
    // Placeholders such as {z} have to stay what they are.
    return url.href.replaceAll('%7B', '{').replaceAll('%7D', '}')
  }
  const { sprite, glyphs } = document
  const sources = Object.entries(document.sources).map(([id, source]) => [
    id,
    withAddresses(source, absolute),
  ])
  const style: StyleSpecification = {
    ...document,
    sources: Object.fromEntries(sources) as StyleSpecification['sources'],
    ...(glyphs ? { glyphs: absolute(glyphs) } : {}),
    ...(typeof sprite === 'string' ? { sprite: absolute(sprite) } : {}),
    ...(Array.isArray(sprite) ? { sprite: sprite.map(({ id, url }) => ({ id, url: absolute(url) })) } : {}),
  }
  const foreign = [...asked].filter((origin) => !origins.includes(origin))
  if (foreign.length > 0) throw new ForeignHosts(foreign)
  return style
}

function isStyle(document: unknown): document is StyleSpecification {
  if (typeof document !== 'object' || document === null) return false
  const { version, sources, layers } = document as Partial<Record<keyof StyleSpecification, unknown>>
  return version === 8 && typeof sources === 'object' && sources !== null && Array.isArray(layers)
}

/** A source names where it loads from in one of these ways; a `data` that is no address is GeoJSON itself. */
function withAddresses(source: object, absolute: (text: string) => string): object {
  const { url, data, tiles, urls } = source as Record<string, unknown>
  const all = (list: unknown) =>
    Array.isArray(list) ? list.map((each) => absolute(String(each))) : undefined
  return {
    ...source,
    ...(typeof url === 'string' ? { url: absolute(url) } : {}),
    ...(typeof data === 'string' ? { data: absolute(data) } : {}),
    ...(tiles === undefined ? {} : { tiles: all(tiles) }),
    ...(urls === undefined ? {} : { urls: all(urls) }),
  }
}
