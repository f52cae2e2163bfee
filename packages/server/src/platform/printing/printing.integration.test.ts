import { createServer } from 'node:net'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readPdf } from '../../../test/pdf.ts'
import { createLog } from '../log.ts'
import { Printer, type PrintRequest } from './index.ts'

const log = createLog('silent')
const http = Fastify()
/** Counts whoever reaches this machine by the network. */
const trap = createServer((socket) => {
  reached += 1
  socket.destroy()
})
let reached = 0
let port: number

beforeAll(async () => {
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve))
  port = (trap.address() as { port: number }).port
  http.get('/metrics', (_request, reply) => reply.send('secret'))
  http.get('/', (_request, reply) => reply.type('text/html').send(page(port)))
})
afterAll(async () => {
  await http.close()
  await new Promise((resolve) => trap.close(resolve))
})

/** A page that tries every way out, and says on paper what it got. */
const page = (
  to: number,
) => `<!doctype html><meta charset="utf-8"><title>x</title><body><p id="got">nothing</p>
<img src="http://127.0.0.1:${to}/image"><iframe src="http://127.0.0.1:${to}/frame"></iframe>
<link rel="preconnect" href="http://127.0.0.1:${to}"><link rel="dns-prefetch" href="//leak.example.org">
<script>
const got = []
const attempt = async (name, work) => { try { got.push(name + ':' + await work()) } catch { got.push(name + ':refused') } }
const out = 'http://127.0.0.1:${to}/'
const opened = (make) => new Promise((resolve, reject) => {
  const socket = make(); socket.onopen = () => resolve('open'); socket.onerror = reject; socket.onclose = reject })
;(async () => {
  await attempt('fetch', () => fetch(out, { mode: 'no-cors' }).then(() => 'sent'))
  await attempt('metadata', () => fetch('http://169.254.169.254/latest', { mode: 'no-cors' }).then(() => 'sent'))
  await attempt('post', () => fetch('/api/auth/login', { method: 'POST' }).then(() => 'sent'))
  await attempt('unlisted', () => fetch('/api/users').then((reply) => reply.status))
  await attempt('listed', () => fetch('/api/known?x=1').then((reply) => reply.json()).then((body) => body.word))
  await attempt('socket', () => opened(() => new WebSocket('ws://127.0.0.1:${to}/')))
  await attempt('metrics', () => fetch('/metrics').then((reply) => reply.status))
  await attempt('file', () => fetch('file:///etc/passwd').then((reply) => reply.text()))
  navigator.sendBeacon(out, 'x')
  window.open(out)
  const peer = new RTCPeerConnection({ iceServers: [{ urls: 'turn:127.0.0.1:${to}?transport=tcp', username: 'a', credential: 'b' }] })
  peer.createDataChannel('x')
  await peer.setLocalDescription(await peer.createOffer())
  document.getElementById('got').textContent = got.join(' ')
  setTimeout(() => document.body.setAttribute('data-printable', ''), 500)
})()
</script>`

const request = (changes: Partial<PrintRequest> = {}): PrintRequest => ({
  address: '/anything',
  replies: new Map([['/api/known', { word: 'hello' }]]),
  language: 'de',
  timeZone: 'Europe/Berlin',
  title: '<b>Räume & mehr</b>',
  signal: AbortSignal.timeout(60_000),
  ...changes,
})

it('gives a page what it is meant to know, and no way out', async () => {
  const printer = new Printer({ http, log, origins: [] })
  expect(printer.isReady).toBe(true)
  const { text } = await readPdf(await printer.print(request()))
  expect(text).toContain('fetch:refused metadata:refused post:refused unlisted:404 listed:hello')
  expect(text).toContain('socket:refused metrics:refused file:refused')
  expect(text).toContain('<b>Räume & mehr</b>')
  expect(text).toContain('1 / 1')
  expect(reached).toBe(0)
})

it('says that there is no browser, and that one cannot be started', async () => {
  const missing = new Printer({ http, log, origins: [], program: '/nowhere/chromium' })
  await expect(missing.print(request())).rejects.toMatchObject({ code: 'PRINT_FAILED' })
  const { PATH } = process.env
  process.env.PATH = ''
  const none = new Printer({ http, log, origins: [] })
  process.env.PATH = PATH
  expect(none.isReady).toBe(false)
  await expect(none.print(request())).rejects.toMatchObject({ code: 'PRINT_NO_BROWSER' })
})

it('ends when nobody waits any more', async () => {
  const printer = new Printer({ http, log, origins: [] })
  const stopped = AbortSignal.abort()
  await expect(printer.print(request({ signal: stopped }))).rejects.toMatchObject({ code: 'PRINT_FAILED' })
})
