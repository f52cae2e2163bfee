import { Agent, request } from 'node:http'
import { connectAsync, type MqttClient } from 'mqtt'
import { chirpstackBody, chirpstackTopic, type RadioUplink, ttsBody } from '../bodies.ts'
import type { City } from './build.ts'
import { chance } from './clock.ts'

/** Maximum uplinks in flight. */
const windowMax = 24
/** Rules watch the last part of the history. */
const watchedDays = 4
const dayMs = 86_400_000
const minuteMs = 60_000

type Device = City['devices'][number]

interface TrafficOptions {
  /** of history */
  days: number
  /** the webhook is no longer there: the city was deleted */
  onGone: () => void
}

/** Sends the measurements of the city's simulated devices: webhooks for one network, MQTT for the other. */
export class Traffic implements AsyncDisposable {
  readonly #city: City
  readonly #hook: URL
  readonly #agent = new Agent({ keepAlive: true, maxSockets: windowMax })
  readonly #mqtt: MqttClient
  /** of history */
  readonly #days: number
  readonly #onGone: () => void
  #stopped = false

  private constructor(city: City, url: string, mqtt: MqttClient, { days, onGone }: TrafficOptions) {
    this.#city = city
    this.#days = days
    this.#onGone = onGone
    this.#hook = new URL(`/api/hooks/${city.webhookKey}`, url)
    this.#mqtt = mqtt
  }

  static async open(city: City, url: string, mqttPort: number, options: TrafficOptions): Promise<Traffic> {
    const mqtt = await connectAsync(`mqtt://127.0.0.1:${mqttPort}`, {
      ...city.mqtt,
      clientId: 'demo-chirpstack',
    })
    return new Traffic(city, url, mqtt, options)
  }

  /**
   * Sends the missing part of the history, in order of time; before the last days of it calls `watch`.
   * Returns the number of uplinks.
   */
  async sendHistory(now: number, watch: () => Promise<void>): Promise<number> {
    const uplinks = this.#city.devices.flatMap((device) => {
      const step = device.spec.everyMinutes * minuteMs
      const from = Math.max(now - this.#days * dayMs, (device.lastSeen?.getTime() ?? 0) + step)
      const until = Math.min(now, silentFrom(device))
      const offset = Math.floor(chance(device.id, 1) * step)
      const times: { device: Device; at: number }[] = []
      for (let at = Math.ceil(from / step) * step + offset; at < until; at += step) times.push({ device, at })
      return times
    })
    const watched = now - watchedDays * dayMs
    const [earlier, later] = [
      uplinks.filter(({ at }) => at < watched),
      uplinks.filter(({ at }) => at >= watched),
    ]
    await this.#sendAll(earlier)
    await watch()
    await this.#sendAll(later)
    return uplinks.length
  }

  async #sendAll(uplinks: { device: Device; at: number }[]): Promise<void> {
    uplinks.sort((a, b) => a.at - b.at)
    let next = 0
    const lanes = Array.from({ length: windowMax }, async () => {
      while (next < uplinks.length && !this.#stopped) {
        const { device, at } = uplinks[next++] as (typeof uplinks)[number]
        await this.#send(device, at)
      }
    })
    await Promise.all(lanes)
  }

  /** Sends for ever: each device at its own moments, about every 20 seconds. */
  async sendLive(): Promise<void> {
    const loops = this.#city.devices.map(async (device, index) => {
      if (silentFrom(device) < Date.now()) return
      const everyMs = 12_000 + Math.round(18_000 * chance(index, 5))
      await this.#wait(Math.round(everyMs * chance(index, 9)))
      while (!this.#stopped) {
        await this.#send(device, Date.now()).catch((error: unknown) => this.#complain(device, error))
        await this.#wait(everyMs)
      }
    })
    await Promise.all(loops)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    this.#agent.destroy()
    await this.#mqtt.endAsync()
  }

  async #send(device: Device, at: number): Promise<void> {
    const uplink = radio(device, at)
    if (device.spec.network === 'tts') await this.#post(JSON.stringify(ttsBody(uplink)))
    else
      await this.#mqtt.publishAsync(chirpstackTopic(uplink.devEui), JSON.stringify(chirpstackBody(uplink)), {
        qos: 1,
      })
  }

  #post(body: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const call = request(this.#hook, { method: 'POST', agent: this.#agent, headers }, (reply) => {
        reply.resume()
        reply.on('error', reject)
        reply.on('end', () => {
          if (reply.statusCode === 404) this.#onGone()
          if (reply.statusCode === 200) resolve()
          else reject(new Error(`the webhook answered ${reply.statusCode}`))
        })
      })
      call.on('error', reject)
      call.end(body)
    })
  }

  #complain(device: Device, error: unknown): void {
    if (this.#stopped) return
    console.error(
      `demo city: ${device.spec.title}: ${error instanceof Error ? error.message : String(error)}`,
    )
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms).unref())
  }
}

/** From when on a device no longer sends. */
function silentFrom({ spec, createdAt }: Device): number {
  return spec.silentDays === undefined
    ? Number.POSITIVE_INFINITY
    : createdAt.getTime() - spec.silentDays * dayMs
}

/**
 * Radio metadata. The counter is derived from the time, so that a second run sends the same uplinks again.
 */
function radio(device: Device, at: number): RadioUplink {
  const seed = device.id
  const minute = Math.floor(at / minuteMs)
  return {
    ...device.spec.uplink(at, device.createdAt.getTime()),
    devEui: device.devEui,
    devAddr: `26${device.devEui.slice(-6)}`,
    fCnt: Math.floor(at / 1000) % 0x7fffffff,
    time: new Date(at),
    rssi: -Math.round(72 + 40 * chance(seed, 2) + 6 * chance(seed, minute)),
    snr: Math.round((9 - 12 * chance(seed, 3) + 2 * chance(seed, minute + 1)) * 10) / 10,
    spreadingFactor: 7 + Math.floor(3 * chance(seed, 4)),
    gateway: chance(seed, 6) < 0.5 ? 'gw-rathaus' : 'gw-wasserturm',
  }
}
