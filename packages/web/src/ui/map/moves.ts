import type { GeoJSONSourceDiff } from 'maplibre-gl'
import type { MapPoint } from './MapView.tsx'

/** A new position of a point. */
export interface PointMove {
  id: string
  latitude: number
  longitude: number
}

/** Positions that come from outside of React: the map moves only the points concerned. */
export interface MoveSource {
  listen(listener: (moves: readonly PointMove[]) => void): () => void
}

/** A source and its end where positions come in. */
export function createMoves(): MoveSource & { emit: (moves: readonly PointMove[]) => void } {
  const listeners = new Set<(moves: readonly PointMove[]) => void>()
  return {
    emit: (moves) => {
      for (const listener of listeners) listener(moves)
    },
    listen: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

/** Points that were read may be as much older than positions that came before. */
const readingMs = 3_000
const keptMax = 20_000

/** The last positions that came, until the map has drawn them or points were read that know them. */
export class MoveQueue {
  readonly #waiting = new Set<string>()
  readonly #kept = new Map<string, PointMove & { atMs: number }>()

  get isEmpty(): boolean {
    return this.#waiting.size === 0
  }

  add(moves: readonly PointMove[], atMs: number): void {
    for (const move of moves) {
      // The latest last, so that the oldest are the first to go.
      this.#kept.delete(move.id)
      this.#kept.set(move.id, { ...move, atMs })
      this.#waiting.add(move.id)
    }
    for (const id of this.#kept.keys()) {
      if (this.#kept.size <= keptMax) break
      this.#kept.delete(id)
      this.#waiting.delete(id)
    }
  }

  /** Takes what has to be drawn, of the points that are single on the map. */
  take(isSingle: (id: string) => boolean): PointMove[] {
    const moves = [...this.#waiting].flatMap((id) => (isSingle(id) ? (this.#kept.get(id) ?? []) : []))
    this.#waiting.clear()
    return moves
  }

  /** Points as they were read, with positions that may have come while they were read. */
  applied(points: readonly MapPoint[], nowMs: number): readonly MapPoint[] {
    for (const [id, { atMs }] of this.#kept) {
      if (nowMs - atMs <= readingMs) break
      if (!this.#waiting.has(id)) this.#kept.delete(id)
    }
    if (this.#kept.size === 0) return points
    return points.map((point) => {
      const move = (point.count ?? 1) === 1 ? this.#kept.get(point.id) : undefined
      return move ? { ...point, latitude: move.latitude, longitude: move.longitude } : point
    })
  }
}

/** The change of the source of the points. */
export function diffOf(moves: readonly PointMove[]): GeoJSONSourceDiff {
  return {
    update: moves.map(({ id, latitude, longitude }) => ({
      id,
      newGeometry: { type: 'Point', coordinates: [longitude, latitude] },
    })),
  }
}
