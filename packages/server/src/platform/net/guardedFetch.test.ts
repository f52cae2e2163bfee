import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { AnswerTooLarge, guardedFetch } from './guardedFetch.ts'
import { Outgoing } from './outgoing.ts'

const loopback = new Outgoing(['127.0.0.0/8', '::1'])
let server: Server | undefined
const asked: string[] = []

async function listen(answer: RequestListener): Promise<number> {
  const started = createServer((request, reply) => {
    asked.push(`${request.method} ${request.url}`)
    answer(request, reply)
  })
  server = started
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  return (started.address() as AddressInfo).port
}

afterEach(async () => {
  asked.length = 0
  const started = server
  server = undefined
  started?.closeAllConnections()
  await new Promise((resolve) => (started ? started.close(resolve) : resolve(undefined)))
})

describe('a guarded request', () => {
  test('answers as fetch does, and follows no redirect', async () => {
    const port = await listen((request, reply) => {
      const cookies = ['a=1', 'b=2']
      reply.writeHead(request.url === '/away' ? 302 : 200, { location: '/', 'set-cookie': cookies })
      reply.end('{"ok":true}')
    })
    const open = guardedFetch(loopback)
    const answer = await open(`http://127.0.0.1:${port}/x?y=1`, { method: 'POST', body: 'a=b' })
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, ['a=1', 'b=2']])
    expect(await answer.json()).toEqual({ ok: true })
    expect((await open(`http://127.0.0.1:${port}/away`)).status).toBe(302)
    expect(asked).toEqual(['POST /x?y=1', 'GET /away'])
  })

  test('reaches nothing in a network that is not opened, however it is written', async () => {
    const port = await listen((_request, reply) => reply.end())
    const shut = guardedFetch(new Outgoing(['10.0.0.0/8']))
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])
      await expect(shut(`http://${host}:${port}/`)).rejects.toMatchObject({
        code: 'OUTGOING_ADDRESS_FORBIDDEN',
      })
    expect(asked).toEqual([])
  })

  test('sends nothing unencrypted into the internet, and speaks nothing but HTTP', async () => {
    const open = guardedFetch(loopback)
    for (const url of ['http://192.0.43.8/', 'file:///etc/passwd', 'ftp://127.0.0.1/'])
      await expect(open(url)).rejects.toMatchObject({ code: 'OUTGOING_ADDRESS_FORBIDDEN' })
  })

  test('takes no more than its bounds allow, and ends when told to', async () => {
    const port = await listen((request, reply) => {
      if (request.url === '/large') reply.end('x'.repeat(5000))
      if (request.url === '/half') reply.write('x')
    })
    const small = guardedFetch(loopback, { timeoutMs: 30_000, bytesMax: 1000 })
    await expect(small(`http://127.0.0.1:${port}/large`)).rejects.toBeInstanceOf(AnswerTooLarge)
    const short = guardedFetch(loopback, { timeoutMs: 50, bytesMax: 1000 })
    for (const path of ['/never', '/half'])
      await expect(short(`http://127.0.0.1:${port}${path}`)).rejects.toMatchObject({ name: 'TimeoutError' })
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(small(`http://127.0.0.1:${port}/never`, { signal })).rejects.toThrow('enough')
  })

  test('names the error of the connection', async () => {
    const port = await listen((_request, reply) => reply.destroy())
    await expect(guardedFetch(loopback)(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      code: 'ECONNRESET',
    })
  })
})
