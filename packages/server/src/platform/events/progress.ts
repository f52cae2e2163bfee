import { type Cursor, isBefore } from './cursor.ts'

/** Position of an event until it is handled. */
export interface Place {
  readonly cursor: Cursor
  readonly accountId: number
  isDone: boolean
}

/** Progress through the outbox: the position read, and the events up to there that are not handled. */
class Track {
  read: Cursor
  /** in outbox order; handled events are only removed from the front */
  places: Place[] = []

  constructor(read: Cursor) {
    this.read = read
  }

  /** Everything up to here is handled. */
  get handled(): Cursor {
    const next = this.next
    return next === undefined ? this.read : before(next.cursor)
  }

  /** The first event that is not handled. */
  get next(): Place | undefined {
    const first = this.places.findIndex(({ isDone }) => !isDone)
    this.places.splice(0, first === -1 ? this.places.length : first)
    return this.places[0]
  }
}

/** The progress of one account that has fallen behind. */
class Lane extends Track {
  readonly accountId: number
  /** the main track skips the account, and the lane reads it */
  isBehind = true

  constructor(accountId: number, read: Cursor) {
    super(read)
    this.accountId = accountId
  }
}

/** The stored progress of a consumer. */
export interface Saved {
  main: Cursor
  lanes: { accountId: number; cursor: Cursor }[]
  /** accounts whose lanes were dropped since the last save */
  dropped: number[]
}

/**
 * The progress of a consumer. Events are handled out of order, so the cursor stays before the first unhandled
 * one. An account that would hold it back gets a lane, a cursor of its own, until it has caught up.
 */
export class Progress {
  readonly #main: Track
  readonly #lanes = new Map<number, Lane>()

  readonly #lanesUntil: Cursor

  /** @param lanesUntil lanes are kept until everything up to here is read, because a stored cursor is already there */
  constructor({ main, lanes }: Pick<Saved, 'main' | 'lanes'>, lanesUntil: Cursor = main) {
    this.#main = new Track(main)
    this.#lanesUntil = lanesUntil
    for (const { accountId, cursor } of lanes) this.#lanes.set(accountId, new Lane(accountId, cursor))
  }

  /** The position read. */
  get read(): Cursor {
    return this.#main.read
  }

  /** Whether everything read is handled, and no account has fallen behind. */
  get isWhole(): boolean {
    return this.#lanes.size === 0 && this.#main.next === undefined
  }

  /** Accounts that have a lane. */
  get laneAccounts(): number[] {
    return [...this.#lanes.keys()]
  }

  /** The event that blocks the cursor, if at least `max` have been read from it on. */
  held(max: number): Place | undefined {
    const { next } = this.#main
    return this.#main.places.length < max ? undefined : next
  }

  /** Accounts that the main track skips. */
  get behind(): number[] {
    return [...this.#lanes.values()].filter(({ isBehind }) => isBehind).map(({ accountId }) => accountId)
  }

  /** Records what was read on the main track. */
  advance(read: Cursor, places: readonly Place[]): void {
    this.#main.read = read
    this.#main.places.push(...places)
  }

  /** The position read in the lane of an account. */
  laneRead(accountId: number): Cursor {
    return this.#lanes.get(accountId)?.read ?? this.#main.read
  }

  /** Records what was read in a lane. @param read null: it has caught up with the main track */
  advanceLane(accountId: number, read: Cursor | null, places: readonly Place[]): void {
    const lane = this.#lanes.get(accountId)
    if (lane === undefined) return
    lane.places.push(...places)
    lane.read = read ?? latest(lane.read, this.#main.read)
    lane.isBehind = read !== null
  }

  /** Whether lanes can be dropped with the next save. */
  get hasOver(): boolean {
    return [...this.#lanes.values()].some((lane) => this.#isOver(lane))
  }

  #isOver({ isBehind, places }: Lane): boolean {
    return !isBehind && places.length === 0 && !isBefore(this.#main.read, this.#lanesUntil)
  }

  /** Gives an account a lane, with its events from the main track. */
  fallBehind(accountId: number): void {
    const mine = this.#main.places.filter((place) => place.accountId === accountId)
    this.#main.places = this.#main.places.filter((place) => place.accountId !== accountId)
    const lane = this.#lanes.get(accountId) ?? new Lane(accountId, this.#main.read)
    lane.places.push(...mine)
    lane.read = this.#main.read
    lane.isBehind = true
    this.#lanes.set(accountId, lane)
  }

  /** What to store now. Lanes that have caught up and are empty are dropped. */
  save(): Saved {
    const lanes = [...this.#lanes.values()].map((lane) => ({ lane, cursor: lane.handled }))
    const dropped = lanes.flatMap(({ lane }) => (this.#isOver(lane) ? lane.accountId : []))
    for (const accountId of dropped) this.#lanes.delete(accountId)
    const kept = lanes.filter(({ lane }) => this.#lanes.has(lane.accountId))
    return {
      main: this.#main.handled,
      lanes: kept.map(({ lane: { accountId }, cursor }) => ({ accountId, cursor })),
      dropped,
    }
  }
}

function latest(one: Cursor, other: Cursor): Cursor {
  return isBefore(one, other) ? other : one
}

/** The position just before an event. */
function before({ xid, id }: Cursor): Cursor {
  return { xid, id: id - 1 }
}
