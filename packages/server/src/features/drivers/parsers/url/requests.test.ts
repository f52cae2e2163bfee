import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ParserOf } from '@leitstand/contract/parsers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../../../test/kit.ts'
import { Outgoing } from '../../../../platform/net/outgoing.ts'
import { Secrets } from '../../../../platform/secrets.ts'
import type { RunnableDriver } from '../../run.ts'
import type { RemotePacket } from '../types.ts'
import { sealBearer } from './bearer.ts'
import { UrlParsers, urlLimits } from './requests.ts'

interface Asked {
  packets: { time: string; fPort: number | null; meta: object; bytes?: string; payload?: unknown }[]
  authorization: string | undefined
}

let server: Server
let url: string
let asked: Asked[]
let answer: (request: Asked, reply: ServerResponse) => void
let clock: FakeClock
let parsers: UrlParsers
const secrets = new Secrets('what this test encrypts its secrets with')

beforeEach(async () => {
  asked = []
  answer = ({ packets }, reply) =>
    reply.end(JSON.stringify({ results: packets.map(({ bytes }) => ({ data: { bytes } })) }))
  server = createServer(async (request: IncomingMessage, reply) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Pick<Asked, 'packets'>
    const seen = { ...body, authorization: request.headers.authorization }
    asked.push(seen)
    answer(seen, reply)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/parse`
  clock = new FakeClock()
  parsers = new UrlParsers({ outgoing: new Outgoing(['127.0.0.0/8']), clock, secrets })
})

afterEach(async () => {
  await parsers[Symbol.asyncDispose]()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

type UrlDriver = RunnableDriver<ParserOf<'url'>>

const driver = (parser: object = {}, more: Partial<UrlDriver> = {}): UrlDriver => ({
  driverId: 1,
  number: 1,
  accountId: 1,
  script: '',
  parser: { kind: 'url', url, timeoutMs: 3000, retries: 0, ...parser },
  ...more,
})
const time = new Date('2026-06-01T00:00:00.000Z')
const packet = (payload: string, more: Partial<RemotePacket> = {}): RemotePacket => ({
  time,
  fPort: 1,
  encoding: 'hex',
  payload,
  meta: '{}',
  ...more,
})
const data = { dataAccountId: 1 }
const codes = async (driven: UrlDriver, ...packets: RemotePacket[]) =>
  (await parsers.run(driven, packets, data)).map((each) => (each.ok ? each.value : each.error.code))

describe('a parser reached by HTTP', () => {
  it('gets bytes or JSON with port, time and metadata, and answers for each packet', async () => {
    answer = (_request, reply) =>
      reply.end('{"results":[{"data":{"t":1},"warnings":["old"]},{"error":"unknown message"}]}')
    const json = packet('{"a":1}', { encoding: 'json', fPort: null, meta: '{"rssi":-80}' })
    expect(await parsers.run(driver(), [packet('0aff'), json], data)).toMatchObject([
      { ok: true, value: { t: 1 }, warnings: ['old'] },
      { ok: false, error: { code: 'PARSER_URL_REFUSED', message: 'unknown message' } },
    ])
    expect(asked).toEqual([
      {
        packets: [
          { time: time.toISOString(), fPort: 1, meta: {}, bytes: '0aff' },
          { time: time.toISOString(), fPort: null, meta: { rssi: -80 }, payload: { a: 1 } },
        ],
        authorization: undefined,
      },
    ])
  })

  it('gets packets together that came while it was busy, in bounded requests', async () => {
    const held: (() => void)[] = []
    const usual = answer
    answer = (request, reply) => held.push(() => usual(request, reply))
    const answers = Array.from({ length: 250 }, (_, index) =>
      parsers.run(driver(), [packet(index.toString(16).padStart(4, '0'))], data),
    )
    let answered = 0
    const all = Promise.all(answers).then((each) => {
      answered = each.length
      return each
    })
    while (answered === 0) {
      for (const release of held.splice(0)) release()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect((await all).map(([each]) => each?.ok && each.value)).toEqual(
      Array.from({ length: 250 }, (_, index) => ({ bytes: index.toString(16).padStart(4, '0') })),
    )
    const sizes = asked.map(({ packets }) => packets.length)
    expect(sizes.length).toBeLessThan(20)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(urlLimits.packetsPerRequest)
  })

  it.each<[string, string, (reply: ServerResponse) => void]>([
    ['no JSON', 'PARSER_URL_ANSWER_INVALID', (reply) => reply.end('sorry')],
    ['no results', 'PARSER_URL_ANSWER_INVALID', (reply) => reply.end('{}')],
    ['too few results', 'PARSER_URL_ANSWER_INVALID', (reply) => reply.end('{"results":[]}')],
    ['another status', 'PARSER_URL_FAILED', (reply) => reply.writeHead(404).end()],
    ['a redirect', 'PARSER_URL_FAILED', (reply) => reply.writeHead(302, { location: '/' }).end()],
    ['nothing', 'PARSER_URL_FAILED', (reply) => reply.destroy()],
    ['too much', 'PARSER_URL_ANSWER_INVALID', (reply) => reply.end('x'.repeat(urlLimits.answerBytesMax + 1))],
  ])('that answers %s is told from a good one', async (_what, code, reply) => {
    answer = (_request, to) => reply(to)
    expect(await codes(driver(), packet('00'))).toEqual([code])
    expect(asked).toHaveLength(1)
  })

  it('is asked again where the failure may pass, as often as its driver says', async () => {
    const usual = answer
    answer = (request, reply) => (asked.length < 3 ? reply.writeHead(503).end() : usual(request, reply))
    expect(await codes(driver({ retries: 2 }), packet('0a'))).toEqual([{ bytes: '0a' }])
    answer = (_request, reply) => reply.writeHead(400).end()
    asked.length = 0
    expect(await codes(driver({ retries: 2 }), packet('0a'))).toEqual(['PARSER_URL_FAILED'])
    expect(asked).toHaveLength(1)
  })

  it('that does not answer in time is given up', async () => {
    answer = () => undefined
    expect(await codes(driver({ timeoutMs: 100 }), packet('0a'))).toEqual(['PARSER_URL_TIMEOUT'])
  })

  it('that fails repeatedly rests, and is asked once when its rest is over', async () => {
    const usual = answer
    answer = (_request, reply) => reply.writeHead(500).end()
    for (let call = 0; call < 3; call++)
      expect(await codes(driver(), packet('0a'))).toEqual(['PARSER_URL_FAILED'])
    expect(await codes(driver(), packet('0a'), packet('0b'))).toEqual([
      'PARSER_URL_RESTING',
      'PARSER_URL_RESTING',
    ])
    expect(asked).toHaveLength(3)
    expect(await codes(driver({}, { number: 2 }), packet('0a'))).toEqual(['PARSER_URL_FAILED'])
    answer = usual
    clock.advance(30_000)
    expect(await codes(driver(), packet('0a'))).toEqual([{ bytes: '0a' }])
    expect(await codes(driver(), packet('0b'))).toEqual([{ bytes: '0b' }])
  })

  it('for which too many packets wait refuses the rest at once, and other parsers go on', async () => {
    const held: (() => void)[] = []
    const usual = answer
    answer = (request, reply) => held.push(() => usual(request, reply))
    const many = Array.from({ length: urlLimits.waitingPerDriver + 1 }, () => packet('00'))
    const slow = [1, 2].map(() => codes(driver(), ...many))
    answer = usual
    expect(await codes(driver({}, { driverId: 2, accountId: 2 }), packet('0a'))).toEqual([{ bytes: '0a' }])
    for (const release of held.splice(0)) release()
    const results = (await Promise.all(slow)).flat()
    expect(results.filter((each) => each === 'PARSER_URL_BUSY').length).toBeGreaterThan(0)
    expect(results).toHaveLength(2 * many.length)
  })

  it('is reached only where the operator allows', async () => {
    const shut = new UrlParsers({ outgoing: new Outgoing([]), clock, secrets })
    const [refused] = await shut.run(driver(), [packet('0a')], data)
    expect(refused).toMatchObject({ error: { code: 'OUTGOING_ADDRESS_FORBIDDEN' } })
    expect(asked).toEqual([])
  })

  it('gets its token only at the origin it was entered for', async () => {
    const parserSecret = sealBearer(secrets, 1, url, 'of the parser')
    await codes(driver({}, { parserSecret }), packet('0a'))
    await codes(driver({}, { parserSecret, bearer: 'just entered', number: 0 }), packet('0a'))
    await codes(
      driver({}, { number: 2, parserSecret: { ...parserSecret, origin: 'https://other.example' } }),
      packet('0a'),
    )
    expect(asked.map(({ authorization }) => authorization)).toEqual([
      'Bearer of the parser',
      'Bearer just entered',
      undefined,
    ])
  })

  it('is told nothing more when the server stops', async () => {
    answer = () => undefined
    const waiting = codes(driver(), packet('0a'))
    await parsers[Symbol.asyncDispose]()
    expect(await waiting).toEqual(['PARSER_URL_FAILED'])
    expect(await codes(driver(), packet('0a'))).toEqual(['PARSER_URL_BUSY'])
  })
})
