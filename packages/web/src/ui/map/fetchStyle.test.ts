import { afterEach, describe, expect, test, vi } from 'vitest'
import { ForeignHosts, fetchStyle } from './styleDocument.ts'

const address = 'https://maps.example.org/style.json'
const origins = ['https://maps.example.org']
const style = { version: 8, sources: {}, layers: [] }
const signal = new AbortController().signal

const answer = (reply: () => Promise<Response>) => {
  const fetched = vi.fn(reply)
  vi.stubGlobal('fetch', fetched)
  return fetched
}
afterEach(() => void vi.unstubAllGlobals())

describe('loading a map style', () => {
  test('reads it from its address', async () => {
    const fetched = answer(async () => Response.json(style))
    await expect(fetchStyle(address, origins, signal)).resolves.toMatchObject({ version: 8 })
    expect(fetched).toHaveBeenCalledWith(address, expect.anything())
  })

  test.each([
    ['an error', async () => new Response('', { status: 503 }), /503/],
    ['a page', async () => new Response('<html>'), /JSON|token/],
    ['another document', async () => Response.json({ version: 7 }), /no MapLibre style/],
    ['nothing', async () => Response.json(null), /no MapLibre style/],
  ])('fails with %s', async (_name, reply, message) => {
    answer(reply)
    await expect(fetchStyle(address, origins, signal)).rejects.toThrow(message)
  })

  test('names the hosts that the browser would block', async () => {
    const sources = { a: { type: 'vector', url: 'https://tiles.example.com/a.json' } }
    answer(async () => Response.json({ ...style, sources }))
    const failed = await fetchStyle(address, origins, signal).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ForeignHosts)
    expect((failed as ForeignHosts).origins).toEqual(['https://tiles.example.com'])
  })

  test('ends when the screen is left', async () => {
    const stop = new AbortController()
    vi.stubGlobal('fetch', (_address: string, { signal: given }: RequestInit) => {
      stop.abort()
      return given?.aborted
        ? Promise.reject(new DOMException('', 'AbortError'))
        : Promise.resolve(Response.json(style))
    })
    await expect(fetchStyle(address, origins, stop.signal)).rejects.toThrow(DOMException)
  })
})
