import { LRUCache } from 'lru-cache'
import { upTo } from '../../platform/cache.ts'
import type { ScriptRun } from '../series/index.ts'
import type { Meaning } from './decode.ts'

/** Maximum wait of a batch for the scripts of an account. */
const patienceMs = 100
/** An account with late scripts uses a separate queue for this long. */
const slowMs = 30_000
/** Maximum number of accounts remembered as slow. */
const accountsMax = 10_000

/** The scripts of these accounts exceeded the wait. */
export class ScriptsLate extends Error {
  readonly accounts: ReadonlySet<number>
  /** results of the drivers of other accounts, by packet index */
  meanings: readonly (Meaning | undefined)[] = []

  constructor(accounts: ReadonlySet<number>) {
    super('scripts are late')
    this.accounts = accounts
  }
}

/** Accounts with late scripts, and the number of their queue. */
export class SlowAccounts {
  readonly #isTroubled: (accountId: number) => boolean
  readonly #queues: number
  readonly #queueOf = new LRUCache<number, { queue: number; until: number }>(upTo(accountsMax))

  /** @param isTroubled whether the script engine reports slow scripts for an account */
  constructor(isTroubled: (accountId: number) => boolean, queues: number) {
    this.#isTroubled = isTroubled
    this.#queues = queues
  }

  /** Queue number of a slow account; undefined for all others. */
  queueOf(accountId: number): number | undefined {
    const known = this.#queueOf.get(accountId)
    if (known !== undefined && known.until > performance.now()) return known.queue
    if (this.#isTroubled(accountId)) return this.note(accountId)
    if (known !== undefined) this.#queueOf.delete(accountId)
    return undefined
  }

  /** Marks an account as slow. @returns its queue; not shared as long as there are free ones */
  note(accountId: number): number {
    const until = performance.now() + slowMs
    const queue = this.#queueOf.get(accountId)?.queue ?? this.#leastUsed()
    this.#queueOf.set(accountId, { queue, until })
    return queue
  }

  #leastUsed(): number {
    const accounts = new Array<number>(this.#queues).fill(0)
    for (const { queue } of this.#queueOf.values()) accounts[queue] = (accounts[queue] as number) + 1
    return accounts.indexOf(Math.min(...accounts))
  }
}

/**
 * Waits for scripts. A batch of several accounts gives up on late accounts; an account in a separate queue is
 * only marked as slow.
 * @throws ScriptsLate
 */
export class Patience {
  readonly #slow: SlowAccounts
  readonly #isShared: boolean
  readonly #isAlone: (accountId: number) => boolean

  /**
   * @param isShared whether accounts share the queue
   * @param isAlone whether nobody else waits in it now
   */
  constructor(slow: SlowAccounts, isShared: boolean, isAlone: (accountId: number) => boolean) {
    this.#slow = slow
    this.#isShared = isShared
    this.#isAlone = isAlone
  }

  /** Whether this queue does not accept messages of the account. */
  refuses(accountId: number): boolean {
    return this.#isShared && this.#slow.queueOf(accountId) !== undefined
  }

  readonly wait = async (runs: readonly ScriptRun[]): Promise<void> => {
    if (runs.length === 0) return
    const pending = new Set(runs)
    const all = Promise.all(runs.map((run) => run.done.finally(() => pending.delete(run))))
    const lateNow = () => new Set([...pending].map(({ accountId }) => accountId))
    // While an account keeps nobody waiting, it need not go aside: on a busy machine all scripts are late, and small
    // batches would make it busier.
    do if (await isDone(all)) return
    while (this.#isShared && [...lateNow()].every((accountId) => this.#isAlone(accountId)))
    const late = lateNow()
    for (const accountId of late) this.#slow.note(accountId)
    if (!this.#isShared) {
      await all
      return
    }
    all.catch(() => undefined)
    throw new ScriptsLate(late)
  }
}

/** Whether the runs have ended in time. @throws the first error of a run */
async function isDone(all: Promise<unknown>): Promise<boolean> {
  // Every batch comes through here: a timer that is cleared is cheaper than one that is aborted with an error.
  const over = Promise.withResolvers<'over'>()
  const timer = setTimeout(over.resolve, patienceMs, 'over')
  try {
    return (await Promise.race([all, over.promise])) !== 'over'
  } finally {
    clearTimeout(timer)
  }
}
