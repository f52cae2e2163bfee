import type { Position } from './position.ts'

/** Positions remembered; of a replica that is further behind, only that it is. */
const notedMax = 2_000

/**
 * How far a replica has come. It compares positions in the log that were seen by the clock of this process, so neither the
 * clocks of the databases nor a primary without writes make a difference.
 */
export class CatchUp {
  #ahead: Position | null = null
  #noted: { position: Position; atMs: number }[] = []
  #replayed: Position | null = null
  #upToMs: number | null = null

  /** Everything that was committed before `atMs` is at or before this position of the primary. */
  notePrimary(position: Position, atMs: number): void {
    // The primary is another one now.
    if (this.#ahead !== null && position < this.#ahead) this.reset()
    this.#ahead = position
    const last = this.#noted.at(-1)
    if (last?.position === position) last.atMs = atMs
    else if (this.#noted.length < notedMax) this.#noted.push({ position, atMs })
  }

  /** The replica has replayed everything before this position. */
  noteReplica(position: Position): void {
    // It has started again from an earlier place.
    if (this.#replayed !== null && position < this.#replayed) this.#upToMs = null
    this.#replayed = position
    const open = this.#noted.findIndex((each) => each.position > position)
    const done = this.#noted.splice(0, open < 0 ? this.#noted.length : open)
    this.#upToMs = done.at(-1)?.atMs ?? this.#upToMs
  }

  /** Forgets everything: the replica counts as behind until it has reached a position noted from now on. */
  reset(): void {
    this.#ahead = null
    this.#noted = []
    this.#replayed = null
    this.#upToMs = null
  }

  /** Whether the replica has everything before a position. */
  has(position: Position): boolean {
    return this.#replayed !== null && this.#replayed >= position
  }

  /** How old the newest state is that the replica surely has, in milliseconds; null if that is not known. */
  lagMs(nowMs: number): number | null {
    return this.#upToMs === null ? null : Math.max(0, nowMs - this.#upToMs)
  }
}
