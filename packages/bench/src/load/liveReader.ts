import { type LiveClientMessage, type LiveServerMessage, liveLimits } from '@leitstand/contract/live'
import { sequenceOf } from './uplinks.ts'

const welcomeTimeoutMs = 10_000

type Values = Extract<LiveServerMessage, { kind: 'values' }>['values']

/** Clients of the live connection that follow twins, like browser tabs. */
export class LiveReaders implements AsyncDisposable {
  readonly #sockets: WebSocket[] = []

  private constructor() {}

  /**
   * Opens as many connections as the topics need and follows all of them.
   * @param heard called with every list of values, at once
   * @throws when the platform refuses
   */
  static async open(
    url: string,
    token: string,
    twinIds: readonly number[],
    heard: (values: Values) => void,
  ): Promise<LiveReaders> {
    const readers = new LiveReaders()
    try {
      for (let from = 0; from < twinIds.length; from += liveLimits.topicsMax)
        await readers.#follow(url, token, twinIds.slice(from, from + liveLimits.topicsMax), heard)
    } catch (error) {
      await readers[Symbol.asyncDispose]()
      throw error
    }
    return readers
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.#sockets.map(async (socket) => {
        if (socket.readyState === WebSocket.CLOSED) return
        const closed = new Promise((resolve) => socket.addEventListener('close', resolve, { once: true }))
        socket.close()
        await closed
      }),
    )
  }

  #follow(
    url: string,
    token: string,
    twinIds: readonly number[],
    heard: (values: Values) => void,
  ): Promise<void> {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/api/live`)
    this.#sockets.push(socket)
    const say = (message: LiveClientMessage) => socket.send(JSON.stringify(message))
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error('the live connection did not answer')),
        welcomeTimeoutMs,
      )
      const fail = (reason: string) => {
        clearTimeout(timer)
        reject(new Error(`the live connection ${reason}`))
      }
      let missing = twinIds.length
      socket.addEventListener('open', () => say({ kind: 'hello', token }))
      socket.addEventListener('error', () => fail('failed'))
      socket.addEventListener('close', ({ code, reason }) => fail(`was closed with ${code} ${reason}`))
      socket.addEventListener('message', ({ data }) => {
        const message = JSON.parse(String(data)) as LiveServerMessage
        if (message.kind === 'values') heard(message.values)
        else if (message.kind === 'welcome')
          for (const id of twinIds) say({ kind: 'subscribe', topic: `twin:${id}` })
        else if (message.kind === 'refused') fail(`refused ${message.topic}: ${message.code}`)
        else if (message.kind === 'subscribed' && --missing === 0) {
          clearTimeout(timer)
          resolve()
        }
      })
    })
  }
}

/**
 * The sequence numbers of the uplinks in a list of values: two values of a twin with the same time carry one.
 */
export function sequencesIn(values: Values): number[] {
  const halves = new Map<string, { illuminance?: number; co2?: number }>()
  const found: number[] = []
  for (const { twinId, timeMs, key, value } of values) {
    if ((key !== 'illuminance' && key !== 'co2') || typeof value !== 'number') continue
    const name = `${twinId} ${timeMs}`
    const half = halves.get(name) ?? {}
    half[key] = value
    halves.set(name, half)
    if (half.illuminance !== undefined && half.co2 !== undefined)
      found.push(sequenceOf({ illuminance: half.illuminance, co2: half.co2 }))
  }
  return found
}
