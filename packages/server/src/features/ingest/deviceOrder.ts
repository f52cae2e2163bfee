import type { InboundMessage } from './types.ts'

/**
 * Messages of a device enter the queue in the order in which they came, although some are prepared longer than
 * others. Those that are prepared at once, when nothing else is being prepared, cost nothing.
 */
export class DeviceOrder {
  /** the last message of each device that is not in the queue yet */
  readonly #entering = new Map<string, Promise<unknown>>()

  /**
   * @param ready the prepared message
   * @param push puts it into the queue
   * @returns the result of `push`
   */
  run<R>(
    received: InboundMessage,
    ready: InboundMessage | Promise<InboundMessage>,
    push: (message: InboundMessage) => Promise<R>,
  ): Promise<R> {
    const isReady = !(ready instanceof Promise)
    if (isReady && this.#entering.size === 0) return push(ready)
    const keys = devicesOf(received)
    const before = keys.flatMap((key) => this.#entering.get(key) ?? [])
    if (isReady && before.length === 0) return push(ready)
    const pushed = Promise.withResolvers<R>()
    const entered = Promise.allSettled(before)
      .then(() => ready)
      .then(
        (message) => void push(message).then(pushed.resolve, pushed.reject),
        (error: unknown) => pushed.reject(error),
      )
      .finally(() => {
        for (const key of keys) if (this.#entering.get(key) === entered) this.#entering.delete(key)
      })
    for (const key of keys) this.#entering.set(key, entered)
    return pushed.promise
  }
}

function devicesOf({ connector, packets }: InboundMessage): string[] {
  const names = packets.map((packet) =>
    'identifier' in packet ? `device ${packet.identifier}` : JSON.stringify(packet.routing),
  )
  return [...new Set(names)].map((name) => `${connector.id} ${name}`)
}
