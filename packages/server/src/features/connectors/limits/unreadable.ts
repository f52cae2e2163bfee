import { setTimeout as delay } from 'node:timers/promises'
import { Allowance } from '../../../platform/allowance.ts'
import { AppError } from '../../../platform/errors.ts'
import { Mutexes } from '../../../platform/mutex.ts'

export const unreadableLimits = {
  /** characters that a connector may send without any of it being readable; then large messages have to wait */
  allowed: { perSecond: 50_000, burst: 4_000_000 },
  /** messages of this length never wait, in bytes */
  smallBytesMax: 10_000,
} as const

/** Maximum time between checks of whether the sender is still there, or the server stops. */
const lookMs = 250

/** Counts what connectors sent that could not be read: reading it takes time from everybody. */
export class Unreadable implements Disposable {
  readonly #allowance = new Allowance<number>(unreadableLimits.allowed)
  readonly #turns = new Mutexes<number>()
  #stopped = false

  /** Counts a message that could not be read, in characters. */
  note(connectorId: number, chars: number): void {
    this.#allowance.spend(connectorId, chars, performance.now())
  }

  /** Milliseconds until a message of this length may be read; 0: now. */
  waitMs(connectorId: number, bytes: number): number {
    return bytes <= unreadableLimits.smallBytesMax
      ? 0
      : this.#allowance.waitMs(connectorId, performance.now())
  }

  /**
   * Reads a message once it may be read; one after the other, because each may use up what is allowed.
   * @param read has to call `note` before it resolves
   * @param isGone whether the sender's connection has closed, so that it will send the message again
   * @throws AppError OVERLOADED when the connection closes or the server stops
   */
  readLater<T>(
    connectorId: number,
    bytes: number,
    isGone: () => boolean,
    read: () => Promise<T> | T,
  ): Promise<T> {
    return this.#turns.run([connectorId], async () => {
      for (let wait = this.waitMs(connectorId, bytes); wait > 0; wait = this.waitMs(connectorId, bytes)) {
        if (this.#stopped || isGone()) throw new AppError('OVERLOADED')
        await delay(Math.min(wait, lookMs))
      }
      return read()
    })
  }

  /** Turns all waiting messages away. */
  [Symbol.dispose](): void {
    this.#stopped = true
  }
}
