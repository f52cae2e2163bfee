import { LRUCache } from 'lru-cache'
import { upTo } from '../../platform/cache.ts'
import type { Context } from '../../platform/context.ts'
import { type RunRule, readRunRules, readWaking, readWoken } from './store/pipeline.ts'
import { readWatches } from './store/triggers.ts'
import type { Watch } from './triggers/types.ts'

/** Maximum states whose rules are cached. */
const statesMax = 100_000
/** Maximum rules cached. */
const rulesMax = 20_000

/** A rule that watches something. */
interface Watcher {
  ruleId: number
  below: boolean
}

/**
 * In-memory cache of the states that wake rules, which rules these are, and the rules themselves: a value
 * that wakes no rule costs one look-up. Cleared when the tables announce a change; rows being read at that
 * time are used once and not cached.
 */
export class RuleCache {
  readonly #db: Context['db']
  readonly #log: Context['log']
  /** every state that wakes an active rule, 8 bytes each; null until it is read (again) */
  #waking: ReadonlySet<number> | null = null
  readonly #rulesOfState = new LRUCache<number, readonly number[]>(upTo(statesMax))
  readonly #rules = new LRUCache<number, RunRule>(upTo(rulesMax))
  /** by kind and object, of all rules; null until it is read (again) */
  #watches: ReadonlyMap<string, readonly Watcher[]> | null = null
  #changes = 0

  constructor({ db, log, configChanges }: Pick<Context, 'db' | 'log' | 'configChanges'>) {
    this.#db = db
    this.#log = log
    // Rules change rarely and are reloaded with one query, so dropping all of them is simple and safe.
    for (const table of ['rules', 'rule_triggers', 'accounts'] as const) {
      configChanges.on(table, () => this.clear())
    }
    configChanges.on('twins', (ids) => this.#forgetTwins(ids))
  }

  /** Whether a value of the state may wake a rule; true while this is unknown. */
  mayWake(stateId: number): boolean {
    return this.#waking?.has(stateId) ?? true
  }

  /** Ids of the active rules each state wakes; states that wake none are missing. */
  async wokenBy(stateIds: Iterable<number>): Promise<Map<number, readonly number[]>> {
    const changes = this.#changes
    const waking = this.#waking ?? (await readWaking(this.#db))
    if (changes === this.#changes) this.#waking = waking
    const woken = new Map<number, readonly number[]>()
    const missing: number[] = []
    for (const stateId of new Set(stateIds)) {
      if (!waking.has(stateId)) continue
      const known = this.#rulesOfState.get(stateId)
      if (known === undefined) missing.push(stateId)
      else woken.set(stateId, known)
    }
    if (missing.length === 0) return woken
    const found = await readWoken(this.#db, missing)
    for (const [stateId, ruleIds] of found) {
      if (changes === this.#changes) this.#rulesOfState.set(stateId, ruleIds)
      woken.set(stateId, ruleIds)
    }
    return woken
  }

  /** What active rules watch: those of an object by its kind and id. */
  async watches(): Promise<(kind: Watch['kind'], id: number) => readonly Watcher[]> {
    const changes = this.#changes
    const watches = this.#watches ?? (await readWatches(this.#db))
    if (changes === this.#changes) this.#watches = watches
    return (kind, id) => watches.get(`${kind} ${id}`) ?? []
  }

  /** Rules by id; rules that are deleted, inactive or whose twin is disabled are missing. */
  async rules(ids: Iterable<number>): Promise<Map<number, RunRule>> {
    const rules = new Map<number, RunRule>()
    const missing: number[] = []
    for (const id of new Set(ids)) {
      const known = this.#rules.get(id)
      if (known === undefined) missing.push(id)
      else rules.set(id, known)
    }
    const changes = this.#changes
    const read = await readRunRules(this.#db, missing)
    if (read.unreadable.length > 0) {
      this.#log.error({ ruleIds: read.unreadable }, 'rules cannot be read and do not run')
    }
    for (const rule of read.rules) {
      if (changes === this.#changes) this.#rules.set(rule.id, rule)
      rules.set(rule.id, rule)
    }
    return rules
  }

  /** Forgets everything. */
  clear(): void {
    this.#changes++
    this.#waking = null
    this.#watches = null
    this.#rulesOfState.clear()
    this.#rules.clear()
  }

  #forgetTwins(ids: readonly number[] | '*'): void {
    if (ids === '*') {
      this.clear()
      return
    }
    this.#changes++
    const changed = new Set(ids)
    for (const [id, rule] of this.#rules.entries()) if (changed.has(rule.twinId)) this.#rules.delete(id)
  }
}
