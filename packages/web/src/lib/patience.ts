/** Longest waits where they are not that of all other calls: method, path below `/api`, milliseconds. */
const particular: readonly (readonly [method: string, path: RegExp, ms: number])[] = [
  ['GET', /^\/virtualdevice(\/geo-.*)?$/, 25_000],
  ['DELETE', /^\/virtualdevice\/\d+$/, 30_000],
  ['POST', /^\/time-series\/search/, 30_000],
  ['GET', /^\/user$/, 45_000],
  ['POST', /^\/upload\//, 50_000],
]

/**
 * How long the console waits for the reply to a call before it says that there was none, in milliseconds. The server gives
 * up earlier by itself wherever it can.
 * @param url of the request, with `/api`
 */
export function patienceFor({ method, url }: Pick<Request, 'method' | 'url'>): number {
  const path = new URL(url).pathname.replace(/^\/api/, '')
  return particular.find(([verb, pattern]) => verb === method && pattern.test(path))?.[2] ?? 60_000
}
