import { type KV, Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NatsServer } from '../../../test/nats.ts'
import { createLog } from '../log.ts'
import { connectNats } from './connect.ts'
import { Leases } from './leases.ts'
import { choose } from './rendezvous.ts'

const log = createLog('silent')
const keys = Array.from({ length: 16 }, (_, index) => `work.${index}`)
let nats: NatsServer
let nc: NatsConnection
let kv: KV
let alive: string[]
let isolated: Set<string>
/** who does the work of a key */
let doing: Map<string, string[]>

beforeAll(async () => {
  nats = await NatsServer.start()
  nc = await connectNats({ servers: [nats.url] }, 'test', log)
})
afterAll(async () => {
  await nc.close()
  await nats[Symbol.asyncDispose]()
})
let buckets = 0
beforeEach(async () => {
  kv = await new Kvm(nc).create(`leases_${++buckets}`, { history: 1 })
  alive = []
  isolated = new Set()
  doing = new Map(keys.map((key) => [key, []]))
})

/** The leases of a node, which looks at them when the test wants. */
function node(name: string, fails: (key: string) => boolean = () => false, bucket = kv): Leases {
  alive = [...alive, name]
  const leases = new Leases({
    kv: bucket,
    log,
    self: { name, instance: name },
    isIsolated: () => isolated.has(name),
    alive: () => alive,
    isHolderAlive: (holder) => alive.includes(holder),
  })
  for (const key of keys)
    leases.share(
      {
        key,
        role: 'ingest',
        start: async () => {
          if (fails(key)) throw new Error('cannot begin')
          doing.get(key)?.push(name)
        },
        stop: async () => {
          doing.set(key, doing.get(key)?.filter((each) => each !== name) ?? [])
        },
      },
      true,
    )
  return leases
}

const chosen = () => keys.map((key) => [choose(key, alive)])
const done = () => keys.map((key) => doing.get(key))

describe('leases', () => {
  it('that are given up stop their work, and begin it again', async () => {
    const [a, b] = [node('a'), node('b')]
    await a.round()
    await b.round()
    const [key] = a.held()
    if (key === undefined) throw new Error('a has no lease')
    await b.giveUp(key)
    await b.giveUp('work.unknown')
    expect(done(), 'nobody gives up what it has not').toEqual(chosen())
    await a.giveUp(key)
    expect([doing.get(key), a.holds(key)]).toEqual([[], false])
    await b.round()
    await a.round()
    expect(done()).toEqual(chosen())
  })

  it('of a node that has lost touch go to others also when it is back', async () => {
    const a = node('a')
    await a.round()
    expect(done()).toEqual(chosen())
    isolated.add('a')
    await a.round()
    expect(done(), 'it has stopped').toEqual(keys.map(() => []))
    // Back, it sees another node that shall have some of them.
    const b = node('b')
    isolated.clear()
    await a.round()
    await b.round()
    expect(done()).toEqual(chosen())
    expect(new Set(chosen().flat()).size).toBe(2)
  })

  it.each([
    ['were not made', async () => {}],
    ['were made, and the answer was lost', (change: () => Promise<unknown>) => change()],
  ])('are not lost to all by changes that %s', async (_, send) => {
    let isCut = false
    const change = async <T>(made: () => Promise<T>): Promise<T> => {
      if (!isCut) return made()
      await send(made)
      throw new Error('no answer')
    }
    const unreliable = new Proxy(kv, {
      get(bucket, name: keyof KV) {
        const member = bucket[name] as unknown
        if (typeof member !== 'function') return member
        const call = (...words: unknown[]) => member.apply(bucket, words)
        const isChange = ['create', 'update', 'delete'].includes(name)
        return isChange ? (...words: unknown[]) => change(() => call(...words)) : call
      },
    })
    isCut = true
    const a = node('a', undefined, unreliable)
    await a.round()
    const b = node('b')
    isCut = false
    await a.round()
    await b.round()
    expect(done(), 'what it has failed to claim is with those that shall have it').toEqual(chosen())
    alive = ['a']
    await b.stop()
    await a.round()
    expect(done()).toEqual(chosen())
    alive = ['a', 'c']
    isCut = true
    await a.round()
    isCut = false
    const c = node('c')
    await a.round()
    await c.round()
    expect(done(), 'and so is what it has failed to give up').toEqual(chosen())
  })

  it('of work that cannot begin are free for others', async () => {
    let isBroken = true
    const a = node('a', () => isBroken)
    await a.round()
    expect(done()).toEqual(keys.map(() => []))
    const b = node('b')
    await b.round()
    await a.round()
    expect(
      done()
        .flat()
        .every((name) => name === 'b'),
    ).toBe(true)
    isBroken = false
    await a.round()
    await b.round()
    expect(done()).toEqual(chosen())
  })
})
