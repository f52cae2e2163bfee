import { AreaGrid } from '../../../platform/geo/areaGrid.ts'
import { boundsAround, type Place, type Shape } from '../../../platform/geo/distance.ts'
import type { Fence } from '../store/fences.ts'
import { edgeOf } from '../triggers/geofence/judge.ts'

/** An area that stays where it is, with the fences it belongs to. */
export interface Area {
  /** null: a circle */
  zoneId: number | null
  /** null: the zone has no polygon, or does not exist */
  shape: Shape | null
  fences: Fence[]
}

/** All geofences, in memory: which concern a twin, and which areas are near a place. */
export class FenceIndex {
  readonly #byRule = new Map<number, Fence[]>()
  /** by the rule; each of its twins may cross them */
  readonly #ofMany = new Map<number, Fence[]>()
  /** by the twin of the rule */
  readonly #byTwin = new Map<number, Fence[]>()
  /** by the moving twin they are around */
  readonly #byTarget = new Map<number, Fence[]>()
  readonly #zones = new Map<number, Area>()
  /** by fence */
  readonly #circles = new Map<number, Area>()
  readonly #grid = new AreaGrid<Area>()

  get isEmpty(): boolean {
    return this.#byRule.size === 0
  }

  /** Replaces the fences of a rule; `setZone` must follow for their zones. */
  setRule(ruleId: number, fences: readonly Fence[]): void {
    for (const fence of this.#byRule.get(ruleId) ?? []) this.#remove(fence)
    this.#byRule.delete(ruleId)
    if (fences.length > 0) this.#byRule.set(ruleId, [...fences])
    for (const fence of fences) this.#add(fence)
  }

  /** Sets the polygon of a zone; null: it has none, so nobody enters or leaves it. */
  setZone(zoneId: number, shape: Shape | null): void {
    const area = this.#zones.get(zoneId)
    // No fence needs it.
    if (area === undefined) return
    area.shape = shape
    this.#place(area)
  }

  /** Rules for many that have fences. */
  get manyRules(): number[] {
    return [...this.#ofMany.keys()]
  }

  /**
   * The fences that a move of a twin concerns, as the one that crosses them.
   * @param above the twins above it
   * @param rules those for many that it is a twin of
   */
  around(twinId: number, above: readonly number[], rules: Iterable<number>): Fence[] {
    const own = this.#byTwin.get(twinId) ?? []
    return [
      ...own,
      ...[...rules].flatMap((ruleId) => this.#ofMany.get(ruleId) ?? []),
      ...above.flatMap((id) => this.#byTwin.get(id)?.filter(({ trigger }) => trigger.below) ?? []),
    ]
  }

  /** The fences around a moving twin. */
  targeting(twinId: number): readonly Fence[] {
    return this.#byTarget.get(twinId) ?? []
  }

  /** Areas that do not move and whose edge is near enough to a place to matter. */
  near(place: Place): Area[] {
    return this.#grid.at(place)
  }

  /** The areas of a fence that do not move. */
  areasOf({ id, trigger: { area } }: Fence): Area[] {
    const areas =
      area.kind === 'zones' ? area.zoneIds.map((zone) => this.#zones.get(zone)) : [this.#circles.get(id)]
    return areas.filter((each) => each !== undefined)
  }

  #add(fence: Fence): void {
    const { id, ruleId, twinId, isForMany, trigger } = fence
    if (isForMany) addTo(this.#ofMany, ruleId, fence)
    else addTo(this.#byTwin, twinId, fence)
    const { area } = trigger
    if (area.kind === 'twin') addTo(this.#byTarget, area.twinId, fence)
    else if (area.kind === 'circle') {
      const circle: Area = { zoneId: null, shape: area, fences: [fence] }
      this.#circles.set(id, circle)
      this.#place(circle)
    } else {
      for (const zoneId of new Set(area.zoneIds)) {
        const zone = this.#zones.get(zoneId) ?? { zoneId, shape: null, fences: [] }
        this.#zones.set(zoneId, zone)
        zone.fences.push(fence)
        this.#place(zone)
      }
    }
  }

  #remove(fence: Fence): void {
    const { id, ruleId, twinId, isForMany, trigger } = fence
    if (isForMany) removeFrom(this.#ofMany, ruleId, fence)
    else removeFrom(this.#byTwin, twinId, fence)
    const { area } = trigger
    if (area.kind === 'twin') removeFrom(this.#byTarget, area.twinId, fence)
    for (const each of area.kind === 'twin' ? [] : this.areasOf(fence)) {
      each.fences = each.fences.filter((other) => other !== fence)
      if (each.fences.length === 0 && each.zoneId !== null) this.#zones.delete(each.zoneId)
      this.#place(each)
    }
    this.#circles.delete(id)
  }

  /** Puts an area into the grid, as wide as the farthest of its fences reaches. */
  #place(area: Area): void {
    const { shape, fences } = area
    if (shape === null || fences.length === 0) {
      this.#grid.delete(area)
      return
    }
    const reach = fences.reduce((most, { trigger }) => Math.max(most, edgeOf(trigger) + trigger.margin), 0)
    this.#grid.set(area, boundsAround(shape, reach))
  }
}

function addTo(map: Map<number, Fence[]>, key: number, fence: Fence): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [fence])
  else known.push(fence)
}

function removeFrom(map: Map<number, Fence[]>, key: number, fence: Fence): void {
  const left = map.get(key)?.filter((each) => each !== fence) ?? []
  if (left.length > 0) map.set(key, left)
  else map.delete(key)
}
