import { createMongoAbility, type MongoAbility } from '@casl/ability'
import { type Action, actions, type RoleRule, type Subject, subjects } from '@leitstand/contract/permissions'

/** A node of the scope tree; the parent of the top-most ones is outside of what was loaded. */
export interface ScopeNode {
  id: number
  parentId: number | null
  accountId: number
  twinId: number | null
  name: string
}

/** A role given to a user on a scope; it holds for the whole subtree. */
export interface Grant {
  scopeId: number
  isMain: boolean
  rules: readonly RoleRule[]
}

type Decision = 'granted' | 'denied' | 'unsaid'
type Ability = MongoAbility<[string, string]>

/**
 * What a user may do, and where.
 *
 * For a scope, the nearest grants on the way up that say anything decide: one that grants is enough, else one that
 * takes away denies. So a role given further down can take away what was given further up, and the order in which
 * roles were given never matters. Within one role the last rule that fits counts. `all.manage` grants everything
 * except what concerns the whole installation (`super.system`), which must be named.
 */
export class Rights {
  /** Every scope some grant reaches, parents before children. */
  readonly scopes: readonly ScopeNode[]
  readonly grants: readonly Grant[]
  readonly #abilities: Map<number, { all: Ability; named: Ability }[]>
  readonly #memo = new Map<string, readonly number[]>()

  /**
   * @param scopes the subtrees of all grants, parents before children
   */
  constructor(scopes: readonly ScopeNode[], grants: readonly Grant[]) {
    this.scopes = scopes
    this.grants = grants
    this.#abilities = new Map()
    for (const { scopeId, rules } of grants) {
      const here = this.#abilities.get(scopeId) ?? []
      here.push({ all: abilityOf(rules), named: abilityOf(rules.filter(({ subject }) => subject !== 'all')) })
      this.#abilities.set(scopeId, here)
    }
  }

  can(subject: Subject, action: Action): boolean {
    return this.scopeIds(subject, action).length > 0
  }

  /** Ids of all scopes in which this is allowed; computed once. */
  scopeIds(subject: Subject, action: Action): readonly number[] {
    const key = `${subject}.${action}`
    const known = this.#memo.get(key)
    if (known) return known
    const decisions = new Map<number, Decision>()
    const allowed: number[] = []
    for (const scope of this.scopes) {
      const own = this.#decide(scope.id, subject, action)
      const inherited = (scope.parentId === null ? undefined : decisions.get(scope.parentId)) ?? 'unsaid'
      const decision = own === 'unsaid' ? inherited : own
      decisions.set(scope.id, decision)
      if (decision === 'granted') allowed.push(scope.id)
    }
    this.#memo.set(key, allowed)
    return allowed
  }

  /** Every permission held in at least one scope, like `VirtualDevice.read`. */
  permissions(): string[] {
    return subjects.flatMap((subject) =>
      actions.filter((action) => this.can(subject, action)).map((action) => `${subject}.${action}`),
    )
  }

  #decide(scopeId: number, subject: Subject, action: Action): Decision {
    let decision: Decision = 'unsaid'
    for (const { all, named } of this.#abilities.get(scopeId) ?? []) {
      const ability = subject === 'super.system' ? named : all
      const rule = ability.relevantRuleFor(action, subject)
      if (rule && !rule.inverted) return 'granted'
      if (rule) decision = 'denied'
    }
    return decision
  }
}

function abilityOf(rules: readonly RoleRule[]): Ability {
  return createMongoAbility<Ability>(
    rules.map(({ subject, actions: allowed, inverted = false }) => ({
      subject,
      action: [...allowed],
      inverted,
    })),
  )
}
