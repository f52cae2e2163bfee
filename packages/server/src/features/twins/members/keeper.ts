import type { Context } from '../../../platform/context.ts'
import type { ChangedIds } from '../../../platform/db/notices.ts'
import { Loop } from '../../../platform/loop.ts'
import { Mutex } from '../../../platform/mutex.ts'
import type { SeriesFeature } from '../../series/index.ts'
import { lockLinks } from '../store/links.ts'
import { refreshMembers } from './index.ts'
import { accountsOfTwins, accountsWithQueries, queriesOf } from './store.ts'

/** Shortest time between two looks; a look that takes long is followed by ten times as long a rest. */
const restMs = 1_000
const idleMs = 3_600_000
/** Changed twins remembered; with more, all accounts are looked at. */
const twinsMax = 10_000

/**
 * Keeps the members of aggregates by query up to date with the twins and states there are. A missed change is found at the
 * next start, when every query is looked at.
 */
export class MemberKeeper {
  readonly #ctx: Context
  readonly #series: Pick<SeriesFeature, 'noteSources'>
  readonly #loop: Loop
  readonly #turn = new Mutex()
  #twins: Set<number> | '*' = '*'

  constructor(ctx: Context, series: Pick<SeriesFeature, 'noteSources'>) {
    this.#ctx = ctx
    this.#series = series
    this.#loop = new Loop({
      log: ctx.log,
      failure: 'members of aggregates could not be looked up; tried again soon',
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
      for (const accountId of await this.#accountsOf(twins)) await this.#refresh(accountId)
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
  async #accountsOf(twins: ReadonlySet<number> | '*'): Promise<number[]> {
    const concerned = await accountsWithQueries(this.#ctx.db)
    if (twins === '*' || concerned.length === 0) return concerned
    const known = await accountsOfTwins(this.#ctx.db, [...twins])
    if (known.length < twins.size) return concerned
    const accounts = new Set(known.map(({ accountId }) => accountId))
    return concerned.filter((id) => accounts.has(id))
  }

  async #refresh(accountId: number): Promise<void> {
    // One by one: while a query is looked at, nobody else can change what is computed from what.
    for (const { stateId } of await queriesOf(this.#ctx.db, accountId)) {
      const done = await this.#ctx.db.transaction().execute(async (tx) => {
        await lockLinks(tx)
        const [query] = await queriesOf(tx, accountId, stateId)
        const hasChanged = query !== undefined && (await refreshMembers(tx, query))
        return this.#series.noteSources(tx, hasChanged ? [stateId] : [])
      })
      await done()
    }
  }
}
