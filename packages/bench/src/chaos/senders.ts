import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { HttpTarget } from '../load/httpLane.ts'
import type { Sent } from '../load/lane.ts'
import type { MqttTarget } from '../load/mqttLane.ts'
import { connectPacket, publishPacket, readPackets } from '../load/mqttPacket.ts'

const reconnectMs = 100
const retryMs = 200
const retryMsMax = 2000
const keepAliveSeconds = 600
const idsMax = 0xffff

/** A permanent rejection of a message. The load sends nothing that should be rejected. */
export class Refused extends Error {}

/** A persistent gateway: it sends a message again until it is acknowledged. */
export interface Sender extends Disposable {
  /** messages that were sent more than once */
  readonly again: number
  /**
   * Resolves when the message is acknowledged.
   * @throws Refused
   */
  send(message: Sent): Promise<void>
  /** Closes its connections; messages in flight are sent again. */
  drop(): void
}

/**
 * One MQTT client with QoS 1: if its connection breaks it reconnects, and sends unacknowledged messages again
 * with the same ids and the DUP flag. States: connecting → connected → broken → connecting …, until it is
 * disposed.
 */
export class MqttSender implements Sender {
  again = 0
  readonly #target: MqttTarget
  readonly #clientId: string
  readonly #waiting = new Map<number, { message: Sent; acknowledged(): void }>()
  #socket: Socket | undefined
  #isConnected = false
  #timer: NodeJS.Timeout | undefined
  #rest: Buffer = Buffer.alloc(0)
  #lastId = 0

  constructor(target: MqttTarget, clientId: string) {
    this.#target = target
    this.#clientId = clientId
    this.#connect()
  }

  send(message: Sent): Promise<void> {
    do this.#lastId = (this.#lastId % idsMax) + 1
    while (this.#waiting.has(this.#lastId))
    const id = this.#lastId
    return new Promise((acknowledged) => {
      this.#waiting.set(id, { message, acknowledged })
      if (this.#isConnected) this.#publish(id, message, false)
    })
  }

  drop(): void {
    this.#socket?.destroy()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#socket?.removeAllListeners('close')
    this.#socket?.destroy()
  }

  #connect(): void {
    const { port, username, password } = this.#target
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    this.#socket = socket
    this.#rest = Buffer.alloc(0)
    socket.write(connectPacket(this.#clientId, username, password, keepAliveSeconds))
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('error', () => undefined) // `close` follows
    socket.once('close', () => {
      this.#isConnected = false
      this.#timer = setTimeout(() => this.#connect(), reconnectMs)
    })
  }

  #read(chunk: Buffer): void {
    const { packets, taken } = readPackets(Buffer.concat([this.#rest, chunk]))
    this.#rest = Buffer.concat([this.#rest, chunk]).subarray(taken)
    for (const packet of packets) {
      if (packet.kind === 'puback') {
        this.#waiting.get(packet.id)?.acknowledged()
        this.#waiting.delete(packet.id)
      } else if (packet.code === 0) this.#connected()
      else this.#socket?.destroy() // busy: it retries
    }
  }

  #connected(): void {
    this.#isConnected = true
    this.again += this.#waiting.size
    for (const [id, { message }] of this.#waiting) this.#publish(id, message, true)
  }

  #publish(id: number, { device, body }: Sent, again: boolean): void {
    this.#socket?.write(publishPacket(device.topic, id, body, again))
  }
}

/** Posts messages over keep-alive connections; retries when one breaks or the server asks for it. */
export class HttpSender implements Sender {
  again = 0
  readonly #target: HttpTarget
  readonly #stopped = new AbortController()
  #agent: Agent

  constructor(target: HttpTarget) {
    this.#target = target
    this.#agent = new Agent({ keepAlive: true })
  }

  async send({ body }: Sent): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      if (attempt === 1) this.again++
      const { status, retryAfterMs, text } = await this.#post(body).catch(() => ({
        status: null,
        retryAfterMs: null,
        text: '',
      }))
      if (status === 200) return
      if (status !== null && status < 500 && status !== 429) throw new Refused(`${status} ${text}`)
      const pauseMs = Math.min(retryAfterMs ?? retryMs, retryMsMax)
      await delay(pauseMs, undefined, { signal: this.#stopped.signal })
    }
  }

  drop(): void {
    this.#agent.destroy()
    this.#agent = new Agent({ keepAlive: true })
  }

  [Symbol.dispose](): void {
    this.#stopped.abort()
    this.#agent.destroy()
  }

  #post(body: string): Promise<{ status: number; retryAfterMs: number | null; text: string }> {
    const { port, path } = this.#target
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const options = { host: '127.0.0.1', port, path, method: 'POST', agent: this.#agent, headers }
      const call = request(options, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('error', reject)
        response.once('end', () => {
          const after = Number(response.headers['retry-after'])
          resolve({
            status: response.statusCode ?? 0,
            retryAfterMs: Number.isNaN(after) ? null : after * 1000,
            text: Buffer.concat(chunks).toString('utf8').slice(0, 500),
          })
        })
      })
      call.once('error', reject)
      call.end(body)
    })
  }
}
