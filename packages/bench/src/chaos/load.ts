import { setTimeout as delay } from 'node:timers/promises'
import type { Sender } from './senders.ts'
import { type ChaosDevice, type Entry, nextUplink } from './uplinks.ts'

/** A connector of the fleet with its senders. */
export interface Line {
  name: string
  connectorId: number
  /** whether the platform itself acknowledges, rather than a broker before it */
  isDirect: boolean
  devices: readonly ChaosDevice[]
  senders: readonly Sender[]
}

/**
 * Devices that send one uplink at a time, the next one only after an acknowledgement and a pause. Nothing is
 * given up: senders retry what a fault has lost.
 */
export class Load {
  readonly entries: Entry[] = []
  /** permanently rejected messages, with the reason; there should be none */
  readonly refusals: string[] = []
  readonly #lines: readonly Line[]
  readonly #pauseMs: number
  readonly #startMs = Date.now()
  readonly #newest: number[]
  readonly #stop = new AbortController()
  #waiting: (() => void)[] = []
  #isPaused = true
  #busy = 0

  /** @param rate uplinks per second of all devices together, without faults */
  constructor(lines: readonly Line[], rate: number) {
    this.#lines = lines
    this.#newest = lines.map(() => 0)
    const devices = lines.reduce((sum, line) => sum + line.devices.length, 0)
    this.#pauseMs = (devices * 1000) / rate
  }

  /** Begins to send. */
  start(): void {
    for (const line of this.#lines)
      line.devices.forEach((device, index) => void this.#run(line, device, index))
    this.resume()
  }

  /** Every device sends once. */
  async greet(timeoutMs: number, signal: AbortSignal): Promise<void> {
    for (const line of this.#lines)
      line.devices.forEach((device, index) => void this.#send(line, device, index))
    if ((await this.pause(timeoutMs, signal)) > 0) throw new Error('the first uplinks were not acknowledged')
    if (this.refusals.length > 0) throw new Error(`an uplink was refused: ${this.refusals[0]}`)
  }

  get acknowledged(): number {
    return this.entries.reduce((sum, { isAcknowledged }) => sum + Number(isAcknowledged), 0)
  }

  /** messages that were sent more than once */
  get again(): number {
    return this.#lines.flatMap(({ senders }) => senders).reduce((sum, sender) => sum + sender.again, 0)
  }

  /** acknowledged by the platform itself */
  get acknowledgedDirectly(): number {
    const isDirect = this.#lines.map((line) => line.isDirect)
    return this.entries.reduce(
      (sum, { device, isAcknowledged }) => sum + Number(isAcknowledged && isDirect[device.connector]),
      0,
    )
  }

  resume(): void {
    this.#isPaused = false
    for (const go of this.#waiting.splice(0)) go()
  }

  /**
   * Stops sending and waits for messages in flight.
   * @returns how many messages are still not acknowledged after this time
   */
  async pause(timeoutMs: number, signal: AbortSignal): Promise<number> {
    this.#isPaused = true
    for (const end = performance.now() + timeoutMs; this.#busy > 0 && performance.now() < end; )
      await delay(5, undefined, { signal })
    return this.#busy
  }

  /**
   * Waits until every connector of the platform has acknowledged an uplink first sent after this call.
   * @returns the names of those that did not in time
   */
  async proven(timeoutMs: number, signal: AbortSignal): Promise<string[]> {
    const from = this.entries.length
    const open = () =>
      this.#lines.filter(({ isDirect }, index) => isDirect && (this.#newest[index] as number) <= from)
    for (const end = performance.now() + timeoutMs; open().length > 0 && performance.now() < end; )
      await delay(5, undefined, { signal })
    return open().map(({ name }) => name)
  }

  /** All connections are closed by the clients. @returns how many senders did */
  drop(): number {
    const senders = this.#lines.flatMap((line) => line.senders)
    for (const sender of senders) sender.drop()
    return senders.length
  }

  stop(): void {
    this.#stop.abort()
    for (const { senders } of this.#lines) for (const sender of senders) sender[Symbol.dispose]()
  }

  async #run(line: Line, device: ChaosDevice, index: number): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      if (this.#isPaused) await new Promise<void>((go) => this.#waiting.push(go))
      await delay(this.#pauseMs * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined)
      if (!this.#isPaused && !signal.aborted) await this.#send(line, device, index)
    }
  }

  async #send(line: Line, device: ChaosDevice, index: number): Promise<void> {
    const sender = line.senders[index % line.senders.length] as Sender
    const { entry, body } = nextUplink(device, this.entries.length + 1, Date.now(), this.#startMs)
    this.entries.push(entry)
    this.#busy++
    try {
      await sender.send({ device, body })
      entry.isAcknowledged = true
      this.#newest[device.connector] = Math.max(this.#newest[device.connector] as number, entry.sequence)
    } catch (error) {
      // At the end of the run, pending waits end too.
      if (!this.#stop.signal.aborted)
        this.refusals.push(error instanceof Error ? error.message : String(error))
    }
    this.#busy--
  }
}
