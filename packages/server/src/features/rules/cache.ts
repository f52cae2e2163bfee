import { LRUCache } from 'lru-cache'
import { upTo } from '../../platform/cache.ts'
import type { Context } from '../../platform/context.ts'
import type { ChangedIds } from '../../platform/db/notices.ts'
import { type RunRule, readRunRules } from './store/pipeline.ts'
import { readWakes } from './store/wakes.ts'
import type { Watch } from './triggers/types.ts'
import { WakeIndex, type Watcher } from './wakeIndex.ts'

/** Maximum rules cached. */
const rulesMax = 20_000

/**
 * In-memory cache of what wakes which rules, and of the rules themselves: a value that wakes no rule costs one look-up. After
 * a change of a rule only that rule is read again; rules being read at that time are used once and not cached.
 */
export class RuleCache {
  readonly #db: Context['db']
  readonly #log: Context['log']
  readonly #index = new WakeIndex()
  /** rules to be read into the index before it is used */
  #outdated: Set<number> | '*' = '*'
  #refreshing: Promise<void> | null = null
  readonly #rules = new LRUCache<number, RunRule>(upTo(rulesMax))
  #changes = 0

  readonly #unfollowed: (stateIds: readonly number[] | '*') => void

  /** @param unfollowed called with states whose values no longer wake a rule, so that not all of them arrive */
  constructor(
    { db, log, configChanges }: Pick<Context, 'db' | 'log' | 'configChanges'>,
    unfollowed: (stateIds: readonly number[] | '*') => void,
  ) {
    this.#unfollowed = unfollowed
    this.#db = db
    this.#log = log
    for (const table of ['rules', 'rule_triggers'] as const) {
      configChanges.on(table, (ids) => this.forget(ids))
    }
    configChanges.on('accounts', (ids) => this.#forgetRulesOf(ids, ({ accountId }) => accountId))
    configChanges.on('twins', (ids) => this.#forgetRulesOf(ids, ({ twinId }) => twinId))
  }

  /** Whether a value of the state may wake a rule; true while this is unknown. */
  mayWake(stateId: number): boolean {
    return !this.#isCurrent || this.#index.rulesOf(stateId) !== undefined
  }

  /** Ids of the active rules each state wakes; states that wake none are missing. */
  async wokenBy(stateIds: Iterable<number>): Promise<Map<number, readonly number[]>> {
    await this.#refresh()
    const woken = new Map<number, readonly number[]>()
    for (const stateId of stateIds) {
      const ruleIds = this.#index.rulesOf(stateId)
      if (ruleIds !== undefined) woken.set(stateId, ruleIds)
    }
    return woken
  }

  /** What active rules watch: those of an object by its kind and id. */
  async watches(): Promise<(kind: Watch['kind'], id: number) => readonly Watcher[]> {
    await this.#refresh()
    return (kind, id) => this.#index.watchersOf(kind, id)
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

  /** Forgets rules that have changed; `*`: all. */
  forget(ids: ChangedIds): void {
    this.#changes++
    if (ids === '*' || this.#outdated === '*') this.#outdated = '*'
    else for (const id of ids) this.#outdated.add(id)
    if (ids === '*') this.#rules.clear()
    else for (const id of ids) this.#rules.delete(id)
  }

  get #isCurrent(): boolean {
    return this.#outdated !== '*' && this.#outdated.size === 0 && this.#refreshing === null
  }

  /** Resolves when the index holds everything that was announced before the call. */
  async #refresh(): Promise<void> {
    while (!this.#isCurrent) {
      this.#refreshing ??= this.#read().finally(() => {
        this.#refreshing = null
      })
      await this.#refreshing
    }
  }

  async #read(): Promise<void> {
    const outdated = this.#outdated
    this.#outdated = new Set()
    try {
      const ids = outdated === '*' ? null : [...outdated]
      const wakes = await readWakes(this.#db, ids)
      const before = ids?.flatMap((id) => this.#index.statesOf(id)) ?? []
      if (ids === null) this.#index.clear()
      for (const id of ids ?? wakes.keys()) this.#index.set(id, wakes.get(id))
      const left = before.filter((stateId) => this.#index.rulesOf(stateId) === undefined)
      if (ids === null) this.#unfollowed('*')
      else if (left.length > 0) this.#unfollowed(left)
    } catch (error) {
      this.forget(outdated === '*' ? '*' : [...outdated])
      throw error
    }
  }

  /** Forgets definitions that hold something of these accounts or twins. What wakes a rule depends on neither. */
  #forgetRulesOf(ids: ChangedIds, ownerOf: (rule: RunRule) => number): void {
    this.#changes++
    if (ids === '*') {
      this.#rules.clear()
      return
    }
    const changed = new Set(ids)
    for (const [id, rule] of this.#rules.entries()) if (changed.has(ownerOf(rule))) this.#rules.delete(id)
  }
}
