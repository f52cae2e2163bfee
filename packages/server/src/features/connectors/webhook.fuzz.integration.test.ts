import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { JsonValue } from '@leitstand/contract/common'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fuzzing, mutantsOf, rubbish, rubbishBytes, soundBodies } from '../../../test/fuzz.ts'
import { startApp, type TestApp } from '../../../test/kit.ts'
import { createDevice, createDriver } from '../../../test/pipeline.ts'

let app: TestApp
let serial = 0
const problems: string[] = []
const noteProblem = (error: unknown) => void problems.push(String(error))

beforeAll(async () => {
  app = await startApp()
  process.on('unhandledRejection', noteProblem)
})
afterAll(() => {
  process.off('unhandledRejection', noteProblem)
  expect(problems).toEqual([])
})

type Preset = keyof typeof soundBodies | 'template'
const passOn =
  'module.exports = (payload, meta) => ({ identifier: "A1", data: { body: payload, query: meta.query } })'
const echo =
  'function decodeUplink({ bytes, fPort }) { return { data: { first: bytes[0], port: fPort, all: String(bytes) } } }'

/** A webhook with the devices that the valid bodies refer to. */
async function webhook(preset: Preset) {
  const settings = { preset, template: preset === 'template' ? passOn : '' }
  const name = `Webhook ${++serial}`
  const { id, key } = await app.api.bridge.create({
    accountId: app.rootAccountId,
    kind: 'webhook-in',
    name,
    settings,
  })
  const owner = { id, accountId: app.rootAccountId, scopeId: app.rootScopeId }
  const driver = await createDriver(app, echo)
  await createDevice(app, owner, 'A1')
  await createDevice(app, owner, 'A81758FFFE00AA01', driver)
  await createDevice(app, owner, '70B3D57ED0001234', driver)
  return { id, url: `${app.url}/api/hooks/${key}` }
}

interface Answer {
  accepted?: number
  rejectedCount?: number
  code?: string
  data?: Answer
}

/** The response to a request: how many parts were stored, and how many became dead letters. */
async function post(url: string, body: string | Uint8Array, headers: Record<string, string> = {}) {
  const reply = await fetch(url, {
    method: 'POST',
    body: typeof body === 'string' ? body : Buffer.from(body),
    headers,
  })
  const answer = (await reply.json()) as Answer
  // Too large, or to be sent again after many that could not be read.
  if ([413, 429].includes(reply.status)) return { accepted: 0, kept: 0 }
  expect([200, 400, 422], JSON.stringify(answer)).toContain(reply.status)
  if (reply.status === 400) return { accepted: 0, kept: 1 }
  const { accepted = 0, rejectedCount = 0 } = reply.status === 200 ? answer : (answer.data ?? {})
  return { accepted, kept: rejectedCount }
}

/**
 * Rows of a connector in the database, without dead letters for too large bodies: those are limited to one a
 * minute.
 */
async function storedOf(connectorId: number) {
  const { db } = app.ctx
  const countOf = (table: 'packets' | 'dead_letters') =>
    db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('connector_id', '=', connectorId)
  const packets = await countOf('packets').executeTakeFirstOrThrow()
  const letters = await countOf('dead_letters')
    .where('reason', '<>', 'BODY_TOO_LARGE')
    .executeTakeFirstOrThrow()
  return { accepted: Number(packets.count), kept: Number(letters.count) }
}

/**
 * Sends groups of bodies concurrently, so that they share batches, and compares the responses with the
 * database.
 */
async function expectNothingLost(preset: Preset, bodies: fc.Arbitrary<string | Uint8Array>, runs: number) {
  const { id, url } = await webhook(preset)
  const told = { accepted: 0, kept: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(bodies, { minLength: 1, maxLength: 12 }), async (group) => {
      const answers = await Promise.all(group.map((body) => post(url, body)))
      for (const { accepted, kept } of answers) {
        told.accepted += accepted
        told.kept += kept
      }
    }),
    fuzzing(runs),
  )
  expect(await storedOf(id), `seed ${fuzzing(runs).seed}`).toEqual(told)
  const good = { identifier: 'A1', data: { healthy: true } }
  if (preset === 'standard') expect(await post(url, JSON.stringify(good))).toEqual({ accepted: 1, kept: 0 })
  expect((await app.api.bridge.traffic({ id })).items.length).toBeGreaterThan(0)
}

describe('every body is answered, and what the answer says is in the database', () => {
  test.each(['standard', 'tts-v3', 'chirpstack-v4'] as const)('%s', async (preset) => {
    const bodies = soundBodies[preset].map((body) => mutantsOf(body as JsonValue))
    await expectNothingLost(preset, fc.oneof(...bodies, rubbish), 60)
  })

  test('a template', async () => {
    const [one, many] = soundBodies.standard
    await expectNothingLost('template', fc.oneof(mutantsOf(one), mutantsOf(many as never), rubbish), 40)
  })

  test('bytes that are no text', async () => {
    await expectNothingLost('standard', rubbishBytes, 30)
  })
})

describe('what is not a sound request', () => {
  test('parameters of the address that no database can hold do no harm to what they came with', async () => {
    const { id, url } = await webhook('standard')
    const bodies = ['{"identifier":"A1","data":{"a":1}}', '{"identifier":"nobody","data":1}', '{}', 'rubbish']
    const queries = ['?%00=%00', '?__proto__=1', '?a=%ED%A0%80&a=2', '?%ff', `?${'a=1&'.repeat(2000)}`]
    const told = { accepted: 0, kept: 0 }
    for (const query of queries) {
      for (const { accepted, kept } of await Promise.all(bodies.map((body) => post(url + query, body)))) {
        told.accepted += accepted
        told.kept += kept
      }
    }
    expect(told).toEqual({ accepted: queries.length, kept: 3 * queries.length })
    expect(await storedOf(id)).toEqual(told)
  })

  test('compressed bodies are not unpacked, whatever they would become', async () => {
    const { id, url } = await webhook('standard')
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, ' '))
    expect(bomb.length).toBeLessThan(1024 * 1024)
    for (const encoding of ['gzip', 'deflate', 'br', 'x-unknown']) {
      expect(await post(url, bomb, { 'content-encoding': encoding })).toEqual({ accepted: 0, kept: 1 })
    }
    expect(await storedOf(id)).toEqual({ accepted: 0, kept: 4 })
  })

  test('content types do not matter, and hostile ones do no harm', async () => {
    const { url } = await webhook('standard')
    const body = JSON.stringify({ identifier: 'A1', data: { a: 1 } })
    for (const type of [
      ...[
        'application/json',
        'text/plain',
        'multipart/form-data; boundary=x',
        'application/x-www-form-urlencoded',
      ],
      ...['', ';', 'a/b; charset=utf-16', '__proto__', `a/${'x'.repeat(4000)}`],
    ]) {
      expect(await post(url, body, { 'content-type': type }), type).toEqual({ accepted: 1, kept: 0 })
    }
  })

  test('requests written by hand are answered or hung up on, and nothing stays open', async () => {
    const { url } = await webhook('standard')
    const path = new URL(url).pathname
    const head = (...lines: string[]) =>
      `${[`POST ${path} HTTP/1.1`, 'host: x', ...lines].join('\r\n')}\r\n\r\n`
    const sayings = [
      `${head('transfer-encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`,
      `${head('transfer-encoding: chunked')}ffffffffffffffff\r\n`,
      `${head('transfer-encoding: chunked')}-1\r\n\r\n`,
      `${head('transfer-encoding: chunked', 'content-length: 3')}3\r\nabc\r\n0\r\n\r\n`,
      `${head('transfer-encoding: gzip, chunked')}0\r\n\r\n`,
      head('content-length: -1'),
      head('content-length: 99999999999999999999'),
      `${head('content-length: 2', 'content-length: 3')}{}`,
      `${head('content-length: 100000000')}{"identifier":"A1"`,
      `${head('content-length: 50')}{"identifier":"A1"`,
      head('content-length: 0'),
      `${head(`x-long: ${'x'.repeat(20_000)}`, 'content-length: 2')}{}`,
      `${head('expect: 200-nothing', 'content-length: 2')}{}`,
      `${head('content-length: 2', 'bad header line')}{}`,
      `${head('content-length: 2', 'x-\u0000: 1')}{}`,
      `POST ${path} HTTP/9.9\r\n\r\n`,
      `POST /api/hooks/%00 HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`,
      `POST /api/hooks/%zz HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`,
      `POST /api/hooks/${'k'.repeat(9000)} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`,
      `POST ${path}?${'a[]=1&'.repeat(1000)} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`,
      `POST ${path}?__proto__=1&constructor=2&%00=%ff HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`,
      'GET / HTTP/1.1\r\n\r\n',
      '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc',
      '\r\n\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      `${head('content-length: 2')}{}`.repeat(50),
    ]
    for (const saying of sayings) {
      const answer = await say(saying)
      if (answer !== '') expect(answer.slice(0, 12), saying.slice(0, 200)).toMatch(/^HTTP\/1\.1 (200|4\d\d)/)
    }
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...sayings), fc.nat(), fc.nat(255), async (saying, place, byte) => {
        const bytes = Buffer.from(saying)
        bytes[place % bytes.length] = byte
        const answer = await say(bytes)
        if (answer !== '') expect(answer.slice(0, 12)).toMatch(/^HTTP\/1\.1 [2-4]\d\d/)
      }),
      fuzzing(100),
    )
    expect(await post(url, JSON.stringify({ identifier: 'A1', data: { b: 1 } }))).toEqual({
      accepted: 1,
      kept: 0,
    })
    const left = () =>
      new Promise<number>((resolve) => app.ctx.http.server.getConnections((_, n) => resolve(n)))
    app.ctx.http.server.closeIdleConnections()
    await expect.poll(left).toBe(0)
  })
})

/** Sends bytes, and disconnects after a response or a timeout; returns the response. */
function say(bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      socket.end()
    })
    socket.on('error', () => {}) // a closed connection is a valid response
    socket.on('close', () => resolve(answer))
    socket.setTimeout(200, () => socket.destroy())
    socket.write(bytes)
  })
}
