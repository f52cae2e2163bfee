import type { Context } from '../../../platform/context.ts'
import { os } from '../../../platform/http/implement.ts'
import { Loop } from '../../../platform/loop.ts'
import { Mutex } from '../../../platform/mutex.ts'
import { networkOf } from '../known.ts'
import { counted, type Failure, type FailureKey, keptName, keyOf, withoutName } from './bounds.ts'
import { listFailures, storeFailures } from './store.ts'

const notWritten = 'failed sign-ins could not be written; tried again later'
const writeEveryMs = 2_000
/** Different failures that wait to be written; further ones are counted together. */
const waitingMax = 1_000

type Parts = Pick<Context, 'db' | 'clock' | 'log'>

/** A sign-in that failed. */
export interface FailedAttempt extends Pick<FailureKey, 'reason'> {
  /** as typed; of a provider its title */
  name: string
  ip: string
  /** the user it was tried for */
  userId?: number | undefined
  /** error of a provider */
  code?: string
  /** of a provider */
  accountId?: number
}

/**
 * Keeps failed sign-ins for administrators. They are written beside the requests, so that the time of an answer does not
 * tell whether a name exists, and a flood of them costs one short transaction every two seconds.
 */
export class SignInFailures {
  readonly #parts: Parts
  /** by day and key */
  #waiting = new Map<string, { day: string; failure: Failure }>()
  readonly #loop: Loop
  readonly #turns = new Mutex()

  constructor(parts: Parts) {
    this.#parts = parts
    this.#loop = new Loop({
      log: parts.log,
      failure: notWritten,
      retryMs: writeEveryMs,
      round: async () => {
        await this.flush()
        return writeEveryMs
      },
    })
  }

  note({ name, ip, reason, userId, code, accountId }: FailedAttempt): void {
    const at = this.#parts.clock.now()
    this.#add(at.toISOString().slice(0, 10), {
      name: keptName(name, userId !== undefined || accountId !== undefined),
      address: ip,
      network: networkOf(ip) ?? ip,
      reason,
      code: code ?? '',
      userId: userId ?? null,
      accountId: accountId ?? null,
      firstAt: at,
      lastAt: at,
      times: 1,
    })
  }

  #add(day: string, failure: Failure): void {
    const key = day + keyOf(failure)
    const before = this.#waiting.get(key)
    if (before !== undefined || this.#waiting.size < waitingMax) {
      this.#waiting.set(key, { day, failure: counted(before?.failure, failure) })
      return
    }
    const rest = { ...withoutName(failure), network: '', address: '', code: '' }
    const restKey = day + keyOf(rest)
    this.#waiting.set(restKey, { day, failure: counted(this.#waiting.get(restKey)?.failure, rest) })
  }

  /** Writes everything that waits. */
  flush(): Promise<void> {
    return this.#turns.run(async () => {
      const taken = [...this.#waiting.values()]
      this.#waiting = new Map()
      const days = Map.groupBy(taken, ({ day }) => day)
      try {
        for (const [day, entries] of days) {
          const failures = entries.map(({ failure }) => failure)
          await storeFailures(this.#parts.db, day, failures, this.#parts.clock.now())
          days.delete(day)
        }
      } catch (error) {
        // Tried again with what came meanwhile.
        for (const { day, failure } of [...days.values()].flat()) this.#add(day, failure)
        throw error
      }
    })
  }

  start(): void {
    this.#loop.start()
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
    await this.flush().catch((error: unknown) => this.#parts.log.warn({ err: error }, notWritten))
  }
}

/** Failed sign-ins, for administrators. */
export function failureRoutes({ db }: Pick<Context, 'db'>) {
  return {
    list: os.failedSignIn.list.handler(async ({ input, context: { caller } }) => {
      const { offset, limit } = input
      const scopeIds = caller.can('super.system', 'manage') ? null : caller.scopeIds('all', 'manage')
      return { ...(await listFailures(db, scopeIds, input)), offset, limit }
    }),
  }
}
