import type { LiveClientMessage, LiveServerMessage, LiveTopic } from '@leitstand/contract/live'
import { liveLimits } from '@leitstand/contract/live'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { startApp, type TestApp } from '../../../test/kit.ts'

let app: TestApp
const sockets: WebSocket[] = []
/** Backfill of the test's topic. */
let backfill: (sinceMs: number) => Promise<readonly LiveServerMessage[] | null>

// A topic kind of our own: the behaviour tested here is the same for all kinds.
const topic = 'test:1' as LiveTopic
const quickTopic = 'test:2' as LiveTopic
const value = (timeMs: number): LiveServerMessage => ({
  kind: 'execution',
  topic,
  ruleId: 1,
  result: 'fired',
  timeMs,
})

beforeAll(async () => {
  app = await startApp()
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.terminate()
})

/** A reader in lockstep with the server: every message is awaited. */
async function connect(token: string | null, options: WebSocket.ClientOptions = {}) {
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/api/live`, options)
  sockets.push(socket)
  const messages: LiveServerMessage[] = []
  const waiting: (() => void)[] = []
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) })),
  )
  socket.on('message', (data) => {
    messages.push(JSON.parse(String(data)) as LiveServerMessage)
    for (const wake of waiting.splice(0)) wake()
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const send = (message: LiveClientMessage) => socket.send(JSON.stringify(message))
  const next = async (): Promise<LiveServerMessage> => {
    while (messages.length === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    return messages.shift() as LiveServerMessage
  }
  if (token !== null) send({ kind: 'hello', token })
  return { socket, send, next, closed, messages }
}

describe('the live connection', () => {
  beforeAll(() => {
    backfill = async () => []
    app.ctx.live.topic('test', {
      authorise: async (_caller, id) => id === 1 || id === 2,
      backfill: (_caller, _id, sinceMs) => backfill(sinceMs),
    })
  })

  test('refuses who is not signed in', async () => {
    const stranger = await connect('x'.repeat(43))
    expect((await stranger.closed).code).toBe(liveLimits.closeUnauthorised)
    const impatient = await connect(null)
    impatient.send({ kind: 'subscribe', topic })
    expect((await impatient.closed).code).toBe(liveLimits.closeUnauthorised)
  })

  test('takes the cookie of our own pages and of no other page', async () => {
    const cookie = `leitstand_session=${app.token}`
    const own = await connect(null, { headers: { cookie, origin: app.url } })
    own.send({ kind: 'hello', token: null })
    expect(await own.next()).toEqual({ kind: 'welcome' })
    const foreign = await connect(null, { headers: { cookie, origin: 'https://evil.example' } })
    foreign.send({ kind: 'hello', token: null })
    expect((await foreign.closed).code).toBe(liveLimits.closeUnauthorised)
  })

  test('a flood of messages ends the connection, and others go on', async () => {
    const flooding = await connect(app.token)
    expect(await flooding.next()).toEqual({ kind: 'welcome' })
    for (let n = 0; n < 5_000; n++) flooding.send({ kind: 'subscribe', topic })
    expect(await flooding.closed).toEqual({ code: 1008, reason: 'too many messages at once' })
    const other = await connect(app.token)
    expect(await other.next()).toEqual({ kind: 'welcome' })
  })

  test('closes on what it does not understand', async () => {
    const reader = await connect(app.token)
    reader.socket.send('{"kind": "dance"}')
    expect((await reader.closed).code).toBe(1008)
    for (const when of ['"sinceMs": -1', '"sinceMs": 1e300', '"agoMs": -1', '"agoMs": 1e300']) {
      const other = await connect(app.token)
      other.socket.send(`{"kind": "subscribe", "topic": "${topic}", ${when}}`)
      expect((await other.closed).code, when).toBe(1008)
    }
  })

  test('streams what is published, to followers only, until they unsubscribe', async () => {
    const [one, two] = [await connect(app.token), await connect(app.token)]
    for (const reader of [one, two]) expect(await reader.next()).toEqual({ kind: 'welcome' })
    one.send({ kind: 'subscribe', topic })
    expect(await one.next()).toMatchObject({ kind: 'subscribed', topic })
    app.ctx.live.publish(topic, value(1))
    expect(await one.next()).toEqual(value(1))
    one.send({ kind: 'unsubscribe', topic })
    one.send({ kind: 'ping' })
    expect(await one.next()).toEqual({ kind: 'pong' })
    expect(app.ctx.live.hasFollowers(topic)).toBe(false)
    app.ctx.live.publish(topic, value(2))
    two.send({ kind: 'ping' })
    expect(await two.next()).toEqual({ kind: 'pong' })
    expect(one.messages).toEqual([])
  })

  test('fills the gap first: what is published meanwhile follows the past, nothing is lost or turned around', async () => {
    const asked = Promise.withResolvers<number>()
    const answer = Promise.withResolvers<readonly LiveServerMessage[]>()
    backfill = (sinceMs) => {
      asked.resolve(sinceMs)
      return answer.promise
    }
    const reader = await connect(app.token)
    reader.send({ kind: 'subscribe', topic, sinceMs: 10_100 })
    // Five seconds more: what happened is committed in another order than its times say.
    expect(await asked.promise).toBe(5_100)
    app.ctx.live.publish(topic, value(103))
    answer.resolve([value(101), value(102)])
    const kinds = []
    for (let i = 0; i < 5; i++) kinds.push(await reader.next())
    expect(kinds).toMatchObject([
      { kind: 'welcome' },
      value(101),
      value(102),
      { kind: 'subscribed' },
      value(103),
    ])
  })

  test('fills the gap between what was read first and the subscription', async () => {
    const asked = Promise.withResolvers<number>()
    backfill = async (sinceMs) => {
      asked.resolve(sinceMs)
      return [value(1)]
    }
    const reader = await connect(app.token)
    const sentMs = app.ctx.clock.now().getTime()
    reader.send({ kind: 'subscribe', topic, agoMs: 2_000 })
    const fromMs = await asked.promise
    expect(fromMs).toBeGreaterThanOrEqual(sentMs - 7_000)
    expect(fromMs).toBeLessThanOrEqual(app.ctx.clock.now().getTime() - 7_000)
    expect([await reader.next(), await reader.next(), await reader.next()]).toMatchObject([
      { kind: 'welcome' },
      value(1),
      { kind: 'subscribed' },
    ])
  })

  test('asks who has just read to read again only if there was something', async () => {
    let hasChanged = false
    app.ctx.live.topic('quiet', {
      authorise: async () => true,
      changedSince: async () => hasChanged,
    })
    const kindsOf = async (asked: LiveTopic) => {
      const reader = await connect(app.token)
      await reader.next()
      reader.send({ kind: 'subscribe', topic: asked, agoMs: 0 })
      const kinds = [(await reader.next()).kind]
      while (kinds.at(-1) !== 'subscribed') kinds.push((await reader.next()).kind)
      return kinds
    }
    const published = 'quiet:1' as LiveTopic
    const other = 'quiet:2' as LiveTopic
    // Right after the start it is not known what was before it.
    await expect.poll(() => kindsOf(other)).toEqual(['subscribed'])
    app.ctx.live.publish(published, { kind: 'announcements', topic: published, timeMs: 1 })
    expect(await kindsOf(published)).toEqual(['resync', 'subscribed'])
    expect(await kindsOf(other)).toEqual(['subscribed'])
    hasChanged = true
    expect(await kindsOf(other)).toEqual(['resync', 'subscribed'])
  })

  test('asks the reader to read again when the gap cannot be filled', async () => {
    backfill = async () => null
    const reader = await connect(app.token)
    reader.send({ kind: 'subscribe', topic, sinceMs: 1 })
    expect([await reader.next(), await reader.next(), await reader.next()]).toMatchObject([
      { kind: 'welcome' },
      { kind: 'resync', topic },
      { kind: 'subscribed', topic },
    ])
  })

  test('refuses topics the caller may not see and topics that do not exist', async () => {
    const reader = await connect(app.token)
    await reader.next()
    reader.send({ kind: 'subscribe', topic: 'test:3' as LiveTopic })
    expect(await reader.next()).toEqual({ kind: 'refused', topic: 'test:3', code: 'NO_PERMISSION' })
    reader.send({ kind: 'subscribe', topic: 'moon:1' as LiveTopic })
    expect(await reader.next()).toEqual({ kind: 'refused', topic: 'moon:1', code: 'NOT_FOUND' })
  })

  test('cuts off a reader that does not keep up, and the others do not notice', async () => {
    backfill = async () => []
    const slow = await connect(app.token)
    const quick = await connect(app.token)
    slow.send({ kind: 'subscribe', topic })
    quick.send({ kind: 'subscribe', topic: quickTopic })
    for (const reader of [slow, quick]) {
      expect([await reader.next(), await reader.next()]).toMatchObject([
        { kind: 'welcome' },
        { kind: 'subscribed' },
      ])
    }
    slow.socket.pause()
    const large = { ...value(1), result: 'x'.repeat(200_000) } as LiveServerMessage
    for (let sent = 0; app.ctx.live.hasFollowers(topic); sent++) {
      app.ctx.live.publish(topic, large)
      app.ctx.live.publish(quickTopic, value(sent))
      expect(await quick.next()).toEqual(value(sent))
      expect(sent).toBeLessThan(500)
    }
    slow.socket.resume()
    expect((await slow.closed).code).toBe(liveLimits.closeSlowReader)
    app.ctx.live.publish(quickTopic, value(-1))
    expect(await quick.next()).toEqual(value(-1))
  })
})
