import type { Context } from '../../platform/context.ts'
import type { ChangedIds } from '../../platform/db/notices.ts'
import { GroupedCache } from '../../platform/groupedCache.ts'
import { type RuleBody, type RunRule, readRunRules, readRunTwins } from './store/pipeline.ts'
import { readPlacedWakes, readWakes } from './store/wakes.ts'
import type { Watch } from './triggers/types.ts'
import { type PlaceWakes, WakeIndex, type Watcher } from './wakeIndex.ts'
import { distinctPlaces, type Place, placeKey } from './wakes.ts'

/** Maximum rules cached, and rules on twins. */
const rulesMax = 20_000
const placesMax = 60_000

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
  /** devices whose rules of templates are to be read again */
  #outdatedOn = new Set<number>()
  #refreshing: Promise<void> | null = null
  /** in groups by the twin that has the rule */
  readonly #bodies = new GroupedCache<number, RuleBody, number>({
    max: rulesMax,
    groupsOf: ({ homeId }) => (homeId === null ? [] : [homeId]),
  })
  /** by place and in groups by twin, with the body they are made of: they are outdated with it */
  readonly #rules = new GroupedCache<string, { body: RuleBody; rule: RunRule }, number>({
    max: placesMax,
    groupsOf: ({ rule }) => [rule.twinId],
  })
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
    for (const table of ['rules', 'rule_triggers', 'rule_members', 'rule_inputs'] as const) {
      configChanges.on(table, (ids) => this.forget(ids))
    }
    configChanges.on('rule_places', (ids) => this.#forgetPlacesOn(ids))
    configChanges.on('states', (ids) => this.#forgetOwnStatesOn(ids))
    configChanges.on('accounts', (ids) => this.#forgetBodiesOf(ids))
    configChanges.on('twins', (ids) => this.#forgetRulesOn(ids))
  }

  /** Whether a value of the state may wake a rule; true while this is unknown. */
  mayWake(stateId: number): boolean {
    return !this.#isCurrent || this.#index.wakes(stateId)
  }

  /** The active rules each state wakes, with the twins on which it does; states that wake none are missing. */
  async wokenBy(stateIds: Iterable<number>): Promise<Map<number, readonly Place[]>> {
    await this.#refresh()
    const woken = new Map<number, readonly Place[]>()
    for (const stateId of stateIds)
      if (this.#index.wakes(stateId)) woken.set(stateId, this.#index.placesOf(stateId))
    return woken
  }

  /** What active rules watch: those of an object by its kind and id. */
  async watches(): Promise<(kind: Watch['kind'], id: number) => readonly Watcher[]> {
    await this.#refresh()
    return (kind, id) => this.#index.watchersOf(kind, id)
  }

  /** Whether any active rule watches something. */
  async watchesAny(): Promise<boolean> {
    await this.#refresh()
    return this.#index.watchesAny
  }

  /** The twins that active rules run on. */
  async twins(): Promise<(ruleId: number) => readonly number[]> {
    await this.#refresh()
    return (ruleId) => this.#index.twinsOf(ruleId)
  }

  /** Rules as they run on twins, by place; those that are deleted, inactive or disabled are missing. */
  async rules(places: readonly Place[]): Promise<Map<string, RunRule>> {
    const wanted = distinctPlaces(places)
    const bodies = await this.#readBodies(new Set(wanted.map(({ ruleId }) => ruleId)))
    const rules = new Map<string, RunRule>()
    const missing: Place[] = []
    for (const place of wanted) {
      const body = bodies.get(place.ruleId)
      if (body === undefined) continue
      const known = this.#rules.get(placeKey(place))
      if (known?.body === body) rules.set(placeKey(place), known.rule)
      else missing.push(place)
    }
    const changes = this.#changes
    for (const [key, twin] of await readRunTwins(this.#db, missing)) {
      const body = bodies.get(ruleOf(key))
      if (body === undefined) continue
      const rule = { ...body, ...twin }
      if (changes === this.#changes) this.#rules.set(key, { body, rule })
      rules.set(key, rule)
    }
    return rules
  }

  async #readBodies(ids: ReadonlySet<number>): Promise<Map<number, RuleBody>> {
    const bodies = new Map<number, RuleBody>()
    const missing: number[] = []
    for (const id of ids) {
      const known = this.#bodies.get(id)
      if (known === undefined) missing.push(id)
      else bodies.set(id, known)
    }
    const changes = this.#changes
    const read = await readRunRules(this.#db, missing)
    if (read.unreadable.length > 0) {
      this.#log.error({ ruleIds: read.unreadable }, 'rules cannot be read and do not run')
    }
    for (const rule of read.rules) {
      if (changes === this.#changes) this.#bodies.set(rule.id, rule)
      bodies.set(rule.id, rule)
    }
    return bodies
  }

  /** Forgets rules that have changed; `*`: all. */
  forget(ids: ChangedIds): void {
    this.#changes++
    if (ids === '*' || this.#outdated === '*') this.#outdated = '*'
    else for (const id of ids) this.#outdated.add(id)
    if (ids === '*') this.#forgetAll()
    else for (const id of ids) this.#bodies.delete(id)
  }

  get #isCurrent(): boolean {
    return !this.#isOutdated && this.#refreshing === null
  }

  get #isOutdated(): boolean {
    return this.#outdated === '*' || this.#outdated.size > 0 || this.#outdatedOn.size > 0
  }

  /**
   * Resolves when the index holds everything that was announced before the call. What is announced meanwhile is not waited for:
   * while many devices get rules of templates, there is always something.
   */
  async #refresh(): Promise<void> {
    // It may have begun before the last announcement.
    await this.#refreshing
    if (!this.#isOutdated) return
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = null
    })
    await this.#refreshing
  }

  async #read(): Promise<void> {
    const [outdated, outdatedOn] = [this.#outdated, this.#outdatedOn]
    this.#outdated = new Set()
    this.#outdatedOn = new Set()
    try {
      const ids = outdated === '*' ? null : [...outdated]
      const wakes = await readWakes(this.#db, ids)
      const on = [...outdatedOn, ...(ids ?? []).flatMap((id) => this.#index.devicesOf(id))]
      const placed = await readPlacedWakes(this.#db, ids && { ruleIds: ids, twinIds: on })
      if (ids === null) this.#index.clear()
      const twinIds = ids && new Set([...on, ...placed.keys()])
      const before = [
        ...(ids ?? []).flatMap((id) => this.#index.statesOf(id)),
        ...[...(twinIds ?? [])].flatMap((id) => this.#index.statesOn(id)),
      ]
      for (const id of ids ?? wakes.keys()) this.#index.set(id, wakes.get(id))
      for (const id of twinIds ?? placed.keys()) this.#index.setOn(id, placed.get(id) ?? noRules)
      const left = before.filter((stateId) => !this.#index.wakes(stateId))
      if (ids === null) this.#unfollowed('*')
      else if (left.length > 0) this.#unfollowed(left)
    } catch (error) {
      this.forget(outdated === '*' ? '*' : [...outdated])
      for (const id of outdatedOn) this.#outdatedOn.add(id)
      throw error
    }
  }

  #forgetAll(): void {
    this.#bodies.clear()
    this.#rules.clear()
  }

  /** Forgets definitions that hold something of these accounts. What wakes a rule does not depend on it. */
  #forgetBodiesOf(ids: ChangedIds): void {
    this.#changes++
    if (ids === '*') {
      this.#forgetAll()
      return
    }
    const changed = new Set(ids)
    for (const [id, { accountId }] of [...this.#bodies.entries()])
      if (changed.has(accountId)) this.#bodies.delete(id)
  }

  /** Forgets what wakes rules of templates on these devices, and these rules there. */
  #forgetPlacesOn(ids: ChangedIds): void {
    if (ids === '*') {
      this.forget('*')
      return
    }
    this.#changes++
    for (const twinId of ids) {
      this.#outdatedOn.add(twinId)
      for (const ruleId of this.#index.rulesOn(twinId)) this.#rules.delete(placeKey({ ruleId, twinId }))
    }
  }

  /** Forgets rules on these twins whose actions name states there by key. */
  #forgetOwnStatesOn(ids: ChangedIds): void {
    this.#changes++
    const rules = ids === '*' ? [...this.#rules.entries()] : ids.flatMap((id) => this.#rules.ofGroup(id))
    for (const [key, { rule }] of rules)
      if (rule.actions.some((action) => 'stateKey' in action)) this.#rules.delete(key)
  }

  /** Forgets rules as they run on these twins. A rule on a twin that was disabled is missing in both. */
  #forgetRulesOn(ids: ChangedIds): void {
    this.#changes++
    if (ids === '*') {
      this.#forgetAll()
      return
    }
    for (const id of ids) {
      this.#rules.deleteGroup(id)
      this.#bodies.deleteGroup(id)
    }
  }
}

const noRules: ReadonlyMap<number, PlaceWakes> = new Map()

function ruleOf(key: string): number {
  return Number(key.split(':', 1)[0])
}
