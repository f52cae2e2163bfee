import type { LiveTopic } from '@leitstand/contract/live'
import type { Context } from '../../platform/context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type SeriesFeature, type StoredValue, toLive, visibleScopes } from '../series/index.ts'
import { readPlace, readWidgets } from './store/boards.ts'
import { readChanged, readWatched, type WatchedState } from './store/data.ts'
import { referencesOf, widgetFor } from './widgets/index.ts'

/** Maximum states followed for one open dashboard; larger tables are not updated live beyond this. */
const watchedMax = 5_000
/** Minimum time between reloads of a dashboard whose twins keep changing (e.g. positions). */
const refreshMs = 5_000
/**
 * Time until a dashboard without readers is dropped; longer than the time between opening and following it.
 */
const idleMs = 60_000

interface Watch {
  states: ReadonlyMap<number, WatchedState>
  readAt: number
  stale: boolean
  reading: boolean
}

/**
 * Forwards stored values to users who have a dashboard open that shows them. The states of a dashboard are
 * read when it is opened, and again after a change of its widgets, twins or states. Every reader only gets
 * values of scopes it may see.
 */
export class BoardFeed {
  readonly #ctx: Context
  readonly #watches = new Map<number, Watch>()

  constructor(ctx: Context, series: SeriesFeature) {
    this.#ctx = ctx
    series.onStored((values) => this.#forward(values))
    ctx.configChanges.on('states', () => this.#markStale())
    ctx.configChanges.on('twins', () => this.#markStale())
    ctx.configChanges.on('dashboards', (ids) => this.#markChanged(ids))
    ctx.configChanges.on('widgets', (ids) => this.#markChanged(ids))
  }

  /** Starts following the states of a dashboard. */
  async open(id: number): Promise<void> {
    const states = await this.#readStates(id)
    const readAt = this.#ctx.clock.now().getTime()
    this.#watches.set(id, { states, readAt, stale: false, reading: false })
    this.#forgetIdle(readAt)
  }

  /** Current values of a dashboard's states with a time after this one that the caller may see. */
  async since(caller: Caller, id: number, since: Date) {
    const states = this.#watches.get(id)?.states ?? new Map<number, WatchedState>()
    const scopes = visibleScopes(caller)
    const visible = [...states.values()].filter(({ category, scopeId }) => scopes[category].includes(scopeId))
    return readChanged(
      this.#ctx.db,
      visible.map((state) => state.id),
      since,
    )
  }

  #forward(values: readonly StoredValue[]): void {
    for (const [id, watch] of this.#watches) {
      const topic: LiveTopic = `dashboard:${id}`
      if (!this.#ctx.live.hasFollowersHere(topic)) continue
      if (watch.stale) void this.#refresh(id, watch)
      this.#publish(topic, watch, values)
    }
  }

  /** One message per scope and category, sent to readers who may see it. */
  #publish(topic: LiveTopic, { states }: Watch, values: readonly StoredValue[]): void {
    const shown = values.filter(({ stateId, isCurrent }) => isCurrent && states.has(stateId))
    const groups = Map.groupBy(shown, ({ stateId }) => {
      const { category, scopeId } = states.get(stateId) as WatchedState
      return `${category} ${scopeId}`
    })
    for (const group of groups.values()) {
      const { category, scopeId } = states.get((group[0] as StoredValue).stateId) as WatchedState
      const message = { kind: 'values', topic, values: group.map(toLive) } as const
      // Values come to every node with readers, so each tells its own.
      this.#ctx.live.publishHere(topic, message, { scopeId, category })
    }
  }

  #forgetIdle(now: number): void {
    for (const [id, { readAt }] of this.#watches) {
      if (now - readAt > idleMs && !this.#ctx.live.hasFollowersHere(`dashboard:${id}`))
        this.#watches.delete(id)
    }
  }

  #markStale(): void {
    for (const watch of this.#watches.values()) watch.stale = true
  }

  /** These dashboards were edited. This is rare, so they are reloaded with the next value. */
  #markChanged(ids: readonly number[] | '*'): void {
    for (const [id, watch] of this.#watches) {
      if (ids === '*' || ids.includes(id)) Object.assign(watch, { stale: true, readAt: 0 })
    }
  }

  async #refresh(id: number, watch: Watch): Promise<void> {
    const now = this.#ctx.clock.now().getTime()
    if (watch.reading || now - watch.readAt < refreshMs) return
    watch.reading = true
    watch.stale = false
    watch.readAt = now
    try {
      watch.states = await this.#readStates(id)
    } catch (error) {
      watch.stale = true
      this.#ctx.log.warn({ err: error, dashboardId: id }, 'what a dashboard shows could not be read again')
    } finally {
      watch.reading = false
    }
  }

  async #readStates(id: number): Promise<Map<number, WatchedState>> {
    const place = await readPlace(this.#ctx.db, id)
    if (place === undefined) return new Map()
    const widgets = await readWidgets(this.#ctx.db, id)
    const stateIds = widgets.flatMap(({ definition }) => referencesOf(definition).stateIds)
    const selections = widgets.flatMap(({ definition }) => widgetFor(definition).follows(definition, place))
    const states = await readWatched(this.#ctx.db, stateIds, selections, watchedMax)
    return new Map(states.map((state) => [state.id, state]))
  }
}
