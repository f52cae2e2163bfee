import type { Watch } from './triggers/types.ts'
import type { Place } from './wakes.ts'

/** What wakes one active rule. */
export interface RuleWakes {
  /** the twins it runs on */
  twins: readonly number[]
  /** states that wake it on all of its twins */
  states: readonly number[]
  /** states that wake it on some, with these twins */
  inputs: ReadonlyMap<number, readonly number[]>
  /** what else it watches, each for one twin */
  watches: readonly (Watch & { twinId: number })[]
}

/** What wakes an active rule of a template on one of its devices. */
export interface PlaceWakes {
  states: readonly number[]
  watches: readonly Watch[]
}

/** A rule that watches something for one of its twins. */
export interface Watcher extends Place {
  below: boolean
}

/** A rule that a state wakes; `twins` null: on all of its twins. */
interface Woken {
  ruleId: number
  twins: readonly number[] | null
}

/**
 * In memory: which rules a state, or something that is watched, wakes. Rules are listed by their ids. Rules of templates are kept by
 * device, because devices come and go one by one.
 */
export class WakeIndex {
  readonly #wakesOf = new Map<number, RuleWakes>()
  /** rules of templates, by device */
  readonly #placesOn = new Map<number, ReadonlyMap<number, PlaceWakes>>()
  /** devices of rules of templates */
  readonly #devicesOf = new Map<number, Set<number>>()
  readonly #wokenBy = new Map<number, Woken[]>()
  readonly #watchers = new Map<string, Watcher[]>()

  /** Replaces what wakes a rule; undefined: nothing does any more. */
  set(ruleId: number, wakes: RuleWakes | undefined): void {
    const before = this.#wakesOf.get(ruleId)
    for (const stateId of before?.states ?? [])
      remove(this.#wokenBy, stateId, (each) => each.ruleId !== ruleId)
    for (const stateId of before?.inputs.keys() ?? [])
      remove(this.#wokenBy, stateId, (each) => each.ruleId !== ruleId)
    for (const watch of before?.watches ?? [])
      remove(this.#watchers, keyOf(watch), (watcher) => watcher.ruleId !== ruleId)
    this.#wakesOf.delete(ruleId)
    if (wakes === undefined) return
    this.#wakesOf.set(ruleId, wakes)
    for (const stateId of wakes.states) add(this.#wokenBy, stateId, { ruleId, twins: null }, byRule)
    for (const [stateId, twins] of wakes.inputs)
      if (!wakes.states.includes(stateId)) add(this.#wokenBy, stateId, { ruleId, twins }, byRule)
    for (const { twinId, below, ...watch } of wakes.watches)
      add(this.#watchers, keyOf(watch), { ruleId, twinId, below }, byPlace)
  }

  /** Replaces what wakes rules of templates on a device. */
  setOn(twinId: number, rules: ReadonlyMap<number, PlaceWakes>): void {
    for (const [ruleId, { states, watches }] of this.#placesOn.get(twinId) ?? []) {
      for (const stateId of states) remove(this.#wokenBy, stateId, (each) => each.ruleId !== ruleId)
      for (const watch of watches)
        remove(this.#watchers, keyOf(watch), (each) => each.ruleId !== ruleId || each.twinId !== twinId)
      const devices = this.#devicesOf.get(ruleId)
      devices?.delete(twinId)
      if (devices?.size === 0) this.#devicesOf.delete(ruleId)
    }
    this.#placesOn.delete(twinId)
    if (rules.size === 0) return
    this.#placesOn.set(twinId, rules)
    for (const [ruleId, { states, watches }] of rules) {
      for (const stateId of states) add(this.#wokenBy, stateId, { ruleId, twins: [twinId] }, byRule)
      for (const { below, ...watch } of watches)
        add(this.#watchers, keyOf(watch), { ruleId, twinId, below }, byPlace)
      const devices = this.#devicesOf.get(ruleId)
      if (devices === undefined) this.#devicesOf.set(ruleId, new Set([twinId]))
      else devices.add(twinId)
    }
  }

  /** The rules of templates on a device. */
  rulesOn(twinId: number): Iterable<number> {
    return this.#placesOn.get(twinId)?.keys() ?? []
  }

  /** The devices of a rule of a template; of another rule none. */
  devicesOf(ruleId: number): readonly number[] {
    return [...(this.#devicesOf.get(ruleId) ?? [])]
  }

  /** The states that wake rules of templates on a device. */
  statesOn(twinId: number): number[] {
    return [...(this.#placesOn.get(twinId)?.values() ?? [])].flatMap(({ states }) => states)
  }

  clear(): void {
    this.#wakesOf.clear()
    this.#placesOn.clear()
    this.#devicesOf.clear()
    this.#wokenBy.clear()
    this.#watchers.clear()
  }

  /** The states that wake a rule. */
  statesOf(ruleId: number): number[] {
    const wakes = this.#wakesOf.get(ruleId)
    return wakes === undefined ? [] : [...wakes.states, ...wakes.inputs.keys()]
  }

  /** Whether a state wakes any rule. */
  wakes(stateId: number): boolean {
    return this.#wokenBy.has(stateId)
  }

  /** The rules that a state wakes, with the twins on which it does. */
  placesOf(stateId: number): Place[] {
    return (this.#wokenBy.get(stateId) ?? []).flatMap(({ ruleId, twins }) =>
      (twins ?? this.twinsOf(ruleId)).map((twinId) => ({ ruleId, twinId })),
    )
  }

  /** The twins that a rule runs on; none, if it is not active. */
  twinsOf(ruleId: number): readonly number[] {
    return this.#wakesOf.get(ruleId)?.twins ?? this.devicesOf(ruleId)
  }

  /** Whether any rule watches something. */
  get watchesAny(): boolean {
    return this.#watchers.size > 0
  }

  watchersOf(kind: Watch['kind'], id: number): readonly Watcher[] {
    return this.#watchers.get(keyOf({ kind, id })) ?? []
  }
}

const byRule = (one: Woken, other: Woken) => one.ruleId - other.ruleId
const byPlace = (one: Watcher, other: Watcher) => one.ruleId - other.ruleId || one.twinId - other.twinId

const keyOf = ({ kind, id }: Pick<Watch, 'kind' | 'id'>) => `${kind} ${id}`

function remove<K, V>(lists: Map<K, V[]>, key: K, stays: (value: V) => boolean): void {
  const left = lists.get(key)?.filter(stays) ?? []
  if (left.length === 0) lists.delete(key)
  else lists.set(key, left)
}

function add<K, V>(lists: Map<K, V[]>, key: K, value: V, order: (one: V, other: V) => number): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  // A new list, because readers may hold the old one.
  else lists.set(key, [...list, value].sort(order))
}
