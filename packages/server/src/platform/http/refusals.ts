import type { Logger } from '../log.ts'
import { type Bucket, fullBucket, type Rate, spent, waitMs } from '../tokenBucket.ts'

/** A flood of requests must not become a flood of logs: beyond this they are only counted. */
const rate: Rate = { perSecond: 20, burst: 200 }

/** A request that was refused, with what an investigation needs; never with what it carried. */
export interface Refusal {
  requestId: string
  status: number
  code: string
  method: string
  /** without its query */
  path: string
  ip: string
  /** who asked, as far as that is known */
  caller?: string
  userId?: number | null
}

/** Business as usual, such as a version that has moved on, says nothing about security. */
const telling: ReadonlySet<number> = new Set([400, 401, 403, 404, 413, 415, 429])

/** Writes refused requests to the log: who could not sign in, was not allowed, or sent what cannot be read. */
export class Refusals {
  readonly #log: Logger
  #bucket: Bucket | undefined
  #left = 0

  constructor(log: Logger) {
    this.#log = log
  }

  note(refusal: Refusal, nowMs: number): void {
    if (!telling.has(refusal.status)) return
    const bucket = this.#bucket ?? fullBucket(rate, nowMs)
    if (waitMs(bucket, rate, nowMs) > 0) {
      this.#left++
      return
    }
    this.#bucket = spent(bucket, 1, rate, nowMs)
    this.#log.info({ ...refusal, ...(this.#left > 0 ? { notLogged: this.#left } : {}) }, 'refused')
    this.#left = 0
  }
}
