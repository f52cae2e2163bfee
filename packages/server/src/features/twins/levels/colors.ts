import { type Markers, markerColors } from '@leitstand/contract/mapSettings'
import { LRUCache } from 'lru-cache'
import type { Context } from '../../../platform/context.ts'
import { onPrimary } from '../../../platform/db/reading.ts'
import { Mutex } from '../../../platform/mutex.ts'
import type { SeriesFeature } from '../../series/index.ts'
import { type MarkerColors, readMarkerColors } from '../store/markerColors.ts'

/** Colours kept at once, of all questions together; about 100 bytes each. */
const colorsMax = 500_000
/** A question that is not repeated for so long is forgotten; a process also sees values that others stored after it. */
const keptMs = 5 * 60_000
/** Changed twins remembered for a question; with more, all are read. */
const twinsMax = 10_000

interface Kept {
  asked: Markers
  scopeIds: readonly number[]
  colors: Map<number, number>
  noted: Set<number> | '*'
  turn: Mutex
}

/**
 * Keeps the colours that marker operators and shown states give to twins, for the maps that are open: reading them takes
 * all states with these names. New values and changed states only note their twins; the next answer reads these again.
 */
export class ColorKeeper {
  readonly #db: Context['db']
  readonly #kept = new LRUCache<string, Kept>({
    maxSize: colorsMax,
    sizeCalculation: ({ colors }) => 1 + colors.size,
    ttl: keptMs,
    updateAgeOnGet: false,
  })
  /** One is read from the beginning at a time. */
  readonly #first = new Mutex()

  constructor(
    { db, configChanges }: Pick<Context, 'db' | 'configChanges'>,
    series: Pick<SeriesFeature, 'onStored' | 'onLevels'>,
  ) {
    this.#db = db
    series.onStored((values) => {
      for (const kept of this.#kept.values()) for (const { twinId } of values) note(kept, twinId)
    })
    const noteAll = (ids: Iterable<number> | '*') => {
      for (const kept of this.#kept.values()) {
        if (ids === '*') kept.noted = '*'
        else for (const id of ids) note(kept, id)
      }
    }
    series.onLevels(noteAll)
    configChanges.on('states', noteAll)
  }

  /** Those that are kept, with all values this process stored before the call; undefined if nobody has asked lately. */
  async find(asked: Markers, scopeIds: readonly number[]): Promise<MarkerColors | undefined> {
    const kept = this.#kept.get(keyOf(asked, scopeIds))
    return kept && this.#upToDate(kept)
  }

  /** The same, read if they are not kept. */
  async read(asked: Markers, scopeIds: readonly number[]): Promise<MarkerColors> {
    return this.#first.run(async () => {
      const found = await this.find(asked, scopeIds)
      if (found) return found
      const kept: Kept = { asked, scopeIds, colors: new Map(), noted: '*', turn: new Mutex() }
      // Kept before it is read, so that no change is missed; its size is known only then.
      const key = keyOf(asked, scopeIds)
      this.#kept.set(key, kept)
      try {
        await this.#upToDate(kept)
      } catch (error) {
        this.#kept.delete(key)
        throw error
      }
      this.#kept.set(key, kept)
      return kept.colors
    })
  }

  #upToDate(kept: Kept): Promise<MarkerColors> {
    return kept.turn.run(async () => {
      const { noted } = kept
      if (noted !== '*' && noted.size === 0) return kept.colors
      kept.noted = new Set()
      try {
        // A replica might not have the values whose arrival was noted.
        const read = await onPrimary(() =>
          readMarkerColors(this.#db, kept, noted === '*' ? noted : [...noted]),
        )
        if (noted === '*') kept.colors.clear()
        else for (const id of noted) kept.colors.delete(id)
        for (const [id, color] of read) kept.colors.set(id, color)
        return kept.colors
      } catch (error) {
        kept.noted = '*'
        throw error
      }
    })
  }
}

function note(kept: Kept, twinId: number): void {
  if (kept.noted === '*') return
  kept.noted.add(twinId)
  if (kept.noted.size > twinsMax) kept.noted = '*'
}

/** Icons and the order of values make no difference. */
function keyOf({ states, operators }: Markers, scopeIds: readonly number[]): string {
  const rules = operators.map(({ state, operator, value, color }) => [
    state,
    operator,
    value,
    markerColors.indexOf(color),
  ])
  return JSON.stringify([states.toSorted(), rules, scopeIds.toSorted((one, other) => one - other)])
}
