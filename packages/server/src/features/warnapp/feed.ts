import type { LiveServerMessage } from '@leitstand/contract/live'
import type { Context } from '../../platform/context.ts'
import type { ChangedIds } from '../../platform/db/notices.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type SeriesFeature, type StoredValue, toLive } from '../series/index.ts'
import { sightOf } from './policy.ts'
import { findMonitor, readCurrent, readStateIds } from './store.ts'

/**
 * Forwards values to screens with a monitor: only those of its states, since who may read a monitor need not see others of
 * the twin. After a change of a monitor its screens read it again.
 */
export class MonitorFeed {
  readonly #ctx: Pick<Context, 'db' | 'live' | 'clock' | 'log'>
  /** the states of the monitors with readers here */
  readonly #watched = new Map<number, ReadonlySet<number>>()

  constructor(ctx: Context, series: Pick<SeriesFeature, 'onStored'>) {
    this.#ctx = ctx
    ctx.live.topic('warn', {
      table: 'twins',
      authorise: (caller, id) => this.#open(caller, id),
      // All of them: one that is late has a time from before.
      backfill: async (_caller, id) => {
        const topic = `warn:${id as number}` as const
        const values = await readCurrent(ctx.db, id as number)
        return values.length === 0 ? [] : [{ kind: 'values', topic, values }]
      },
    })
    series.onStored((values) => this.#forward(values))
    ctx.configChanges.on('warn_monitors', (ids) => this.#changed(ids))
    ctx.configChanges.on('states', (ids) => this.#changed(ids))
  }

  async #open(caller: Caller, id: number | null): Promise<boolean> {
    if (id === null || (await findMonitor(this.#ctx.db, sightOf(caller).read, id)) === undefined) return false
    this.#forgetIdle()
    this.#watched.set(id, await readStateIds(this.#ctx.db, id))
    return true
  }

  #forward(values: readonly StoredValue[]): void {
    if (this.#watched.size === 0) return
    const shown = values.filter(
      ({ twinId, stateId, isCurrent }) => isCurrent && this.#watched.get(twinId)?.has(stateId),
    )
    for (const [twinId, group] of Map.groupBy(shown, ({ twinId }) => twinId)) {
      const topic = `warn:${twinId}` as const
      // Values come to every node with readers, so each tells its own.
      if (this.#ctx.live.hasFollowersHere(topic))
        this.#ctx.live.publishHere(topic, { kind: 'values', topic, values: group.map(toLive) })
    }
  }

  /** A monitor has the id of its twin, and so have the notices of states. */
  #changed(ids: ChangedIds): void {
    for (const id of ids === '*' ? this.#watched.keys() : ids) {
      if (this.#watched.has(id)) void this.#readAgain(id)
    }
  }

  async #readAgain(id: number): Promise<void> {
    const topic = `warn:${id}` as const
    try {
      this.#watched.set(id, await readStateIds(this.#ctx.db, id))
    } catch (error) {
      // Screens ask again every few seconds in any case.
      this.#ctx.log.warn(
        { err: error, monitorId: id },
        'the states of a warn monitor could not be read again',
      )
    }
    const message: LiveServerMessage = { kind: 'resync', topic, timeMs: this.#ctx.clock.now().getTime() }
    this.#ctx.live.publishHere(topic, message)
  }

  #forgetIdle(): void {
    for (const id of this.#watched.keys()) {
      if (!this.#ctx.live.hasFollowersHere(`warn:${id}`)) this.#watched.delete(id)
    }
  }
}
