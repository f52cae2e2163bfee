import type { StyleSpecification } from 'maplibre-gl'

/** Timeout of the style server's response. */
const answerMsMax = 20_000

/** A style that refers to hosts the installation does not allow: the browser would block them. */
export class ForeignHosts extends Error {
  readonly origins: readonly string[]
  constructor(origins: readonly string[]) {
    super(`The style loads from ${origins.join(', ')}`)
    this.name = 'ForeignHosts'
    this.origins = origins
  }
}

/**
 * Loads a MapLibre style. Throws if it cannot be loaded or used, `ForeignHosts` if it refers to other hosts.
 */
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
 * Parses a style and makes its addresses absolute.
 * @param address of the style, the base of relative addresses
 * @param origins the browser may load from
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
    // Placeholders such as {z} must stay unencoded.
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

/** A source has its address in one of these properties; `data` that is not an address is inline GeoJSON. */
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
