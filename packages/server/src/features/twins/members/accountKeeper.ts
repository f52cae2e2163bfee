import type { Context } from '../../../platform/context.ts'
import type { ChangedIds } from '../../../platform/db/notices.ts'
import { Loop } from '../../../platform/loop.ts'
import { Mutex } from '../../../platform/mutex.ts'
import { accountsOfTwins } from './store.ts'

/** Shortest time between two looks; a look that takes long is followed by ten times as long a rest. */
const restMs = 1_000
const idleMs = 3_600_000
/** Changed twins remembered; with more, all accounts are looked at. */
const twinsMax = 10_000

export interface KeptQueries {
  /** for the log, when looking failed */
  failure: string
  /** Accounts that have any. */
  accounts(): Promise<readonly number[]>
  /** Looks what the queries of an account find now. */
  refresh(accountId: number): Promise<void>
}

/**
 * Looks again what queries find when twins, devices, states or scopes of their account have changed. A missed change is found at
 * the next start, when every query is looked at.
 */
export class AccountKeeper {
  readonly #ctx: Context
  readonly #queries: KeptQueries
  readonly #loop: Loop
  readonly #turn = new Mutex()
  #twins: Set<number> | '*' = '*'

  constructor(ctx: Context, queries: KeptQueries) {
    this.#ctx = ctx
    this.#queries = queries
    this.#loop = new Loop({
      log: ctx.log,
      failure: queries.failure,
      retryMs: restMs,
      round: () => this.#round(),
    })
    const note = (ids: ChangedIds) => {
      if (ids === '*' || this.#twins === '*' || this.#twins.size + ids.length > twinsMax) this.#twins = '*'
      else for (const id of ids) this.#twins.add(id)
      this.#loop.wake()
    }
    ctx.configChanges.on('twins', note)
    ctx.configChanges.on('states', note)
    ctx.configChanges.on('virtual_devices', note)
    ctx.configChanges.on('scopes', () => note('*'))
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Looks at what has changed so far. */
  look(): Promise<void> {
    return this.#turn.run(() => this.#look())
  }

  async #look(): Promise<void> {
    const twins = this.#twins
    this.#twins = new Set()
    if (twins !== '*' && twins.size === 0) return
    try {
      for (const accountId of await this.#accountsOf(twins)) await this.#queries.refresh(accountId)
    } catch (error) {
      this.#twins = '*'
      throw error
    }
  }

  async #round(): Promise<number> {
    const started = performance.now()
    await this.look()
    if (this.#twins !== '*' && this.#twins.size === 0) return idleMs
    return Math.max(restMs, 10 * (performance.now() - started))
  }

  /** Accounts with queries that a change may concern; a twin that is gone may have been in any. */
  async #accountsOf(twins: ReadonlySet<number> | '*'): Promise<readonly number[]> {
    const concerned = await this.#queries.accounts()
    if (twins === '*' || concerned.length === 0) return concerned
    const known = await accountsOfTwins(this.#ctx.db, [...twins])
    if (known.length < twins.size) return concerned
    const accounts = new Set(known.map(({ accountId }) => accountId))
    return concerned.filter((id) => accounts.has(id))
  }
}
