import type { Context } from '../../../platform/context.ts'
import type { ChangedIds } from '../../../platform/db/notices.ts'
import { Loop } from '../../../platform/loop.ts'
import { Mutex } from '../../../platform/mutex.ts'
import { AccountTurns, restMs } from './accountTurns.ts'
import { accountsOfScopes, accountsOfTwins } from './store.ts'

const idleMs = 3_600_000
/** Changed twins, scopes and accounts remembered; with more, all accounts are looked at. */
const idsMax = 10_000

export interface KeptQueries {
  /** for the log, when looking failed */
  failure: string
  /** Accounts that have any, among these; null: of all. */
  accounts(among: readonly number[] | null): Promise<readonly number[]>
  /** Looks what the queries of an account find now. */
  refresh(accountId: number): Promise<void>
}

/** What was announced since it was last assigned to accounts. */
class Announced {
  readonly twins = new Set<number>()
  readonly scopes = new Set<number>()
  readonly accounts = new Set<number>()
  /** something of any account */
  isAnything = false

  add(what: 'twins' | 'scopes' | 'accounts', ids: ChangedIds): void {
    if (ids === '*' || this[what].size + ids.length > idsMax) this.isAnything = true
    else for (const id of ids) this[what].add(id)
  }

  get isEmpty(): boolean {
    return !this.isAnything && this.twins.size + this.scopes.size + this.accounts.size === 0
  }
}

/**
 * Looks again what queries find when twins, devices, states or scopes of their account have changed. A missed change is found at
 * the next start, when every query is looked at.
 */
export class AccountKeeper {
  readonly #ctx: Context
  readonly #queries: KeptQueries
  readonly #loop: Loop
  readonly #one = new Mutex()
  readonly #turns = new AccountTurns()
  #announced = new Announced()
  /** from when on announcements may be assigned again */
  #assignFromMs = 0

  constructor(ctx: Context, queries: KeptQueries) {
    this.#ctx = ctx
    this.#queries = queries
    this.#announced.isAnything = true
    this.#loop = new Loop({
      log: ctx.log,
      failure: queries.failure,
      retryMs: restMs,
      round: () => this.#one.run(() => this.#round()),
    })
    const note = (what: 'twins' | 'scopes' | 'accounts') => (ids: ChangedIds) => {
      this.#announced.add(what, ids)
      this.#loop.wake()
    }
    ctx.configChanges.on('twins', note('twins'))
    ctx.configChanges.on('states', note('twins'))
    ctx.configChanges.on('virtual_devices', note('twins'))
    ctx.configChanges.on('scopes', note('scopes'))
    ctx.configChanges.on('left_accounts', note('accounts'))
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Looks at what has changed so far, without any rests. */
  look(): Promise<void> {
    return this.#one.run(async () => {
      await this.#assign()
      let wasTaken = true
      while (wasTaken) wasTaken = await this.#take(Number.POSITIVE_INFINITY)
    })
  }

  async #round(): Promise<number> {
    const nowMs = performance.now()
    if (!this.#announced.isEmpty && nowMs >= this.#assignFromMs) {
      // Twins that move are announced many times a second.
      this.#assignFromMs = nowMs + restMs
      await this.#assign()
    }
    await this.#take(nowMs)
    const thenMs = performance.now()
    const assignInMs = this.#announced.isEmpty ? idleMs : Math.max(0, this.#assignFromMs - thenMs)
    return Math.min(assignInMs, this.#turns.waitMs(thenMs) ?? idleMs)
  }

  /** @returns whether it was somebody's turn */
  async #take(nowMs: number): Promise<boolean> {
    const turn = this.#turns.take(nowMs)
    if (turn === undefined) return false
    const beganMs = performance.now()
    try {
      await this.#queries.refresh(turn.accountId)
    } catch (error) {
      this.#turns.add([turn.accountId], turn.isKnown)
      throw error
    } finally {
      const endedMs = performance.now()
      this.#turns.done(turn, { tookMs: endedMs - beganMs, nowMs: endedMs })
    }
    return true
  }

  /** Finds out whose turn is to come. */
  async #assign(): Promise<void> {
    if (this.#announced.isEmpty) return
    const { twins, scopes, accounts, isAnything } = this.#announced
    this.#announced = new Announced()
    try {
      const { db } = this.#ctx
      // What is gone is missing here, and its account was announced.
      const changed = new Set([
        ...accounts,
        ...(await accountsOfTwins(db, [...twins])),
        ...(await accountsOfScopes(db, [...scopes])),
      ])
      if (changed.size > 0) this.#turns.add(await this.#queries.accounts([...changed]), true)
      if (isAnything) this.#turns.add(await this.#queries.accounts(null), false)
    } catch (error) {
      this.#announced.isAnything = true
      throw error
    }
  }
}
