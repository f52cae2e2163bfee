import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NatsServer } from '../../../test/nats.ts'
import { StartError } from '../errors.ts'
import { createLog } from '../log.ts'
import { Cluster } from './cluster.ts'
import { connectNats } from './connect.ts'
import { roles } from './roles.ts'

const log = createLog('silent')
let nats: NatsServer

beforeAll(async () => {
  nats = await NatsServer.start()
})
afterAll(() => nats[Symbol.asyncDispose]())

async function join(name: string, lost: Error[] = []): Promise<Cluster> {
  const nc = await connectNats({ servers: [nats.url] }, name, log)
  try {
    return await Cluster.join({
      nc,
      name,
      roles,
      version: '0',
      schema: '0',
      log,
      onLost: (error) => lost.push(error),
    })
  } catch (error) {
    await nc.close()
    throw error
  }
}

/** Work that notes who does it. */
function notes(key: string, holders: Map<string, string[]>, name: string) {
  const of = holders.get(key) ?? []
  holders.set(key, of)
  return {
    key,
    role: 'ingest' as const,
    start: async () => void of.push(name),
    stop: async () => void of.splice(of.indexOf(name), 1),
  }
}

describe('nodes', () => {
  it('share work, each of it with one node, and take over from one that dies', async () => {
    const holders = new Map<string, string[]>()
    const keys = Array.from({ length: 16 }, (_, index) => `packets.${index}`)
    const nodes: Cluster[] = []
    for (const name of ['a', 'b', 'c']) {
      const node = await join(name)
      for (const key of keys) node.share(notes(key, holders, name))
      await node.start()
      nodes.push(node)
    }
    const [a, b, c] = nodes as [Cluster, Cluster, Cluster]
    const held = () => keys.map((key) => holders.get(key))
    await expect.poll(() => held().every((of) => of?.length === 1) && new Set(held().flat()).size).toBe(3)
    expect(a.members().map(({ name, isAlive }) => [name, isAlive])).toEqual([
      ['a', true],
      ['b', true],
      ['c', true],
    ])

    // Like a killed process: its connection is gone, and it says nothing.
    await b.nc.close()
    await expect
      .poll(
        () =>
          held()
            .flat()
            .filter((name) => name !== 'b').length,
        { timeout: 60_000 },
      )
      .toBe(keys.length)
    // The one that lost touch stopped its work by itself.
    await expect.poll(() => held().flat().includes('b')).toBe(false)
    expect(a.members().find(({ name }) => name === 'b')?.isAlive).toBe(false)

    // One that stops gives up its work at once.
    await c[Symbol.asyncDispose]()
    await expect.poll(() => held().flat()).toEqual(keys.map(() => 'a'))
    await a[Symbol.asyncDispose]()
    await b[Symbol.asyncDispose]()
    expect(held().flat()).toEqual([])
  })

  it('refuses a second node of the same name, and lets a killed one come back', async () => {
    const first = await join('twin')
    await first.start()
    await expect(join('twin')).rejects.toThrow(/A node with the name twin is running/)
    await first.nc.close()
    const again = await join('twin')
    await again.start()
    await expect
      .poll(() =>
        again
          .members()
          .filter(({ isAlive }) => isAlive)
          .map(({ name }) => name),
      )
      .toEqual(['twin'])
    await again[Symbol.asyncDispose]()
    await first[Symbol.asyncDispose]()
  })

  it('hear what others tell, and not themselves', async () => {
    const [one, two] = [await join('one'), await join('two')]
    const heard: unknown[] = []
    one.hear('door', (message, from) => heard.push([message, from]))
    two.hear('door', () => heard.push('own'))
    two.tell('door', { bell: 1 })
    await expect.poll(() => heard).toEqual([[{ bell: 1 }, 'two']])
    await one[Symbol.asyncDispose]()
    await two[Symbol.asyncDispose]()
  })
})

describe('NATS that cannot be used', () => {
  const refused = async (options: Parameters<typeof NatsServer.start>[0]) => {
    await using server = await NatsServer.start(options)
    return await connectNats({ servers: [server.url] }, 'x', log).then(
      () => null,
      (error: unknown) => (error instanceof StartError ? error.message : error),
    )
  }

  it('is named with what to change', async () => {
    expect(await refused({ jetstream: false })).toMatch(/NATS has no JetStream for this account/)
    expect(await refused({ maxPayload: '1MB' })).toMatch(/set max_payload: 4MB/)
    expect(await refused({ lines: ['authorization { user: a, password: b }'] })).toMatch(/cannot be used/)
  })

  it('is told apart from one that is not there', async () => {
    const server = await NatsServer.start()
    await server.down()
    await expect(connectNats({ servers: [server.url] }, 'x', log)).rejects.toThrow(StartError)
    await server[Symbol.asyncDispose]()
    // A connection that is fine needs nothing of ours.
    const plain = await connect({ servers: nats.url.replace('nats://', '') })
    await plain.close()
  })
})
