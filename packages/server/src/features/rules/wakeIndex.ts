import type { Watch } from './triggers/types.ts'

/** What wakes one active rule: the states it follows and what else it watches. */
export interface RuleWakes {
  states: readonly number[]
  watches: readonly Watch[]
}

/** A rule that watches something. */
export interface Watcher {
  ruleId: number
  below: boolean
}

/** In memory: which rules a state, or something that is watched, wakes. Rules are listed by their ids. */
export class WakeIndex {
  readonly #wakesOf = new Map<number, RuleWakes>()
  readonly #rulesOf = new Map<number, number[]>()
  readonly #watchers = new Map<string, Watcher[]>()

  /** Replaces what wakes a rule; undefined: nothing does any more. */
  set(ruleId: number, wakes: RuleWakes | undefined): void {
    const before = this.#wakesOf.get(ruleId)
    for (const stateId of before?.states ?? []) remove(this.#rulesOf, stateId, (id) => id !== ruleId)
    for (const watch of before?.watches ?? [])
      remove(this.#watchers, keyOf(watch), (watcher) => watcher.ruleId !== ruleId)
    this.#wakesOf.delete(ruleId)
    if (wakes === undefined) return
    this.#wakesOf.set(ruleId, wakes)
    for (const stateId of wakes.states) add(this.#rulesOf, stateId, ruleId, (one, other) => one - other)
    for (const watch of wakes.watches) {
      const watcher = { ruleId, below: watch.below }
      add(this.#watchers, keyOf(watch), watcher, (one, other) => one.ruleId - other.ruleId)
    }
  }

  clear(): void {
    this.#wakesOf.clear()
    this.#rulesOf.clear()
    this.#watchers.clear()
  }

  /** The states that wake a rule. */
  statesOf(ruleId: number): readonly number[] {
    return this.#wakesOf.get(ruleId)?.states ?? []
  }

  rulesOf(stateId: number): readonly number[] | undefined {
    return this.#rulesOf.get(stateId)
  }

  watchersOf(kind: Watch['kind'], id: number): readonly Watcher[] {
    return this.#watchers.get(keyOf({ kind, id })) ?? []
  }
}

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
