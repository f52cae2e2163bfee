import type { Cursor } from './cursor.ts'

/** Where an event is, until it is handled. */
export interface Place {
  readonly cursor: Cursor
  readonly accountId: number
  isDone: boolean
}

/** A way through the outbox: how far it is read, and what of that is not handled. */
class Track {
  read: Cursor
  /** in the order of the outbox; what is done is only taken away from the front */
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

/** The way of one account that has fallen behind. */
class Lane extends Track {
  readonly accountId: number
  /** the main way leaves the account out, and the lane follows it */
  isBehind = true

  constructor(accountId: number, read: Cursor) {
    super(read)
    this.accountId = accountId
  }
}

/** What is stored about the progress of a consumer. */
export interface Saved {
  main: Cursor
  lanes: { accountId: number; cursor: Cursor }[]
  /** accounts whose lanes were dropped since the last time */
  dropped: number[]
}

/**
 * How far a consumer has come. Events are handled out of order, so the cursor stands before the first that is not. An
 * account that would hold it back gets a lane, a cursor of its own, until it has caught up.
 */
export class Progress {
  readonly #main: Track
  readonly #lanes = new Map<number, Lane>()

  constructor({ main, lanes }: Pick<Saved, 'main' | 'lanes'>) {
    this.#main = new Track(main)
    for (const { accountId, cursor } of lanes) this.#lanes.set(accountId, new Lane(accountId, cursor))
  }

  /** How far is read. */
  get read(): Cursor {
    return this.#main.read
  }

  /** Whether everything that is read is handled, and nobody has fallen behind. */
  get isWhole(): boolean {
    return this.#lanes.size === 0 && this.#main.next === undefined
  }

  /** Accounts that have a lane. */
  get laneAccounts(): number[] {
    return [...this.#lanes.keys()]
  }

  /** The event that holds up the cursor, when at least `max` were read from it on. */
  held(max: number): Place | undefined {
    const { next } = this.#main
    return this.#main.places.length < max ? undefined : next
  }

  /** Accounts that the main way leaves out. */
  get behind(): number[] {
    return [...this.#lanes.values()].filter(({ isBehind }) => isBehind).map(({ accountId }) => accountId)
  }

  /** Notes what was read on the main way. */
  advance(read: Cursor, places: readonly Place[]): void {
    this.#main.read = read
    this.#main.places.push(...places)
  }

  /** How far the lane of an account is read. */
  laneRead(accountId: number): Cursor {
    return this.#lanes.get(accountId)?.read ?? this.#main.read
  }

  /** Notes what was read of a lane. @param read null: it has caught up with the main way */
  advanceLane(accountId: number, read: Cursor | null, places: readonly Place[]): void {
    const lane = this.#lanes.get(accountId)
    if (lane === undefined) return
    lane.places.push(...places)
    lane.read = read ?? this.#main.read
    lane.isBehind = read !== null
  }

  /** Gives an account a lane, with what of it is on the main way. */
  fallBehind(accountId: number): void {
    const mine = this.#main.places.filter((place) => place.accountId === accountId)
    this.#main.places = this.#main.places.filter((place) => place.accountId !== accountId)
    const lane = this.#lanes.get(accountId) ?? new Lane(accountId, this.#main.read)
    lane.places.push(...mine)
    lane.read = this.#main.read
    lane.isBehind = true
    this.#lanes.set(accountId, lane)
  }

  /** What to store now. Lanes that have caught up and have nothing left are dropped. */
  save(): Saved {
    const lanes = [...this.#lanes.values()].map((lane) => ({ lane, cursor: lane.handled }))
    const isOver = ({ isBehind, places }: Lane) => !isBehind && places.length === 0
    const dropped = lanes.flatMap(({ lane }) => (isOver(lane) ? lane.accountId : []))
    for (const accountId of dropped) this.#lanes.delete(accountId)
    const kept = lanes.filter(({ lane }) => this.#lanes.has(lane.accountId))
    return {
      main: this.#main.handled,
      lanes: kept.map(({ lane: { accountId }, cursor }) => ({ accountId, cursor })),
      dropped,
    }
  }
}

/** The place just before an event. */
function before({ xid, id }: Cursor): Cursor {
  return { xid, id: id - 1 }
}
