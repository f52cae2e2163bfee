import { connect, type Socket } from 'node:net'
import type { Lane, Sent } from './lane.ts'
import { connectPacket, disconnectPacket, type Inbound, publishPacket, readPackets } from './mqttPacket.ts'

const idsMax = 0xffff
const keepAliveSeconds = 600

/** Target and credentials of a lane. */
export interface MqttTarget {
  port: number
  username: string
  password: string
}

/**
 * One MQTT connection that publishes with QoS 1. Written for the generator: it shares the machine with what it measures,
 * and a general client would take several times as much of it.
 * States: connecting → open → closed.
 */
export class MqttLane implements Lane {
  readonly window: number
  readonly #socket: Socket
  readonly #waiting = new Map<number, (stored: boolean) => void>()
  readonly #connected = Promise.withResolvers<void>()
  #rest: Buffer = Buffer.alloc(0)
  #outgoing: Buffer[] = []
  #lastId = 0

  private constructor(window: number, port: number) {
    this.window = window
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true })
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk))
    this.#socket.on('error', (error) => this.#connected.reject(error))
    this.#socket.once('close', () => this.#closed())
  }

  /** @throws when the broker is unreachable or rejects the sign-in */
  static async open(target: MqttTarget, clientId: string, window: number): Promise<MqttLane> {
    const lane = new MqttLane(window, target.port)
    lane.#socket.write(connectPacket(clientId, target.username, target.password, keepAliveSeconds))
    await lane.#connected.promise
    return lane
  }

  send({ device, body }: Sent): Promise<boolean> {
    if (this.#socket.destroyed) return Promise.resolve(false)
    const id = this.#freeId()
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#write(publishPacket(device.topic, id, body))
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#socket.destroyed) return
    const closed = new Promise((resolve) => this.#socket.once('close', resolve))
    this.#socket.end(disconnectPacket())
    const timer = setTimeout(() => this.#socket.destroy(), 1000)
    await closed
    clearTimeout(timer)
  }

  #freeId(): number {
    do this.#lastId = (this.#lastId % idsMax) + 1
    while (this.#waiting.has(this.#lastId))
    return this.#lastId
  }

  /** Messages of one event loop turn are written together. */
  #write(bytes: Buffer): void {
    this.#outgoing.push(bytes)
    if (this.#outgoing.length > 1) return
    setImmediate(() => {
      const all = this.#outgoing
      this.#outgoing = []
      if (this.#socket.writable) this.#socket.write(Buffer.concat(all))
    })
  }

  #read(chunk: Buffer): void {
    try {
      const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
      const { packets, taken } = readPackets(bytes)
      this.#rest = bytes.subarray(taken)
      for (const packet of packets) this.#handle(packet)
    } catch (error) {
      this.#connected.reject(error)
      this.#socket.destroy()
    }
  }

  #handle(packet: Inbound): void {
    if (packet.kind === 'puback') {
      this.#waiting.get(packet.id)?.(true)
      this.#waiting.delete(packet.id)
    } else if (packet.code === 0) this.#connected.resolve()
    else this.#connected.reject(new Error(`the broker refused the sign-in with code ${packet.code}`))
  }

  #closed(): void {
    this.#connected.reject(new Error('the broker closed the connection'))
    for (const resolve of this.#waiting.values()) resolve(false)
    this.#waiting.clear()
  }
}
