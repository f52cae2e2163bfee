import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { manyLimits } from '@leitstand/contract/rules'
import { isProximity } from '@leitstand/contract/rules/triggers/geofence'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import type { EventOf, NewEvent } from '../../../platform/events/index.ts'
import { metresToEdge, type Place, type Shape, shapeOf } from '../../../platform/geo/distance.ts'
import { metresBetween } from '../../../platform/geo/metres.ts'
import { ruleWoken, twinMoved } from '../../../topics/index.ts'
import type { TwinsFeature } from '../../twins/index.ts'
import {
  type Acquaintance,
  deletePairs,
  type Fence,
  forgetTwins,
  lockFences,
  type Memberships,
  type Pair,
  type PairState,
  type PlacedTwin,
  readAcquaintances,
  readFences,
  readMemberships,
  readPairs,
  readPlaces,
  readPlacesBelow,
  readPlacesOfMembers,
  readPolygons,
  readTouched,
  saveAcquaintances,
  saveMemberships,
  savePairs,
} from '../store/fences.ts'
import { readTwinsAbove } from '../store/triggers.ts'
import { twinsOf } from '../triggers/geofence/index.ts'
import { type FenceState, judgePosition, restsInside } from '../triggers/geofence/judge.ts'
import { FenceIndex } from './fenceIndex.ts'

/** Maximum twins below a rule's twin whose distance to a moving twin is followed. */
const subjectsMax = 10_000
/** How long positions are judged before others get their turn. */
const pieceMs = 10
/** Polygons read at a time. */
const polygonsMax = 500

type Moved = EventOf<typeof twinMoved>

/** Wakes rules whose twins cross geofences: judges every new position, in the transaction that remembers the answers. */
export function watchFences(
  ctx: Pick<Context, 'db' | 'log' | 'events' | 'configChanges'>,
  twins: Pick<TwinsFeature, 'followMoves'>,
): void {
  const fences = new KnownFences(ctx)
  twins.followMoves(() => fences.mayWatch)
  ctx.events.consume({
    name: 'rules.fences',
    topics: [twinMoved],
    partition: ({ accountId }) => accountId ?? 0,
    handleOnce: async (events, tx) => {
      const index = await fences.read(tx)
      if (!index.isEmpty) await new Judgement(ctx, tx, index).judge(events)
      return undefined
    },
  })
}

/** The event that wakes the rule of a fence. @param twins which one moved or stayed, and where */
export function fenceEvent(
  { ruleId, accountId, isForMany, trigger: { mode, area } }: Omit<Fence, 'id'>,
  { twinId, targetId }: Pick<Pair, 'twinId' | 'targetId'>,
): NewEvent {
  const only = area.kind === 'zones' && area.zoneIds.length === 1 ? area.zoneIds[0] : null
  const cause = { kind: 'geofence', mode, twinId, targetId: targetId ?? only ?? null } as const
  return ruleWoken.event(accountId, { ruleId, ...(isForMany ? { twinId } : {}), cause, depth: 0 })
}

/** The index of all fences, which follows changes of rules and polygons. */
class KnownFences {
  readonly #log: Context['log']
  #index = new FenceIndex()
  /** null: nothing is read yet, or changes may have been missed */
  #staleRules: Set<number> | null = null
  #staleZones = new Set<number>()
  #reading: Promise<unknown> = Promise.resolve()
  #isReading = false

  constructor({ log, configChanges }: Pick<Context, 'log' | 'configChanges'>) {
    this.#log = log
    configChanges.on('rules', (ids) => {
      if (ids === '*') this.#staleRules = null
      else for (const id of ids) this.#staleRules?.add(id)
    })
    configChanges.on('twin_areas', (ids) => {
      if (ids === '*') this.#staleRules = null
      else for (const id of ids) this.#staleZones.add(id)
    })
  }

  /** Whether a move may matter; true while this is unknown. */
  get mayWatch(): boolean {
    return this.#isReading || this.#staleRules === null || this.#staleRules.size > 0 || !this.#index.isEmpty
  }

  /** The index as it is now; calls take turns. */
  async read(db: Executor): Promise<FenceIndex> {
    const reading = this.#reading.then(() => this.#refresh(db))
    this.#reading = reading.catch(() => undefined)
    await reading
    return this.#index
  }

  async #refresh(db: Executor): Promise<void> {
    const rules = this.#staleRules
    const zones = this.#staleZones
    if (rules !== null && rules.size === 0 && zones.size === 0) return
    this.#isReading = true
    // Changes from here on are read the next time.
    this.#staleRules = new Set()
    this.#staleZones = new Set()
    try {
      if (rules === null) await this.#readAll(db)
      else await this.#readChanged(db, [...rules], [...zones])
    } catch (error) {
      this.#staleRules = null
      throw error
    } finally {
      this.#isReading = false
    }
  }

  async #readAll(db: Executor): Promise<void> {
    const index = new FenceIndex()
    await this.#fill(db, index, await readFences(db), [])
    this.#index = index
  }

  async #readChanged(db: Executor, rules: readonly number[], zones: readonly number[]): Promise<void> {
    const found = rules.length === 0 ? { fences: [], unreadable: [] } : await readFences(db, rules)
    await this.#fill(db, this.#index, found, zones, rules)
  }

  async #fill(
    db: Executor,
    index: FenceIndex,
    { fences, unreadable }: Awaited<ReturnType<typeof readFences>>,
    zones: readonly number[],
    rules: readonly number[] = [],
  ): Promise<void> {
    if (unreadable.length > 0) {
      this.#log.error(
        { ruleIds: [...new Set(unreadable)] },
        'geofences of rules cannot be read and do not work',
      )
    }
    const wanted = new Set(zones)
    for (const { trigger } of fences)
      if (trigger.area.kind === 'zones') for (const id of trigger.area.zoneIds) wanted.add(id)
    const ids = [...wanted]
    const shapes = new Map<number, Shape>()
    for (let from = 0; from < ids.length; from += polygonsMax) {
      const polygons = await readPolygons(db, ids.slice(from, from + polygonsMax))
      for (const [id, polygon] of polygons) shapes.set(id, shapeOf(polygon))
    }
    // All at once: positions are judged while this waits.
    const byRule = Map.groupBy(fences, ({ ruleId }) => ruleId)
    for (const ruleId of new Set([...rules, ...byRule.keys()]))
      index.setRule(ruleId, byRule.get(ruleId) ?? [])
    for (const id of ids) index.setZone(id, shapes.get(id) ?? null)
  }
}

/** A twin that moves, with the fences it may cross. */
interface Subject {
  twinId: number
  /** twins */
  above: readonly number[]
  /** by id */
  fences: ReadonlyMap<number, Fence>
  /** those around other twins */
  meeting: readonly Fence[]
  /** those whose zones count together */
  unions: readonly Fence[]
  /** rules for many that it is a twin of, with the last of their fences it was compared with */
  members: Map<number, number | null>
  /** what it was compared with is noted */
  isAcquainted: boolean
}

function subjectOf(
  twinId: number,
  above: readonly number[],
  members: Map<number, number | null>,
  fences: readonly Fence[],
): Subject {
  return {
    twinId,
    above,
    fences: new Map(fences.map((fence) => [fence.id, fence])),
    meeting: fences.filter(({ trigger }) => trigger.area.kind === 'twin'),
    unions: fences.filter(({ trigger }) => isUnion(trigger)),
    members,
    isAcquainted: false,
  }
}

/** Positions of one account are judged in their order, in one transaction. */
class Judgement {
  readonly #ctx: Pick<Context, 'events'>
  readonly #tx: Executor
  readonly #index: FenceIndex
  readonly #wakes: NewEvent[] = []
  /** by pair; undefined: nothing is stored */
  readonly #states = new Map<string, PairState>()
  readonly #stored = new Map<string, PairState>()
  /** stored pairs by twin */
  readonly #pairsOf = new Map<number, Set<string>>()
  readonly #acquaintances = new Map<number, Acquaintance>()
  readonly #newAcquaintances = new Map<number, Acquaintance>()
  readonly #newMemberships: Memberships = new Map()
  readonly #places = new Map<number, Place>()
  readonly #lost = new Set<number>()

  constructor(ctx: Pick<Context, 'events'>, tx: Executor, index: FenceIndex) {
    this.#ctx = ctx
    this.#tx = tx
    this.#index = index
  }

  async judge(events: readonly Moved[]): Promise<void> {
    const index = this.#index
    const ids = [...new Set(events.map(({ payload }) => payload.twinId))]
    const above = await readTwinsAbove(this.#tx, ids)
    const members = await readMemberships(this.#tx, ids, index.manyRules)
    const crossing = new Map(
      ids.map((id) => [id, index.around(id, above.get(id) ?? [], members.get(id)?.keys() ?? [])]),
    )
    const concerned = ids.filter((id) => crossing.get(id)?.length || index.targeting(id).length > 0)
    if (concerned.length === 0) return
    const fences = new Map(
      concerned.flatMap((id) =>
        [...(crossing.get(id) ?? []), ...index.targeting(id)].map((fence) => [fence.id, fence] as const),
      ),
    )
    const targeting = concerned.flatMap((id) => index.targeting(id))
    const gone = await this.#lock(events, { crossing, members, targeting })
    const subjectsOf = await this.#readOthers([...fences.values()], concerned)
    for (const pair of await readPairs(this.#tx, concerned)) {
      this.#stored.set(keyOf(pair), pair)
      this.#set(pair)
    }
    for (const [id, known] of await readAcquaintances(this.#tx, concerned)) this.#acquaintances.set(id, known)
    const subjects = new Map(
      concerned.map((id) => {
        const rules = members.get(id) ?? new Map<number, number | null>()
        const mine = (crossing.get(id) ?? []).filter(
          (fence) => !gone.has(fence.id) && (!fence.isForMany || rules.has(fence.ruleId)),
        )
        return [id, subjectOf(id, above.get(id) ?? [], rules, mine)]
      }),
    )
    let began = performance.now()
    for (const { payload, at } of events) {
      if (performance.now() - began > pieceMs) {
        await nextTurn()
        began = performance.now()
      }
      const { twinId, latitude, longitude, before, timeMs } = payload
      const subject = subjects.get(twinId)
      if (subject === undefined) continue
      if (latitude === null || longitude === null) {
        this.#forget(subject)
        continue
      }
      const place = { latitude, longitude }
      this.#places.set(twinId, place)
      this.#lost.delete(twinId)
      // A device whose clock is ahead cannot have been there yet.
      const atMs = Math.min(timeMs ?? at.getTime(), at.getTime())
      if (before) this.#begin(subject, before, atMs)
      this.#cross(subject, place, atMs)
      for (const fence of index.targeting(twinId))
        if (!gone.has(fence.id)) this.#approach(fence, subjectsOf.get(fence.id) ?? [], place, atMs)
    }
    await this.#save()
  }

  /**
   * Locks the fences, twins and rules for many of which something may be stored, which are few of those concerned.
   * @param parts.crossing the fences that each moved twin may cross
   * @param parts.members brought up to date where rules are locked
   * @param parts.targeting fences around a moved twin
   * @returns ids of fences that do not exist any more
   */
  async #lock(
    events: readonly Moved[],
    parts: {
      crossing: ReadonlyMap<number, readonly Fence[]>
      members: Memberships
      targeting: readonly Fence[]
    },
  ): Promise<Set<number>> {
    const { crossing, members, targeting } = parts
    const touched = new Map(targeting.map((fence) => [fence.id, fence]))
    const twinIds = new Set(targeting.flatMap(({ trigger: { area } }) => twinsOf(area)))
    const touch = (twinId: number, fence: Fence) => {
      touched.set(fence.id, fence)
      twinIds.add(twinId)
    }
    const byId = new Map(
      [...crossing].map(([id, fences]) => [id, new Map(fences.map((each) => [each.id, each]))]),
    )
    for (const [twinId, fences] of crossing)
      for (const fence of fences)
        if (fence.trigger.area.kind === 'twin' || isUnion(fence.trigger)) touch(twinId, fence)
    for (const { fenceId, twinId } of await readTouched(this.#tx, [...crossing.keys()])) {
      const fence = byId.get(twinId)?.get(fenceId)
      if (fence !== undefined) touch(twinId, fence)
    }
    for (const { payload } of events) {
      const mine = byId.get(payload.twinId)
      if (mine === undefined || mine.size === 0) continue
      for (const fence of this.#nearby(payload)) if (mine.has(fence.id)) touch(payload.twinId, fence)
    }
    const ruleIds = [...new Set(rulesToLock(events, { crossing, members, touched: touched.values() }))]
    const existing = await lockFences(this.#tx, {
      twinIds: [...twinIds],
      ruleIds,
      fences: [...touched.values()],
    })
    await this.#readAgain(members, ruleIds)
    return new Set([...touched.keys()].filter((id) => !existing.has(id)))
  }

  /** Fences of zones and circles near where a move began or ended. */
  *#nearby({ latitude, longitude, before }: Moved['payload']): Iterable<Fence> {
    if (latitude === null || longitude === null) return
    const places = [{ latitude, longitude }, ...(before ? [before] : [])]
    for (const place of places) for (const area of this.#index.near(place)) yield* area.fences
  }

  /** Brings the twins of locked rules up to date. */
  async #readAgain(members: Memberships, ruleIds: readonly number[]): Promise<void> {
    const now = await readMemberships(this.#tx, [...members.keys()], ruleIds)
    for (const [twinId, rules] of members) {
      for (const ruleId of ruleIds) rules.delete(ruleId)
      for (const [ruleId, fenceId] of now.get(twinId) ?? []) rules.set(ruleId, fenceId)
    }
  }

  /**
   * Reads the positions of twins that are compared with the moved ones.
   * @returns by fence around one of these: the twins that may cross it
   */
  async #readOthers(fences: readonly Fence[], moved: readonly number[]): Promise<Map<number, number[]>> {
    const isMoved = new Set(moved)
    const subjectsOf = new Map<number, number[]>()
    const single = new Set<number>()
    const below = new Map<number, number[]>()
    const many = new Map<number, number[]>()
    for (const { id, ruleId, twinId, isForMany, trigger } of fences) {
      const { area } = trigger
      if (area.kind !== 'twin') continue
      single.add(area.twinId)
      if (!isMoved.has(area.twinId)) continue
      if (isForMany) many.set(ruleId, [...(many.get(ruleId) ?? []), id])
      else if (trigger.below) below.set(twinId, [...(below.get(twinId) ?? []), id])
      else {
        single.add(twinId)
        subjectsOf.set(id, [twinId])
      }
    }
    for (const { id, ...place } of await readPlaces(this.#tx, [...single])) this.#places.set(id, place)
    const note = (places: readonly PlacedTwin[], fenceIds: readonly number[]) => {
      for (const { id, ...place } of places) this.#places.set(id, place)
      const subjects = places.map(({ id }) => id)
      for (const fenceId of fenceIds) subjectsOf.set(fenceId, subjects)
    }
    for (const [twinId, fenceIds] of below)
      note(await readPlacesBelow(this.#tx, twinId, subjectsMax), fenceIds)
    for (const [ruleId, fenceIds] of many)
      note(await readPlacesOfMembers(this.#tx, ruleId, manyLimits.movingMax), fenceIds)
    return subjectsOf
  }

  /**
   * Fences that a twin was not compared with before begin with where it was: it may cross with its next step. A rule for many
   * begins with the first position of each of its twins instead, which come and go.
   */
  #begin(subject: Subject, place: Place, atMs: number): void {
    if (subject.isAcquainted) return
    const { twinId, above, members, fences } = subject
    const strange = [...fences.values()].filter(
      (fence) => fence.trigger.area.kind !== 'twin' && !fence.isForMany && !this.#isKnown(subject, fence),
    )
    if (strange.length === 0) return
    this.#compare(subjectOf(twinId, above, members, strange), place, atMs)
    this.#acquaint(subject)
  }

  /** A twin has moved: compares it with everything it may cross. */
  #cross(subject: Subject, place: Place, atMs: number): void {
    const judged = this.#compare(subject, place, atMs)
    for (const fence of subject.meeting) this.#meet(fence, subject.twinId, place, atMs)
    this.#leaveFar(subject, judged, atMs)
    this.#acquaint(subject)
  }

  /** Compares a position with the zones. @returns keys of the pairs that were judged */
  #compare(subject: Subject, place: Place, atMs: number): Set<string> {
    const { twinId, fences, unions } = subject
    const judged = new Set<string>()
    for (const area of this.#index.near(place)) {
      const touched = area.fences.filter(({ id, trigger }) => fences.has(id) && !isUnion(trigger))
      if (area.shape === null || touched.length === 0) continue
      const metres = metresToEdge(place, area.shape)
      for (const fence of touched) {
        const pair = { fenceId: fence.id, twinId, targetId: area.zoneId }
        judged.add(keyOf(pair))
        this.#judge(fence, pair, metres, atMs, this.#isKnown(subject, fence))
      }
    }
    for (const fence of unions) this.#leaveAll(fence, subject, place, atMs)
    return judged
  }

  /** What a twin was in, and is now far away from. */
  #leaveFar({ twinId, fences }: Subject, judged: ReadonlySet<string>, atMs: number): void {
    for (const key of this.#pairsOf.get(twinId) ?? []) {
      const state = this.#states.get(key)
      if (state === undefined || judged.has(key)) continue
      const fence = fences.get(state.fenceId)
      // The twin is no longer one of the rule, or below the rule's.
      if (fence === undefined) this.#states.delete(key)
      else if (fence.trigger.area.kind !== 'twin' && !isUnion(fence.trigger)) {
        const { targetId } = state
        const area = this.#index.areasOf(fence).find(({ zoneId }) => zoneId === targetId)
        // A zone that lost its polygon is neither entered nor left.
        if (area === undefined || area.shape === null) this.#states.delete(key)
        else this.#judge(fence, state, Number.POSITIVE_INFINITY, atMs, true)
      }
    }
  }

  /** Whether a twin was compared with a fence before. */
  #isKnown({ twinId, members }: Subject, fence: Fence): boolean {
    if (fence.isForMany) return fence.id <= (members.get(fence.ruleId) ?? 0)
    const known = this.#acquaintances.get(twinId)
    if (known === undefined || fence.id > known.fenceId) return false
    return fence.twinId === twinId || known.above.includes(fence.twinId)
  }

  #acquaint(subject: Subject): void {
    const { twinId, fences, above, isAcquainted } = subject
    if (isAcquainted) return
    subject.isAcquainted = true
    const strange = [...fences.values()].filter(
      (fence) => fence.trigger.area.kind !== 'twin' && !this.#isKnown(subject, fence),
    )
    for (const { ruleId, id, isForMany } of strange)
      if (isForMany) this.#noteMember(subject, ruleId, Math.max(id, subject.members.get(ruleId) ?? 0))
    if (strange.every(({ isForMany }) => isForMany)) return
    const acquaintance = { fenceId: Math.max(...fences.keys()), above: [...above] }
    this.#acquaintances.set(twinId, acquaintance)
    this.#newAcquaintances.set(twinId, acquaintance)
  }

  #noteMember({ twinId, members }: Subject, ruleId: number, fenceId: number | null): void {
    members.set(ruleId, fenceId)
    const noted = this.#newMemberships.get(twinId)
    if (noted === undefined) this.#newMemberships.set(twinId, new Map([[ruleId, fenceId]]))
    else noted.set(ruleId, fenceId)
  }

  /** All zones together: outside is who is in none of them. */
  #leaveAll(fence: Fence, subject: Subject, place: Place, atMs: number): void {
    const pair = { fenceId: fence.id, twinId: subject.twinId, targetId: null }
    const shapes = this.#index.areasOf(fence).flatMap(({ shape }) => (shape === null ? [] : [shape]))
    if (shapes.length === 0) {
      this.#states.delete(keyOf(pair))
      return
    }
    const metres = shapes.map((shape) => metresToEdge(place, shape))
    this.#judge(fence, pair, Math.min(...metres), atMs, this.#isKnown(subject, fence))
  }

  /** Compares a twin that has moved with the twin a fence is around. */
  #meet(fence: Fence, twinId: number, place: Place, atMs: number): void {
    const { area } = fence.trigger
    if (area.kind !== 'twin' || area.twinId === twinId) return
    const target = this.#places.get(area.twinId)
    if (target === undefined) return
    const pair = { fenceId: fence.id, twinId, targetId: area.twinId }
    const radius = isProximity(fence.trigger.mode) ? 0 : area.radius
    this.#judge(fence, pair, metresBetween(place, target) - radius, atMs, false)
  }

  /** The twin a fence is around has moved: compares all that may cross the fence with it. */
  #approach(fence: Fence, subjects: readonly number[], target: Place, atMs: number): void {
    const { area } = fence.trigger
    if (area.kind !== 'twin') return
    for (const twinId of subjects) {
      const place = this.#places.get(twinId)
      if (place !== undefined) this.#meet(fence, twinId, place, atMs)
    }
    this.#places.set(area.twinId, target)
  }

  /** @param isKnown the twin was compared with the fence before, so nothing stored has a meaning */
  #judge(fence: Fence, pair: Pair, metres: number, atMs: number, isKnown: boolean): void {
    const { trigger } = fence
    const key = keyOf(pair)
    const stored = this.#states.get(key)
    const resting: FenceState = { isInside: restsInside(trigger.mode), sinceMs: 0, dueMs: null }
    const before = stored ?? (isKnown ? resting : null)
    const { state, wakes } = judgePosition(trigger, before, metres, atMs)
    if (wakes) this.#wakes.push(fenceEvent(fence, pair))
    // Twins that meet are remembered on both sides: either may stay where it is for long.
    const isResting = pair.targetId === null || trigger.area.kind === 'zones'
    if (isResting && state.isInside === resting.isInside) this.#states.delete(key)
    else if (state !== stored)
      this.#set({ fenceId: pair.fenceId, twinId: pair.twinId, targetId: pair.targetId, ...state })
  }

  #set(state: PairState): void {
    const key = keyOf(state)
    this.#states.set(key, state)
    const known = this.#pairsOf.get(state.twinId)
    if (known === undefined) this.#pairsOf.set(state.twinId, new Set([key]))
    else known.add(key)
  }

  /** The twin has no position any more: the next one is its first. */
  #forget(subject: Subject): void {
    const { twinId } = subject
    subject.isAcquainted = false
    this.#lost.add(twinId)
    this.#places.delete(twinId)
    this.#acquaintances.delete(twinId)
    this.#newAcquaintances.delete(twinId)
    for (const [ruleId, fenceId] of subject.members)
      if (fenceId !== null) this.#noteMember(subject, ruleId, null)
    for (const [key, pair] of this.#states)
      if (pair.twinId === twinId || pair.targetId === twinId) this.#states.delete(key)
  }

  async #save(): Promise<void> {
    await forgetTwins(this.#tx, [...this.#lost])
    const gone = [...this.#stored].filter(([key]) => !this.#states.has(key)).map(([, pair]) => pair)
    await deletePairs(this.#tx, gone)
    const changed = [...this.#states].filter(([key, state]) => this.#stored.get(key) !== state)
    await savePairs(
      this.#tx,
      changed.map(([, state]) => state),
    )
    await saveAcquaintances(this.#tx, this.#newAcquaintances)
    await saveMemberships(this.#tx, this.#newMemberships)
    await this.#ctx.events.appendAll(this.#tx, this.#wakes)
  }
}

/** The rules for many of which something may be stored: sides of their fences, or that twins were compared with these. */
function* rulesToLock(
  events: readonly Moved[],
  parts: {
    crossing: ReadonlyMap<number, readonly Fence[]>
    members: Memberships
    touched: Iterable<Fence>
  },
): Iterable<number> {
  const { crossing, members, touched } = parts
  for (const { ruleId, isForMany } of touched) if (isForMany) yield ruleId
  for (const [twinId, rules] of members)
    for (const { id, ruleId, isForMany, trigger } of crossing.get(twinId) ?? [])
      if (isForMany && trigger.area.kind !== 'twin' && id > (rules.get(ruleId) ?? 0)) yield ruleId
  for (const { payload } of events)
    if (payload.latitude === null)
      for (const [ruleId, fenceId] of members.get(payload.twinId) ?? []) if (fenceId !== null) yield ruleId
}

/** Whether the zones of a fence count together. */
function isUnion({ mode, area }: Fence['trigger']): boolean {
  return restsInside(mode) && area.kind !== 'twin'
}

function keyOf({ fenceId, twinId, targetId }: Pair): string {
  return `${fenceId} ${twinId} ${targetId}`
}
