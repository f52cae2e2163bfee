import type { Bounds, Place } from './distance.ts'

/** Cells of the finest level are about 40 metres wide. */
const levelMax = 20
const around = 360

interface Entry<T> {
  item: T
  bounds: Bounds
  level: number
  cells: number[]
}

/**
 * Finds the boxes around a place. Each is in at most six cells of the level whose cells are as large as itself, so looking a place up takes
 * one step for each level, however many boxes there are.
 */
export class AreaGrid<T> {
  /** by level, then by cell */
  readonly #levels = new Map<number, Map<number, Entry<T>[]>>()
  readonly #entries = new Map<T, Entry<T>>()

  get size(): number {
    return this.#entries.size
  }

  /** Adds a box, or moves it. */
  set(item: T, bounds: Bounds): void {
    this.delete(item)
    const level = levelOf(bounds)
    const entry = { item, bounds, level, cells: cellsOf(bounds, level) }
    const cells = this.#levels.get(level) ?? new Map<number, Entry<T>[]>()
    this.#levels.set(level, cells)
    for (const cell of entry.cells) {
      const known = cells.get(cell)
      if (known === undefined) cells.set(cell, [entry])
      else known.push(entry)
    }
    this.#entries.set(item, entry)
  }

  delete(item: T): void {
    const entry = this.#entries.get(item)
    if (entry === undefined) return
    this.#entries.delete(item)
    const cells = this.#levels.get(entry.level)
    for (const cell of entry.cells) {
      const left = cells?.get(cell)?.filter((each) => each !== entry) ?? []
      if (left.length > 0) cells?.set(cell, left)
      else cells?.delete(cell)
    }
    if (cells?.size === 0) this.#levels.delete(entry.level)
  }

  /** The items whose boxes are around a place. */
  at({ latitude, longitude }: Place): T[] {
    const found: T[] = []
    for (const [level, cells] of this.#levels) {
      const cell = cellAt(columnOf(longitude, level), rowOf(latitude, level), level)
      for (const { item, bounds } of cells.get(cell) ?? [])
        if (isWithin(latitude, longitude, bounds)) found.push(item)
    }
    return found
  }
}

function isWithin(latitude: number, longitude: number, { west, south, east, north }: Bounds): boolean {
  if (latitude < south || latitude > north) return false
  return [longitude, longitude - around, longitude + around].some((each) => each >= west && each <= east)
}

/** The finest level whose cells are not smaller than the box. */
function levelOf({ west, south, east, north }: Bounds): number {
  const size = Math.max(east - west, north - south)
  if (size <= 0) return levelMax
  return Math.min(levelMax, Math.max(0, Math.floor(Math.log2(around / size))))
}

const cellSize = (level: number) => around / 2 ** level

function columnOf(longitude: number, level: number): number {
  const columns = 2 ** level
  const column = Math.floor((longitude + 180) / cellSize(level)) % columns
  return column < 0 ? column + columns : column
}

function rowOf(latitude: number, level: number): number {
  return Math.floor((latitude + 90) / cellSize(level))
}

const cellAt = (column: number, row: number, level: number) => row * 2 ** level + column

/** Each once. */
function cellsOf({ west, south, east, north }: Bounds, level: number): number[] {
  const size = cellSize(level)
  const cells = new Set<number>()
  const columns = Math.min(2 ** level, Math.floor((east - west) / size) + 2)
  for (let row = rowOf(Math.max(-90, south), level); row <= rowOf(Math.min(90, north), level); row++)
    for (let step = 0; step < columns; step++)
      cells.add(cellAt(columnOf(Math.min(east, west + step * size), level), row, level))
  return [...cells]
}
