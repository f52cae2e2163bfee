import cookie from '@fastify/cookie'
import websocket from '@fastify/websocket'
import { fastify } from 'fastify'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { startApp } from '../../../test/kit.ts'
import { openLive } from '../../../test/live.ts'
import type { Caller } from '../http/caller.ts'
import { anonymous } from '../http/caller.ts'
import { Metrics } from '../metrics.ts'
import { Live } from './index.ts'

const app = await startApp()
const live = new Live({ ...app.ctx, metrics: new Metrics() })
const http = fastify()
await http.register(cookie)
http.decorate('guard', app.ctx.http.guard)
await http.register(websocket)

/** Tokens that were authenticated since the test began. */
const asked: string[] = []
/** What somebody's rights rest on now. */
const grounds: Record<string, string> = {}
/** Who is not answered before this. */
let held: { token: string; until: Promise<void> } | undefined

/** The token is also the name; user ids are the lengths of names. */
async function authenticate(token: string): Promise<Caller> {
  asked.push(token)
  const caller: Caller = {
    ...anonymous(''),
    kind: 'user',
    userId: token.length,
    rightsKey: grounds[token] ?? '',
    grounds: [new Set(['role 0']), new Set([grounds[token] ?? ''])],
  }
  if (held?.token === token) await held.until
  return caller
}
live.mount(http, { authenticate, accountsOf: async () => [1] })
const url = await http.listen({ port: 0, host: '127.0.0.1' })
afterAll(async () => {
  await live[Symbol.asyncDispose]()
  await http.close()
})
beforeEach(async () => {
  Object.assign(grounds, { ann: 'scopes 1', berta: 'scopes 2' })
  held = undefined
})

/** Who was authenticated again after these changes. */
async function again(changed: Parameters<Live['recheck']>[0]): Promise<string[]> {
  await live.settled()
  asked.length = 0
  live.recheck(changed)
  await live.settled()
  return asked.toSorted()
}

describe('a change', () => {
  test('makes those connections be checked again whose rights rest on it', async () => {
    using ann = await openLive({ url }, 'ann')
    using berta = await openLive({ url }, 'berta')
    for (const reader of [ann, berta]) await reader.received()
    expect(await again(new Set(['scopes 1']))).toEqual(['ann'])
    expect(await again(new Set(['scopes 2', 'scopes 3']))).toEqual(['berta'])
    expect(await again(new Set(['scopes 3']))).toEqual([])
    expect(await again(new Set(['role 0']))).toEqual(['ann', 'berta'])
    expect(await again('*')).toEqual(['ann', 'berta'])
  })

  test('counts for what rights rest on since they were checked again', async () => {
    using ann = await openLive({ url }, 'ann')
    await ann.received()
    grounds.ann = 'scopes 7'
    expect(await again(new Set(['scopes 1']))).toEqual(['ann'])
    expect(await again(new Set(['scopes 1']))).toEqual([])
    expect(await again(new Set(['scopes 7']))).toEqual(['ann'])
  })

  test('counts while rights are read that rest on it, also for the first time', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    held = { token: 'ann', until: promise }
    asked.length = 0
    const opening = openLive({ url }, 'ann')
    await expect.poll(() => asked).toEqual(['ann'])
    live.recheck(new Set(['scopes 1']))
    resolve()
    using ann = await opening
    await ann.received()
    await live.settled()
    expect(asked).toEqual(['ann', 'ann'])

    const second = Promise.withResolvers<void>()
    held = { token: 'ann', until: second.promise }
    grounds.ann = 'scopes 7'
    live.recheck(new Set(['scopes 1']))
    await expect.poll(() => asked).toHaveLength(3)
    // Not what they rested on when the change before was announced.
    live.recheck(new Set(['scopes 7']))
    second.resolve()
    await live.settled()
    expect(asked).toHaveLength(4)
  })
})
