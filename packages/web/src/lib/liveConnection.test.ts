import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { LiveClientMessage, LiveServerMessage } from '@leitstand/contract/live'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type WebSocket as ServerSocket, WebSocketServer } from 'ws'
import { LiveConnection } from './liveConnection.ts'

/** A real WebSocket server that records received messages. */
class Peer {
  readonly server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  readonly sockets: ServerSocket[] = []
  readonly heard: LiveClientMessage[] = []
  /** It receives and says nothing, like a proxy whose other side is gone. */
  hangs = false
  #waiting: { count: number; resolve: () => void }[] = []

  constructor() {
    this.server.on('connection', (socket) => {
      this.sockets.push(socket)
      socket.on('message', (data) => {
        const message = JSON.parse(String(data)) as LiveClientMessage
        if (message.kind === 'ping') return this.hangs ? undefined : this.say({ kind: 'pong' })
        this.heard.push(message)
        if (this.hangs) return
        if (message.kind === 'hello') this.say({ kind: 'welcome' })
        this.#waiting = this.#waiting.filter(({ count, resolve }) =>
          this.heard.length >= count ? resolve() : true,
        )
      })
    })
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  say(message: LiveServerMessage): void {
    this.sockets.at(-1)?.send(JSON.stringify(message))
  }

  /** Resolves once `count` messages have been received in total. */
  async hears(count: number): Promise<LiveClientMessage[]> {
    if (this.heard.length < count)
      await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }))
    return this.heard
  }
}

let peer: Peer
let connection: LiveConnection
let unauthorised = 0

beforeEach(async () => {
  peer = new Peer()
  await once(peer.server, 'listening')
  unauthorised = 0
  connection = new LiveConnection(surroundings())
})

function surroundings() {
  return {
    url: peer.url,
    token: () => 'secret',
    open: (url: string) => new WebSocket(url),
    onUnauthorised: () => {
      unauthorised += 1
    },
    random: () => 0,
    isWatched: () => true,
    silence: { checkEveryMs: 5, askMs: 10, hungMs: 40, lostMs: 100_000 },
  }
}

afterEach(async () => {
  connection.stop()
  for (const socket of peer.sockets) socket.terminate()
  await new Promise((resolve) => peer.server.close(resolve))
})

function next(topic: 'twin:1'): { message: Promise<LiveServerMessage>; leave: () => void } {
  const { promise, resolve } = Promise.withResolvers<LiveServerMessage>()
  const leave = connection.subscribe(topic, resolve)
  return { message: promise, leave }
}

function reaches(status: 'live' | 'reconnecting' | 'offline'): Promise<void> {
  if (connection.status.get() === status) return Promise.resolve()
  return new Promise((resolve) => {
    const { unsubscribe } = connection.status.subscribe(() => {
      if (connection.status.get() !== status) return
      unsubscribe()
      resolve()
    })
  })
}

test('says who it is, subscribes what is wanted and hands messages on', async () => {
  const { message } = next('twin:1')
  connection.start()
  expect(await peer.hears(2)).toEqual([
    { kind: 'hello', token: 'secret' },
    { kind: 'subscribe', topic: 'twin:1', agoMs: expect.any(Number) },
  ])
  expect(connection.status.get()).toBe('live')
  peer.say({ kind: 'subscribed', topic: 'twin:1', timeMs: 5 })
  expect(await message).toEqual({ kind: 'subscribed', topic: 'twin:1', timeMs: 5 })
})

test('asks for what happened since the data was read that is shown', async () => {
  // What was kept for ten seconds may be shown, and nothing is older than the page.
  const keptMs = Math.min(performance.now(), 10_000)
  next('twin:1')
  connection.start()
  await peer.hears(2)
  connection.subscribe('twin:2', () => {})
  for (const subscription of (await peer.hears(3)).slice(1))
    expect('agoMs' in subscription && subscription.agoMs).toBeGreaterThanOrEqual(keptMs)
})

test('two followers share one subscription; the last one to leave ends it', async () => {
  connection.start()
  await reaches('live')
  const first = next('twin:1')
  const second = next('twin:1')
  await peer.hears(2)
  first.leave()
  second.leave()
  expect((await peer.hears(3)).slice(1)).toEqual([
    { kind: 'subscribe', topic: 'twin:1', agoMs: expect.any(Number) },
    { kind: 'unsubscribe', topic: 'twin:1' },
  ])
})

test('comes back after a loss and asks for what it missed', async () => {
  const { message } = next('twin:1')
  connection.start()
  await peer.hears(2)
  peer.say({
    kind: 'values',
    topic: 'twin:1',
    values: [{ stateId: 1, twinId: 1, key: 't', value: 21, timeMs: 1000 }],
  })
  await message
  peer.sockets[0]?.terminate()
  await reaches('reconnecting')
  expect((await peer.hears(4)).slice(2)).toEqual([
    { kind: 'hello', token: 'secret' },
    { kind: 'subscribe', topic: 'twin:1', sinceMs: 1000 },
  ])
  expect(connection.status.get()).toBe('live')
})

test('a time in the future does not become the cursor', async () => {
  const { message } = next('twin:1')
  connection.start()
  await peer.hears(2)
  const future = Date.now() + 86_400_000
  peer.say({
    kind: 'values',
    topic: 'twin:1',
    values: [{ stateId: 1, twinId: 1, key: 't', value: 1, timeMs: future }],
  })
  await message
  peer.sockets[0]?.terminate()
  const again = (await peer.hears(4))[3]
  expect(again).toMatchObject({ kind: 'subscribe', topic: 'twin:1' })
  expect(again && 'sinceMs' in again ? again.sinceMs : future).toBeLessThan(future)
})

test('a refused session is reported', async () => {
  connection.start()
  await reaches('live')
  peer.sockets[0]?.close(4001, 'session ended')
  await reaches('reconnecting')
  expect(unauthorised).toBe(1)
})

test('a socket that hangs is not called live, until something is heard again', async () => {
  connection.start()
  await reaches('live')
  peer.hangs = true
  await reaches('reconnecting')
  expect(peer.sockets).toHaveLength(1)
  peer.hangs = false
  peer.say({ kind: 'pong' })
  await reaches('live')
  expect(peer.sockets).toHaveLength(1)
})

test('a socket that stays silent is replaced, also before it was welcomed', async () => {
  const impatient = { checkEveryMs: 5, askMs: 10, hungMs: 20, lostMs: 40 }
  const around = { ...surroundings(), silence: impatient }
  connection.stop()
  connection = new LiveConnection(around)
  peer.hangs = true
  connection.start()
  while (peer.sockets.length < 3) await once(peer.server, 'connection')
  peer.hangs = false
  await reaches('live')
})

test('without a network it is offline, and comes back with it', async () => {
  connection.start()
  await reaches('live')
  connection.loseNetwork()
  expect(connection.status.get()).toBe('offline')
  expect(connection.lastContactMs).toBeGreaterThan(0)
  connection.retryNow()
  await reaches('live')
})
