import { type Gathered, Gathering, type GatheringLimits } from './gathering.ts'
import { withoutTimeLimit } from './timeLimit.ts'

/** Limits of a queue. Bytes are as given to `push`. */
export interface FairQueueLimits {
  /** items per batch, and the bytes after which it takes no more items */
  batchMax: number
  batchBytesMax: number
  /**
   * items per batch while a group with few items competes with one that has many: an item of the small
   * group waits for the batch before its own, and for its own
   */
  besideQuietMax: number
  /** how much may wait in one lane, in all lanes of a group, and in all groups */
  lane: Bound
  group: Bound
  all: Bound
  /**
   * how much a lane may hold even if its group is full, and a group even if the queue is: others have
   * filled it
   */
  reserved: Bound
  /** number of items from which it pays to prepare a batch while another is being stored */
  aheadMin: number
  /** how long a batch that is not full waits for more items */
  gathering: GatheringLimits
}

export interface Bound {
  items: number
  bytes: number
}

/** An item's place in the queue: the lanes of a group take turns, and so do the groups. */
export interface Place {
  group: number
  lane: number
  bytes: number
}

/** Thrown by `push` when the queue is full; sources should check `hasRoom` first and stop reading instead. */
export class QueueFull extends Error {
  constructor() {
    super('too many items are waiting to be stored')
    this.name = 'QueueFull'
  }
}

/** The two steps of a batch. `store` is called in the order of `prepare`, one batch at a time. */
export interface Steps<T, P, R> {
  /**
   * Everything that can be done while the previous batch is being stored.
   * @returns `late`: items that would delay the rest of the batch, each with the queue that takes it
   * instead; what else waits of their groups follows them, so that it does not overtake them
   */
  prepare(items: T[]): Promise<{ prepared: P; late?: ReadonlyMap<T, FairQueue<T, P, R>> }>
  /** @returns one result per item, in order */
  store(prepared: P, items: T[]): Promise<readonly R[]>
}

interface Waiting<T, R> {
  item: T
  bytes: number
  lane: Lane<T, R>
  stored(result: R): void
  failed(error: unknown): void
}

interface Used {
  items: number
  bytes: number
}

interface Lane<T, R> extends Used {
  key: number
  group: Group<T, R>
  /** items from `next` on are waiting */
  waiting: Waiting<T, R>[]
  next: number
  /** called when there is room again */
  admissions: (() => void)[]
}

interface Group<T, R> extends Used {
  key: number
  lanes: Map<number, Lane<T, R>>
  /** lanes with items, in the order of their turns */
  turn: Lane<T, R>[]
}

/**
 * Batches stay small for this many batches after a group with few items competed with one that had more
 * than a batch.
 */
const quietBatches = 100
/** Sources that saw room may push slightly later; their items are still accepted. */
const lateShare = 2

/**
 * Collects items into batches, round-robin over all waiting groups, so that a flood from one source delays
 * only that source. While one batch is stored, the next is prepared and the one after fills. `push`
 * resolves when the item is stored: acknowledged means stored.
 */
export class FairQueue<T, P, R> {
  readonly #limits: FairQueueLimits
  readonly #steps: Steps<T, P, R>
  readonly #groups = new Map<number, Group<T, R>>()
  #turn: Group<T, R>[] = []
  readonly #used: Used = { items: 0, bytes: 0 }
  /** lanes that a source is waiting to enter */
  readonly #wanted = new Set<Lane<T, R>>()
  /** number of upcoming batches to keep small because a group has few items */
  #smallBatches = 0
  #preparing = false
  /** groups of the batches that are being prepared, and of those that are ready or being stored */
  #preparingGroups: ReadonlySet<number> = new Set()
  readonly #storingGroups: ReadonlySet<number>[] = []
  #ready: { batch: Waiting<T, R>[]; prepared: P; tookMs: number } | undefined
  #storing = false
  #scheduled = false
  readonly #gathering: Gathering
  /** when the last item came */
  #newestAt = 0
  /** the next batch waits for more items until then */
  #waiting: NodeJS.Timeout | undefined
  #drained: (() => void)[] = []

  constructor(limits: FairQueueLimits, steps: Steps<T, P, R>) {
    this.#limits = limits
    this.#steps = steps
    this.#gathering = new Gathering(limits.gathering)
  }

  /** Items waiting, without those in progress. */
  get waiting(): number {
    return this.#used.items
  }

  get waitingBytes(): number {
    return this.#used.bytes
  }

  /** Whether an item of the group waits or is being prepared. */
  holdsUnprepared(group: number): boolean {
    return (this.#groups.get(group)?.items ?? 0) > 0 || this.#preparingGroups.has(group)
  }

  /** Whether an item of the group is anywhere in the queue, up to the end of its batch. */
  holds(group: number): boolean {
    return this.holdsUnprepared(group) || this.#storingGroups.some((groups) => groups.has(group))
  }

  /** Whether nothing of another group waits or is being prepared. */
  isOnlyFor(group: number): boolean {
    if ([...this.#preparingGroups].some((each) => each !== group)) return false
    return [...this.#groups.values()].every(({ key, items }) => key === group || items === 0)
  }

  /** Whether another item fits; when false, the source should stop reading. */
  hasRoom({ group, lane }: Pick<Place, 'group' | 'lane'>): boolean {
    const found = this.#groups.get(group)
    const own = found?.lanes.get(lane)
    return this.#boundOf(found, own) !== undefined
  }

  /** The limit that applies to a lane now; undefined when the lane, its group or the queue is full. */
  #boundOf(group: Used | undefined, lane: Used | undefined): Bound | undefined {
    const { all, group: ofGroup, lane: ofLane, reserved } = this.#limits
    const isOpen = fits(this.#used, all) && (group === undefined || fits(group, ofGroup))
    if (isOpen) return lane === undefined || fits(lane, ofLane) ? ofLane : undefined
    if (!fits(this.#used, times(all, lateShare))) return undefined
    if (!fits(this.#used, all) && group !== undefined && !fits(group, reserved)) return undefined
    if (group !== undefined && !fits(group, times(ofGroup, lateShare))) return undefined
    return lane === undefined || fits(lane, reserved) ? reserved : undefined
  }

  /** Resolves as soon as there is room. */
  async room(place: Pick<Place, 'group' | 'lane'>): Promise<void> {
    while (!this.hasRoom(place)) {
      const lane = this.#laneOf(place)
      this.#wanted.add(lane)
      await new Promise<void>((resolve) => lane.admissions.push(resolve))
    }
  }

  /**
   * @returns the result of `store` for this item
   * @throws QueueFull, or the error that `prepare` or `store` threw for the batch
   */
  push(place: Place, item: T): Promise<R> {
    return new Promise((stored, failed) => this.add(place, item, stored, failed))
  }

  /** Like `push`, with callbacks instead of a promise. Exactly one of them is called, asynchronously. */
  add(place: Place, item: T, stored: (result: R) => void, failed: (error: unknown) => void): void {
    const lane = this.#laneOf(place)
    if (
      !fits(this.#used, times(this.#limits.all, lateShare)) ||
      !fits(lane, times(this.#limits.lane, lateShare))
    ) {
      queueMicrotask(() => failed(new QueueFull()))
      this.#forget(lane)
      return
    }
    const { group } = lane
    if (lane.items === 0) {
      if (group.turn.length === 0) this.#turn.push(group)
      group.turn.push(lane)
    }
    lane.waiting.push({ item, bytes: place.bytes, lane, stored, failed })
    for (const used of [lane, group, this.#used]) {
      used.items++
      used.bytes += place.bytes
    }
    this.#newestAt = performance.now()
    this.#schedule()
  }

  /** Resolves when nothing is waiting or in progress. Failures have been passed to the callers of `push`. */
  async drain(): Promise<void> {
    while (!this.#isIdle()) await new Promise<void>((resolve) => this.#drained.push(resolve))
  }

  #isIdle(): boolean {
    return this.#used.items === 0 && !this.#preparing && this.#ready === undefined && !this.#storing
  }

  /**
   * Begins a batch when it is full or need not wait for more items; with everything pushed in the same turn of the
   * event loop.
   */
  #schedule(): void {
    if (this.#waiting !== undefined && this.#isFull) this.#stopWaiting()
    if (this.#scheduled || this.#waiting !== undefined || !this.#mayPrepare) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      // A batch serves many requests, so it must not run under the limit of the one that started it.
      withoutTimeLimit(() => this.#prepareOrWait())
    })
  }

  get #mayPrepare(): boolean {
    if (this.#preparing || this.#ready !== undefined || this.#used.items === 0) return false
    return !this.#storing || this.#used.items >= this.#limits.aheadMin
  }

  get #gathered(): Gathered {
    return { items: this.#used.items, groups: this.#turn.length, newestAt: this.#newestAt }
  }

  /** Whether waiting is of no use. */
  get #isFull(): boolean {
    return (
      this.#used.items >= Math.min(this.#batchMax, this.#limits.gathering.enough) ||
      this.#used.bytes >= this.#limits.batchBytesMax
    )
  }

  get #batchMax(): number {
    return this.#smallBatches > 0 ? this.#limits.besideQuietMax : this.#limits.batchMax
  }

  #prepareOrWait(): void {
    if (!this.#mayPrepare) return
    const waitMs = this.#isFull ? 0 : this.#gathering.waitMs(performance.now(), this.#gathered)
    if (waitMs === 0) {
      void this.#prepare()
      return
    }
    this.#waiting = setTimeout(() => {
      this.#waiting = undefined
      // What came while the event loop was busy is read first.
      this.#schedule()
    }, waitMs)
  }

  #stopWaiting(): void {
    clearTimeout(this.#waiting)
    this.#waiting = undefined
  }

  async #prepare(): Promise<void> {
    this.#preparing = true
    const begunAt = performance.now()
    this.#gathering.begin(begunAt)
    const batch = this.#take()
    this.#preparingGroups = new Set(batch.map(({ lane }) => lane.group.key))
    this.#admit()
    try {
      const { prepared, late } = await this.#steps.prepare(batch.map(({ item }) => item))
      const rest = late === undefined ? batch : this.#withoutLate(batch, late)
      this.#ready = { batch: rest, prepared, tookMs: performance.now() - begunAt }
      this.#storingGroups.push(this.#preparingGroups)
    } catch (error) {
      for (const { failed } of batch) failed(error)
    }
    this.#preparingGroups = new Set()
    this.#preparing = false
    if (!this.#storing) void this.#store()
  }

  #withoutLate(batch: readonly Waiting<T, R>[], late: ReadonlyMap<T, FairQueue<T, P, R>>): Waiting<T, R>[] {
    const groups = new Map<number, FairQueue<T, P, R>>()
    const rest = batch.filter((waiting) => {
      const other = late.get(waiting.item)
      if (other === undefined) return true
      groups.set(waiting.lane.group.key, other)
      other.#takeOver(waiting)
      return false
    })
    for (const [group, other] of groups) this.#moveWaiting(group, other)
    this.#admit()
    return rest
  }

  #takeOver({ item, bytes, lane, stored, failed }: Waiting<T, R>): void {
    this.add({ group: lane.group.key, lane: lane.key, bytes }, item, stored, failed)
  }

  #moveWaiting(key: number, other: FairQueue<T, P, R>): void {
    const group = this.#groups.get(key)
    if (group === undefined) return
    this.#turn = this.#turn.filter((each) => each !== group)
    group.turn = []
    for (const lane of group.lanes.values()) {
      const moved = lane.waiting.slice(lane.next)
      lane.waiting = []
      lane.next = 0
      for (const waiting of moved) {
        for (const used of [lane, group, this.#used]) {
          used.items--
          used.bytes -= waiting.bytes
        }
        other.#takeOver(waiting)
      }
      this.#forget(lane)
    }
  }

  async #store(): Promise<void> {
    this.#storing = true
    while (this.#ready !== undefined) {
      const { batch, prepared, tookMs } = this.#ready
      this.#ready = undefined
      this.#schedule()
      const begunAt = performance.now()
      try {
        const results = await this.#steps.store(
          prepared,
          batch.map(({ item }) => item),
        )
        if (results.length !== batch.length)
          throw new Error(`${results.length} results for ${batch.length} items`)
        for (const [index, { stored }] of batch.entries()) stored(results[index] as R)
      } catch (error) {
        for (const { failed } of batch) failed(error)
      }
      this.#gathering.took(tookMs + performance.now() - begunAt)
      this.#storingGroups.shift()
    }
    this.#storing = false
    if (this.#used.items > 0) this.#schedule()
    if (!this.#isIdle()) return
    this.#admitWhenIdle()
    const waiters = this.#drained
    this.#drained = []
    for (const waiter of waiters) waiter()
  }

  /** The next batch: round-robin over the groups, and over the lanes within each group. */
  #take(): Waiting<T, R>[] {
    const { batchBytesMax, besideQuietMax } = this.#limits
    const batch: Waiting<T, R>[] = []
    let bytes = 0
    this.#smallBatches = Math.max(0, this.#smallBatches - 1)
    let batchMax = this.#batchMax
    while (batch.length < batchMax && bytes < batchBytesMax) {
      const group = this.#turn.shift()
      const lane = group?.turn.shift()
      if (group === undefined || lane === undefined) break
      const alone = this.#turn.length === 0 && group.turn.length === 0
      // A single lane has nothing to take turns with.
      do {
        const waiting = lane.waiting[lane.next++] as Waiting<T, R>
        batch.push(waiting)
        bytes += waiting.bytes
        for (const used of [lane, group, this.#used]) {
          used.items--
          used.bytes -= waiting.bytes
        }
      } while (alone && lane.items > 0 && batch.length < batchMax && bytes < batchBytesMax)
      if (lane.items > 0) group.turn.push(lane)
      compact(lane)
      if (group.turn.length > 0) this.#turn.push(group)
      else if (this.#turn.length > 0) {
        this.#smallBatches = quietBatches
        batchMax = besideQuietMax
      }
      if (lane.items === 0) this.#forget(lane)
    }
    return batch
  }

  /** Admits as many waiting sources as there is room for. */
  #admit(): void {
    for (const lane of [...this.#wanted]) {
      const bound = this.#boundOf(lane.group, lane)
      if (bound === undefined) continue
      for (const admit of lane.admissions.splice(0, bound.items - lane.items)) admit()
      if (lane.admissions.length === 0) this.#wanted.delete(lane)
      this.#forget(lane)
    }
  }

  /** Admits the next sources when those admitted push nothing; otherwise no batch would ever admit them. */
  #admitWhenIdle(): void {
    if (this.#wanted.size === 0) return
    setImmediate(() => {
      if (!this.#isIdle()) return
      this.#admit()
      this.#admitWhenIdle()
    })
  }

  #laneOf({ group: groupKey, lane: laneKey }: Pick<Place, 'group' | 'lane'>): Lane<T, R> {
    let group = this.#groups.get(groupKey)
    if (group === undefined) {
      group = { key: groupKey, lanes: new Map(), turn: [], items: 0, bytes: 0 }
      this.#groups.set(groupKey, group)
    }
    let lane = group.lanes.get(laneKey)
    if (lane === undefined) {
      lane = { key: laneKey, group, waiting: [], next: 0, admissions: [], items: 0, bytes: 0 }
      group.lanes.set(laneKey, lane)
    }
    return lane
  }

  /**
   * Drops lanes that are empty and not waited for; otherwise the lanes of deleted connectors would stay
   * forever.
   */
  #forget(lane: Lane<T, R>): void {
    if (lane.items > 0 || lane.admissions.length > 0) return
    lane.group.lanes.delete(lane.key)
    if (lane.group.lanes.size === 0) this.#groups.delete(lane.group.key)
  }
}

function fits(used: Used, bound: Bound): boolean {
  return used.items < bound.items && used.bytes < bound.bytes
}

function times({ items, bytes }: Bound, factor: number): Bound {
  return { items: items * factor, bytes: bytes * factor }
}

/** Frees the memory of items already taken; not each time, because it moves the rest. */
function compact<T, R>(lane: Lane<T, R>): void {
  if (lane.next === lane.waiting.length) lane.waiting = []
  else if (lane.next < 256) return
  else lane.waiting = lane.waiting.slice(lane.next)
  lane.next = 0
}
