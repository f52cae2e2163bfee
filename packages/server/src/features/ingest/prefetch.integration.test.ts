import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { StandardPacket } from '@leitstand/contract/bridge'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FakeClock, startApp, type TestApp } from '../../../test/kit.ts'
import { createConnector, createDevice, currentOf } from '../../../test/pipeline.ts'

const clock = new FakeClock()
let app: TestApp
let connector: Awaited<ReturnType<typeof createConnector>>
let server: Server
let driverId: number
let answer: (payloads: string[], reply: ServerResponse) => void

const usual: typeof answer = (payloads, reply) =>
  reply.end(JSON.stringify({ results: payloads.map((each) => ({ data: { t: Number.parseInt(each, 16) } })) }))

beforeAll(async () => {
  server = createServer(async (request, reply) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const { packets } = JSON.parse(Buffer.concat(chunks).toString()) as { packets: { bytes: string }[] }
    answer(
      packets.map(({ bytes }) => bytes),
      reply,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  answer = usual
  app = await startApp({ clock, config: { allowedNetworks: ['127.0.0.0/8'] } })
  connector = await createConnector(app)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const driver = await app.api.devicedrivers.create({
    accountId: app.rootAccountId,
    title: 'Elsewhere',
    parser: { kind: 'url', url, timeoutMs: 3000, retries: 0 },
    parserSecret: 'a token',
    calculated: [{ key: 'double', expression: 't * 2' }],
  })
  expect(driver).toMatchObject({ parserKind: 'url', hasParserSecret: true })
  expect(JSON.stringify(driver)).not.toContain('a token')
  driverId = driver.id
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function submit(packet: StandardPacket) {
  const receivedAt = clock.now()
  return app.app.ingest.submit({ connector, packets: [packet], raw: JSON.stringify(packet), receivedAt })
}

it('a parser elsewhere is asked before its packet stands in the queue: nobody else waits for it', async () => {
  const remote = await createDevice(app, connector, 'remote', driverId)
  const other = await createDevice(app, connector, 'other')
  const asked = new Promise<() => void>((resolve) => {
    answer = (payloads, reply) => resolve(() => usual(payloads, reply))
  })
  const slow = submit({ identifier: 'remote', payload: '15' })
  const release = await asked
  await submit({ identifier: 'other', data: { t: 1 } })
  expect(await currentOf(app, other)).toEqual({ t: 1 })
  expect(await currentOf(app, remote)).toEqual({})
  release()
  expect(await slow).toMatchObject({ accepted: 1, decoded: [{ variables: { t: 21, double: 42 } }] })
  expect(await currentOf(app, remote)).toEqual({ t: 21, double: 42 })
})

it('a packet that could not be read is kept with the reason and read again later', async () => {
  const device = await createDevice(app, connector, 'failing', driverId)
  answer = (_payloads, reply) => reply.writeHead(500).end()
  const outcome = await submit({ identifier: 'failing', payload: '0a' })
  expect(outcome).toMatchObject({ accepted: 1, decoded: [{ error: { code: 'PARSER_URL_FAILED' } }] })
  answer = usual
  await app.api.letters.redecode({
    deviceIds: [device],
    errorsOnly: true,
    using: null,
    from: new Date(clock.now().getTime() - 3_600_000).toISOString(),
    to: new Date(clock.now().getTime() + 3_600_000).toISOString(),
  })
  await app.drain()
  expect(await currentOf(app, device)).toEqual({ t: 10, double: 20 })
})

it('a driver that begins to be read elsewhere is noticed', async () => {
  const before = await app.api.devicedrivers.create({
    accountId: app.rootAccountId,
    title: 'Later elsewhere',
    script: 'function decodeUplink() { return { data: { here: true } } }',
  })
  const device = await createDevice(app, connector, 'changing', before.id)
  await submit({ identifier: 'changing', payload: '01' })
  const { parser } = await app.api.devicedrivers.get({ id: driverId })
  await app.api.devicedrivers.update({ ...before, parser, script: '' })
  await app.ctx.configChanges.settle()
  await submit({ identifier: 'changing', payload: '02' })
  expect(await currentOf(app, device)).toEqual({ here: true, t: 2 })
})

it('packets are read in Elixir on their way in', async () => {
  const driver = await app.api.devicedrivers.create({
    accountId: app.rootAccountId,
    title: 'Elixir',
    parser: { kind: 'elixir' },
    script: 'defmodule Parser do\n  def parse(<<t::signed-16>>, _meta), do: %{t: t / 10}\nend',
  })
  const device = await createDevice(app, connector, 'elixir', driver.id)
  await submit({ identifier: 'elixir', payload: 'fff1' })
  const outcome = await submit({ identifier: 'elixir', payload: 'ff' })
  expect(await currentOf(app, device)).toEqual({ t: -1.5 })
  expect(outcome.decoded).toMatchObject([{ error: { code: 'SCRIPT_ERROR' } }])
})
