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

let folder: string
let http: Awaited<ReturnType<typeof createHttp>>

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'leitstand-console-'))
  http = await createHttp(readConfig({}, folder), createLog('silent'), new Metrics())
})
afterEach(async () => {
  await http.close()
  rmSync(folder, { recursive: true, force: true })
})

test('the page is asked for every time, what carries a hash in its name is kept for ever', async () => {
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Leitstand</title>')
  writeFileSync(join(folder, 'assets/app-1a2b3c.js'), 'export {}')
  await mountConsole(http, folder)
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
  await mountConsole(http, folder)
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

test('without a build it says what to do', async () => {
  await mountConsole(http, join(folder, 'nothing'))
  const page = await http.inject('/')
  expect(page.statusCode).toBe(503)
  expect(page.body).toContain('npm run build')
})
