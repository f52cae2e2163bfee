import type { Logger } from '../log.ts'
import { type Bucket, fullBucket, type Rate, spent, waitMs } from '../tokenBucket.ts'

/** A flood of requests must not become a flood of log lines: beyond this rate they are only counted. */
const rate: Rate = { perSecond: 20, burst: 200 }

/** A path without the keys of public links, which must not be logged. */
export const withoutKeys = (path: string) => path.replace(/lss_[\w-]+/g, 'lss_…')

/** A refused request, with the details an investigation needs; never with its content. */
export interface Refusal {
  requestId: string
  status: number
  code: string
  method: string
  /** without the query string */
  path: string
  ip: string
  /** the caller, if known */
  caller?: string
  userId?: number | null
}

/** Other statuses are normal operation, such as a version conflict, and say nothing about security. */
const telling: ReadonlySet<number> = new Set([400, 401, 403, 404, 413, 415, 429])

/** Logs refused requests: failed sign-ins, missing rights and unreadable input. */
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
