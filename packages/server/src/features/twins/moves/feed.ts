import type { LiveMove, LiveTopic } from '@leitstand/contract/live'
import { LRUCache } from 'lru-cache'
import { upTo } from '../../../platform/cache.ts'
import type { Context } from '../../../platform/context.ts'
import { Loop } from '../../../platform/loop.ts'
import type { SeriesFeature } from '../../series/index.ts'
import { listScopes } from '../policy.ts'
import { type MovedTwin, readMoved, seesTwin } from './store.ts'

/** Positions are sent as often as this at most. */
const restMs = 250
const idleMs = 3_600_000
/** Moved twins remembered between two rounds; with more, maps have to read everything again. */
const twinsMax = 5_000
/** Positions that were sent and need not be sent again. */
const sentMax = 20_000
/** Longer than the time between opening and following a map. */
const openMs = 60_000
/** Of a map of all twins. */
const everything = 0

const topicOf = (root: number): LiveTopic => (root === everything ? 'moves' : `moves:${root}`)

/**
 * Sends the positions of moved twins to the maps that show them: of a twin and everything below it (`moves:{id}`), or of
 * all (`moves`). Who sees a twin and where it belongs is read with every round, because both can change.
 */
export class MoveFeed {
  readonly #ctx: Context
  readonly #loop: Loop
  /** twins whose maps were opened, and when */
  readonly #opened = new Map<number, number>()
  /** a move is noted with its values, and once more when its twin is announced as changed */
  readonly #sent = new LRUCache<number, string>(upTo(sentMax))
  #moved = new Set<number>()
  #isCut = false
  #isIdle = true
  /** when a twin may have moved last, whether anybody follows or not */
  #lastMs: number

  constructor(ctx: Context, series: Pick<SeriesFeature, 'onStored'>) {
    this.#ctx = ctx
    this.#lastMs = ctx.clock.now().getTime()
    this.#loop = new Loop({
      log: ctx.log,
      failure: 'positions could not be sent to maps; these read them again soon',
      retryMs: restMs,
      round: () => this.#round(),
    })
    series.onStored((values) => {
      if (values.some(({ axis, isCurrent }) => axis !== null && isCurrent))
        this.#lastMs = ctx.clock.now().getTime()
      if (!this.#isFollowed()) return
      this.note(values.flatMap(({ axis, isCurrent, twinId }) => (axis !== null && isCurrent ? twinId : [])))
    })
    // People move twins, too.
    for (const table of ['twins', 'twin_moves'] as const) {
      ctx.configChanges.on(table, (ids) => {
        this.#lastMs = ctx.clock.now().getTime()
        if (ids !== '*') this.note(ids)
      })
    }
    ctx.live.topic('moves', {
      table: 'twins',
      hears: (caller, { scopeId }) => listScopes(caller).includes(scopeId),
      authorise: async (caller, id) => {
        const scopeIds = listScopes(caller)
        if (!(id === null ? scopeIds.length > 0 : await seesTwin(ctx.db, scopeIds, id))) return false
        this.#opened.set(id ?? everything, ctx.clock.now().getTime())
        // While nobody followed, twins may have left the positions that were sent.
        this.#sent.clear()
        return true
      },
      // What moved is not kept, only when the last one did.
      changedSince: async (_id, sinceMs) => this.#lastMs >= sinceMs,
    })
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  #isFollowed(): boolean {
    return this.#ctx.live.hasFollowersOf('moves')
  }

  /** These twins may have moved. */
  note(twinIds: readonly number[]): void {
    if (twinIds.length === 0 || !this.#isFollowed()) return
    for (const id of twinIds) {
      if (this.#moved.size < twinsMax) this.#moved.add(id)
      else this.#isCut = true
    }
    if (this.#isIdle) this.#loop.wake()
  }

  async #round(): Promise<number> {
    this.#isIdle = this.#moved.size === 0
    if (this.#isIdle) return idleMs
    const [ids, isCut] = [[...this.#moved], this.#isCut]
    this.#moved = new Set()
    this.#isCut = false
    const roots = this.#roots()
    const timeMs = this.#ctx.clock.now().getTime()
    if (isCut) {
      for (const root of roots) {
        const topic = topicOf(root)
        this.#ctx.live.publishHere(topic, { kind: 'resync', topic, timeMs })
      }
    } else if (roots.length > 0) {
      const moved = (await readMoved(this.#ctx.db, ids, roots)).filter((twin) => this.#isNew(twin))
      for (const root of roots) this.#publish(root, moved, timeMs)
    }
    return restMs
  }

  #isNew({ twinId, latitude, longitude }: MovedTwin): boolean {
    const place = `${latitude} ${longitude}`
    if (this.#sent.get(twinId) === place) return false
    this.#sent.set(twinId, place)
    return true
  }

  /** The twins whose maps are open. */
  #roots(): number[] {
    const nowMs = this.#ctx.clock.now().getTime()
    for (const [root, openedMs] of this.#opened) {
      if (nowMs - openedMs > openMs && !this.#ctx.live.hasFollowersHere(topicOf(root)))
        this.#opened.delete(root)
    }
    return [...this.#opened.keys()].filter((root) => this.#ctx.live.hasFollowersHere(topicOf(root)))
  }

  /** One message per scope, to those who see its twins. */
  #publish(root: number, moved: readonly MovedTwin[], timeMs: number): void {
    const topic = topicOf(root)
    const shown = moved.filter(({ above }) => root === everything || above.includes(root))
    for (const [scopeId, group] of Map.groupBy(shown, (twin) => twin.scopeId)) {
      const moves = group.map(
        ({ twinId, latitude, longitude }): LiveMove => ({ twinId, latitude, longitude }),
      )
      const message = { kind: 'moves', topic, moves, timeMs } as const
      this.#ctx.live.publishHere(topic, message, { scopeId, category: 'listed' })
    }
  }
}
