import { gzipSync } from 'node:zlib'
import { ORPCError } from '@orpc/client'
import { createApi } from '../client.ts'
import { connectPacket } from '../load/mqttPacket.ts'
import type { HostileTarget } from './account.ts'
import { tryPassword } from './mqttGuess.ts'

/** A repeated attempt to take more than a fair share. */
interface Attack {
  name: string
  /** concurrent attempts */
  atOnce: number
  /** @returns the result: `ok`, or a code */
  attempt(target: HostileTarget, serial: number, signal: AbortSignal): Promise<string>
}

/** How often each attack was tried, and how it was answered. */
export type Attacked = Record<string, Record<string, number>>

/** Makes each script source unique. */
const fresh = (serial: number, body: string) => `module.exports = function () { /* ${serial} */ ${body} }`

const hungry = 'const all = []; for (;;) all.push(new Array(1e6).fill(1.5))'
const packets = [{ payload: '00' }]

export const attacks: readonly Attack[] = [
  {
    name: 'ever-new scripts that take memory',
    atOnce: 4,
    attempt: (target, serial, signal) => parse(target, fresh(serial, hungry), signal),
  },
  {
    name: 'ever-new scripts that never end',
    atOnce: 4,
    attempt: (target, serial, signal) => parse(target, fresh(serial, 'for (;;);'), signal),
  },
  {
    name: 'ever-new parsers in Elixir that never end',
    atOnce: 2,
    attempt: async ({ url, token }, serial, signal) => {
      const script = `defmodule Parser do\n  def parse(_, _), do: Enum.each(Stream.cycle([${serial}]), fn _ -> 1 end)\nend`
      await createApi(url, token).dispatcher.parse(
        { parser: { kind: 'elixir' }, script, packets },
        { signal },
      )
      return 'ok'
    },
  },
  { name: 'packets for hostile drivers', atOnce: 8, attempt: sendPacket },
  { name: 'archives that take long to read', atOnce: 2, attempt: importArchive },
  { name: 'live connections', atOnce: 50, attempt: openLive },
  {
    name: 'wrong passwords over MQTT',
    atOnce: 8,
    attempt: ({ mqttPort, mqttUsername }, serial, signal) =>
      tryPassword(mqttPort, connectPacket(`guess-${serial}`, mqttUsername, `wrong ${serial}`, 30), signal),
  },
  {
    name: 'wrong passwords at the sign-in',
    atOnce: 4,
    attempt: async ({ url }, serial, signal) => {
      await createApi(url).auth.login({ username: `nobody-${serial}`, password: 'wrong' }, { signal })
      return 'ok'
    },
  },
  { name: 'deep bodies of a megabyte', atOnce: 2, attempt: sendDeepBody },
]

/**
 * An account's values whose transformers loop up to the limit, on a state of a device and on one computed
 * from it.
 */
export const looping: readonly Attack[] = [
  {
    name: 'values for transformers that loop',
    atOnce: 8,
    attempt: (target, serial, signal) => sendTo(target, target.looping, serial, signal),
  },
]

/**
 * Runs attacks concurrently for so many seconds.
 * @returns attempts per attack and result
 */
export async function attack(
  target: HostileTarget,
  seconds: number,
  stop: AbortSignal,
  chosen: readonly Attack[],
): Promise<Attacked> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(seconds * 1000)])
  const answered: Attacked = {}
  let serial = 0
  const runners = chosen.flatMap(({ name, atOnce, attempt }) => {
    const counts: Record<string, number> = {}
    answered[name] = counts
    return Array.from({ length: atOnce }, async () => {
      while (!signal.aborted) {
        serial += 1
        const answer = await attempt(target, serial, signal).catch(codeOf)
        counts[answer] = (counts[answer] ?? 0) + 1
        // Rejected attackers retry at once, as machines do, but yield to the event loop.
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    })
  })
  await Promise.all(runners)
  return answered
}

const pauseMs = 10

function codeOf(error: unknown): string {
  if (error instanceof ORPCError) return error.code
  return error instanceof Error ? error.name : 'error'
}

async function parse({ url, token }: HostileTarget, script: string, signal: AbortSignal): Promise<string> {
  const { results } = await createApi(url, token).dispatcher.parse({ script, packets }, { signal })
  return results[0]?.error?.code ?? 'ok'
}

async function sendPacket(target: HostileTarget, serial: number, signal: AbortSignal): Promise<string> {
  const identifier = target.devices[serial % target.devices.length] ?? target.looping
  return sendTo(target, identifier, serial, signal)
}

async function sendTo(
  target: HostileTarget,
  identifier: string,
  serial: number,
  signal: AbortSignal,
): Promise<string> {
  const body = JSON.stringify({ identifier, data: serial.toString(16).padStart(8, '0') })
  return post(target, body, signal)
}

async function sendDeepBody(target: HostileTarget, _serial: number, signal: AbortSignal): Promise<string> {
  return post(target, `${'['.repeat(500_000)}${']'.repeat(500_000)}`, signal)
}

async function post({ url, hookPath }: HostileTarget, body: string, signal: AbortSignal): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}${hookPath}`, { method: 'POST', headers, body, signal })
  await response.arrayBuffer()
  return String(response.status)
}

async function importArchive(
  { url, token, accountId }: HostileTarget,
  _serial: number,
  signal: AbortSignal,
): Promise<string> {
  const file = new File([slowArchive()], 'devices.tar.gz')
  await createApi(url, token).devicedrivers.import({ file, accountId }, { signal })
  return 'ok'
}

let archive: Uint8Array<ArrayBuffer> | undefined

/** A YAML parser's check for duplicate keys takes time quadratic in their number. */
const keysInArchive = 20_000

/** A description of a device that takes long to read, small when packed. */
function slowArchive(): Uint8Array<ArrayBuffer> {
  if (archive !== undefined) return archive
  const keys = Array.from({ length: keysInArchive }, (_, at) => `k${at}: 1`)
  const text = `firmwareVersions:\n  - x\n${keys.join('\n')}\n`
  archive = new Uint8Array(gzipSync(tarOf('vendor/maker/device.yaml', Buffer.from(text))))
  return archive
}

/** A tar archive (ustar) with one file. */
function tarOf(path: string, content: Buffer): Buffer {
  const head = Buffer.alloc(512)
  head.write(path, 0, 100, 'utf8')
  head.write('0000644\0', 100)
  head.write('0000000\0', 108)
  head.write('0000000\0', 116)
  head.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
  head.write('00000000000\0', 136)
  head.write('        ', 148)
  head.write('0', 156)
  head.write('ustar\x0000', 257)
  const sum = head.reduce((all, byte) => all + byte, 0)
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  const rest = Buffer.alloc((512 - (content.length % 512)) % 512)
  return Buffer.concat([head, content, rest, Buffer.alloc(1024)])
}

/** Opens a connection, says hello, and sends pings until it is closed. */
function openLive({ url, token }: HostileTarget, _serial: number, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/live`)
    const pings = setInterval(() => {
      if (socket.readyState === WebSocket.OPEN) socket.send('{"kind":"ping"}')
    }, 20)
    signal.addEventListener('abort', () => socket.close(), { once: true })
    socket.addEventListener('open', () => socket.send(JSON.stringify({ kind: 'hello', token })))
    socket.addEventListener('close', ({ code }) => {
      clearInterval(pings)
      resolve(String(code))
    })
  })
}
