import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { createLog } from '../log.ts'
import { Metrics } from '../metrics.ts'
import { mountConsole } from './console.ts'
import { createHttp } from './server.ts'

const log = createLog('silent')
let folder: string
let http: Awaited<ReturnType<typeof createHttp>>

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'leitstand-console-'))
  http = await createHttp(readConfig({}, folder), log, new Metrics())
})
afterEach(async () => {
  await http.close()
  rmSync(folder, { recursive: true, force: true })
})

test('the page is asked for every time, what carries a hash in its name is kept for ever', async () => {
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Leitstand</title>')
  writeFileSync(join(folder, 'assets/app-1a2b3c.js'), 'export {}')
  await mountConsole(http, { log, pageUnder: async () => null, folder })
  const page = await http.inject('/')
  expect(page.statusCode).toBe(200)
  expect(page.headers).toMatchObject({
    'cache-control': 'no-cache',
    'content-type': 'text/html; charset=utf-8',
  })
  const asset = await http.inject('/assets/app-1a2b3c.js')
  expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  const missing = await http.inject('/assets/app-old.js')
  expect(missing.statusCode).toBe(404)
  expect(missing.json()).toMatchObject({ code: 'NOT_FOUND' })
  expect((await http.inject('/../package.json')).statusCode).toBe(404)
})

test('what the build has compressed is sent as it is, to who reads it', async () => {
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Leitstand</title>')
  const script = 'export const text = "Leitstand"\n'.repeat(100)
  const file = join(folder, 'assets/app-1a2b3c.js')
  writeFileSync(file, script)
  writeFileSync(`${file}.br`, brotliCompressSync(script))
  writeFileSync(`${file}.gz`, gzipSync(script))
  await mountConsole(http, { log, pageUnder: async () => null, folder })
  const ask = (encodings: string) =>
    http.inject({ url: '/assets/app-1a2b3c.js', headers: { 'accept-encoding': encodings } })
  for (const [encodings, chosen, read] of [
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
  ] as const) {
    const reply = await ask(encodings)
    expect(reply.headers['content-encoding']).toBe(chosen)
    expect(reply.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': expect.stringMatching(/javascript; charset=utf-8/),
    })
    expect(String(reply.headers.vary).toLowerCase()).toContain('accept-encoding')
    expect(read(reply.rawPayload).toString()).toBe(script)
  }
})

test('under the host of an account the page and the manifest have its brand and no other name', async () => {
  const page =
    '<!doctype html><html lang="de"><head><link rel="icon" href="/favicon.svg" /><title>Leitstand</title></head></html>'
  writeFileSync(join(folder, 'index.html'), page)
  writeFileSync(join(folder, 'manifest.webmanifest'), '{"name":"Leitstand"}')
  const brand = { name: 'Stadt & <Werke>', icon: '/api/theming/image/1.png', mode: 'dark', language: 'en' }
  const pageUnder = async (host: string) => {
    if (host === 'broken.example') throw new Error('no database')
    return host === 'iot.example' ? { ...brand, colour: '#8a1538', data: { title: '"$&' } } : null
  }
  await mountConsole(http, { log, pageUnder, folder })
  const ask = async (url: string, host: string, headers: Record<string, string> = {}) =>
    (await http.inject({ url, remoteAddress: '192.0.2.1', headers: { host, ...headers } })).body
  for (const url of ['/', '/index.html', '/?from=mail'])
    expect(await ask(url, 'iot.example:8080')).toBe(
      '<!doctype html><html lang="de" data-mode="dark" data-language="en"><head>\n' +
        '    <meta name="brand" content="{&#34;title&#34;:&#34;\\&#34;$&#38;&#34;}" />' +
        '<link rel="icon" href="/api/theming/image/1.png" type="image/png" />' +
        '<title>Stadt &#38; &#60;Werke&#62;</title></head></html>',
    )
  expect(JSON.parse(await ask('/manifest.webmanifest', 'iot.example'))).toMatchObject({
    name: 'Stadt & <Werke>',
    short_name: 'Stadt & <Wer',
    theme_color: '#8a1538',
    icons: [{ src: '/api/theming/image/1.png', type: 'image/png' }],
  })
  // Nobody but a trusted proxy says under which host it was called.
  for (const headers of [{ 'x-forwarded-host': 'iot.example' }, { forwarded: 'host=iot.example' }]) {
    expect(await ask('/', 'other.example', headers)).toBe(page)
    expect(await ask('/manifest.webmanifest', 'other.example', headers)).toBe('{"name":"Leitstand"}')
  }
  expect(await ask('/', 'broken.example')).toBe(page)
})

test('without a build it says what to do', async () => {
  await mountConsole(http, { log, pageUnder: async () => null, folder: join(folder, 'nothing') })
  const page = await http.inject('/')
  expect(page.statusCode).toBe(503)
  expect(page.body).toContain('npm run build')
})
