import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { EventOf } from '../../platform/events/index.ts'
import { metresToEdge, type Shape, shapeOf } from '../../platform/geo/distance.ts'
import { objectChanged, objectDeleted, twinMoved } from '../../topics/index.ts'
import type { TwinsFeature } from '../twins/index.ts'
import {
  assetsAround,
  hasAssets,
  lockWhereabouts,
  readZones,
  type Stay,
  type Whereabouts,
  writeWhereabouts,
  type Zone,
  zonesAmong,
  zonesAround,
} from './stays.store.ts'
import { trackedBy } from './trackers.store.ts'

/** Positions scatter: an asset this close outside its zone is still in it, unless it is in another one. */
export const scatterMetres = 15
/** Zones around a place that are looked at, the smallest first. */
const zonesMax = 20
/** Assets that are looked at again when a zone has changed. */
const assetsMax = 10_000

type Moved = EventOf<typeof twinMoved>
type Ctx = Pick<Context, 'db' | 'log' | 'events' | 'configChanges' | 'clock'>

/** A position of an asset. */
interface Seen {
  twinId: number
  latitude: number
  longitude: number
  at: Date
}

/**
 * Follows where assets are: their trackers move them, and their positions decide in which zone they are. Both in the
 * transaction that notes the events as handled, so that no stay is lost or counted twice.
 */
export function followAssets(ctx: Ctx, twins: Pick<TwinsFeature, 'followMoves' | 'move'>): void {
  const presence = new Presence(ctx)
  twins.followMoves(() => presence.mayMatter)
  ctx.events.consume({
    name: 'assets.positions',
    topics: [twinMoved],
    partition: ({ accountId }) => accountId ?? 0,
    handleOnce: async (events, tx) => {
      // Assets are locked before twins, as by those who bind trackers.
      await judge(
        tx,
        events.flatMap((event) => seenOf(ctx, event)),
      )
      return followTrackers(ctx, twins, tx, events)
    },
  })
  ctx.events.consume({
    name: 'assets.zones',
    topics: [objectChanged, objectDeleted],
    partition: ({ accountId }) => accountId ?? 0,
    handleOnce: async (events, tx) => {
      const about = events.filter(
        ({ payload, accountId }) => payload.kind === 'DigitalTwin' && accountId !== null,
      )
      if (about.length === 0) return undefined
      const zoneIds = await zonesAmong(
        tx,
        about.map(({ payload }) => payload.id),
      )
      const isGone = about.some(({ topic }) => topic === objectDeleted.name)
      if (zoneIds.length === 0 && !isGone) return undefined
      const accountIds = [...new Set(about.flatMap(({ accountId }) => accountId ?? []))]
      const places = await assetsAround(tx, accountIds, zoneIds, assetsMax)
      const at = about.at(-1)?.at ?? ctx.clock.now()
      await judge(
        tx,
        places.map((place) => ({ ...place, at })),
        { isNews: false },
      )
      return undefined
    },
  })
}

/** Whether there are any assets, so that moves matter; true while this is unknown. */
class Presence {
  readonly #ctx: Ctx
  #isThere = true
  #isStale = true
  #isReading = false

  constructor(ctx: Ctx) {
    this.#ctx = ctx
    ctx.configChanges.on('assets', () => {
      this.#isStale = true
    })
  }

  get mayMatter(): boolean {
    if (this.#isStale && !this.#isReading) void this.#read()
    return this.#isThere || this.#isStale || this.#isReading
  }

  async #read(): Promise<void> {
    this.#isReading = true
    this.#isStale = false
    try {
      this.#isThere = await hasAssets(this.#ctx.db)
    } catch (error) {
      this.#isStale = true
      this.#ctx.log.warn(
        { err: error },
        'it is not known whether there are assets; moves are followed meanwhile',
      )
    } finally {
      this.#isReading = false
    }
  }
}

/** A device's clock may be ahead. */
function seenOf({ clock }: Pick<Context, 'clock'>, { payload, at }: Moved): Seen[] {
  const { twinId, latitude, longitude, timeMs } = payload
  if (latitude === null || longitude === null) return []
  const ms = Math.min(timeMs ?? at.getTime(), clock.now().getTime())
  return [{ twinId, latitude, longitude, at: new Date(ms) }]
}

/** Assets go where their trackers are. @returns to call after the commit */
async function followTrackers(
  ctx: Ctx,
  twins: Pick<TwinsFeature, 'move'>,
  tx: Executor,
  events: readonly Moved[],
): Promise<() => void> {
  const newest = new Map(events.flatMap((event) => seenOf(ctx, event)).map((seen) => [seen.twinId, seen]))
  if (newest.size === 0) return () => undefined
  const assets = await trackedBy(tx, [...newest.keys()])
  return twins.move(
    tx,
    [...assets].flatMap(([deviceId, twinId]) => {
      const seen = newest.get(deviceId)
      return seen === undefined ? [] : [{ ...seen, twinId, time: seen.at }]
    }),
  )
}

/**
 * Decides for each position, in their order, in which zone it is.
 * @param isNews whether they are new, or what is known is only compared with changed zones
 */
async function judge(tx: Executor, seen: readonly Seen[], { isNews } = { isNews: true }): Promise<void> {
  if (seen.length === 0) return
  const known = new Map(
    (await lockWhereabouts(tx, [...new Set(seen.map(({ twinId }) => twinId))])).map((each) => [
      each.twinId,
      each,
    ]),
  )
  const placed = seen.flatMap((each) => {
    const { accountId } = known.get(each.twinId) ?? {}
    return accountId === undefined ? [] : [{ ...each, accountId }]
  })
  if (placed.length === 0) return
  const found = Map.groupBy(await zonesAround(tx, placed, zonesMax), ({ at }) => at)
  const current = await readZones(tx, [...new Set([...known.values()].flatMap(({ zoneId }) => zoneId ?? []))])
  const shapes = new Shapes([...current, ...[...found.values()].flat()])
  const ended = new Map<number, Date>()
  const open = new Map<number, Stay>()
  const closed: Stay[] = []
  for (const [index, place] of placed.entries()) {
    const before = known.get(place.twinId) as Whereabouts
    // What is older than the newest position says nothing about where the asset is now.
    if (before.seenAt !== null && place.at < before.seenAt) continue
    const seenAt = isNews || before.seenAt === null ? place.at : before.seenAt
    const inside = (found.get(index) ?? []).find((zone) => shapes.metres(place, zone.id) <= 0)
    const zone = inside ?? shapes.stillIn(place, before.zoneId)
    const isSame = (zone?.id ?? null) === before.zoneId && before.since !== null && !before.isZoneGone
    if (isSame) {
      known.set(place.twinId, { ...before, seenAt })
      continue
    }
    const last = open.get(place.twinId)
    if (last === undefined) ended.set(place.twinId, place.at)
    else closed.push({ ...last, until: place.at })
    open.delete(place.twinId)
    if (zone) open.set(place.twinId, { twinId: place.twinId, zone, from: place.at, until: null })
    known.set(place.twinId, {
      ...before,
      zoneId: zone?.id ?? null,
      since: place.at,
      seenAt,
      isZoneGone: false,
    })
  }
  await writeWhereabouts(tx, { now: [...known.values()], ended, stays: [...closed, ...open.values()] })
}

/** Areas of zones, prepared once each. */
class Shapes {
  readonly #zones: ReadonlyMap<number, Zone>
  readonly #shapes = new Map<number, Shape>()

  constructor(zones: readonly Zone[]) {
    this.#zones = new Map(zones.map((zone) => [zone.id, zone]))
  }

  /** To the edge of a zone; below zero: inside. */
  metres(place: Seen, zoneId: number): number {
    const zone = this.#zones.get(zoneId)
    if (zone === undefined) return Number.POSITIVE_INFINITY
    const shape = this.#shapes.get(zoneId) ?? shapeOf(zone.polygon)
    this.#shapes.set(zoneId, shape)
    return metresToEdge(place, shape)
  }

  /** The zone an asset was in, if it is only just outside. */
  stillIn(place: Seen, zoneId: number | null): Zone | undefined {
    if (zoneId === null || this.metres(place, zoneId) > scatterMetres) return undefined
    return this.#zones.get(zoneId)
  }
}
