import { createMongoAbility, type MongoAbility } from '@casl/ability'
import { moduleOf } from '@leitstand/contract/modules'
import {
  type Action,
  actions,
  type ModuleKey,
  type RoleRule,
  type Subject,
  subjects,
} from '@leitstand/contract/permissions'
import type { Caller } from '../../platform/http/caller.ts'

/** A node of the scope tree; the parent of the top-most ones is outside of what was loaded. */
export interface ScopeNode {
  id: number
  parentId: number | null
  accountId: number
  twinId: number | null
  name: string
  /** modules that are off in the account: their permissions are nobody's here */
  modulesOff?: readonly ModuleKey[]
}

/** A role given to a user on a scope; it holds for the whole subtree. */
export interface Grant {
  scopeId: number
  isMain: boolean
  rules: readonly RoleRule[]
}

export type Decision = 'granted' | 'denied' | 'unsaid'
type Ability = MongoAbility<[string, string]>

/**
 * What a user may do, and where.
 *
 * For a scope, the nearest grants on the way up that say anything decide: one that grants is enough, else one that
 * takes away denies. So a role given further down can take away what was given further up, and the order in which
 * roles were given never matters. Within one role the last rule that fits counts. `all.manage` grants everything
 * except what concerns the whole installation (`super.system`), which must be named.
 *
 * Where a module is off, its permissions are masked at the very end: roles stay as they are, those shared with other
 * accounts too, and all comes back with the module. What may be given to others follows from roles alone
 * (`grantedIn`), so that nobody gives while a module is off what he lacks once it is on.
 */
export class Rights {
  /** Every scope some grant reaches, parents before children. */
  readonly scopes: readonly ScopeNode[]
  readonly grants: readonly Grant[]
  readonly #abilities: Map<number, { all: Ability; named: Ability }[]>
  readonly #granted = new Map<string, readonly number[]>()
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
    const module = moduleOf(subject)
    const granted = this.grantedIn(subject, action)
    const off = new Set(
      module ? this.scopes.filter(({ modulesOff }) => modulesOff?.includes(module)).map(({ id }) => id) : [],
    )
    const allowed = off.size === 0 ? granted : granted.filter((id) => !off.has(id))
    this.#memo.set(key, allowed)
    return allowed
  }

  /** Ids of all scopes in which the roles grant this, whatever modules are off. */
  grantedIn(subject: Subject, action: Action): readonly number[] {
    const key = `${subject}.${action}`
    const known = this.#granted.get(key)
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
    this.#granted.set(key, allowed)
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

/** What both may do: whoever acts as somebody else gains nothing by it, whatever either is given meanwhile. */
export function shared(one: Rights, other: Rights): Pick<Rights, 'can' | 'scopeIds' | 'grantedIn'> {
  const both = (how: 'scopeIds' | 'grantedIn') => (subject: Subject, action: Action) => {
    const held = new Set(other[how](subject, action))
    return one[how](subject, action).filter((id) => held.has(id))
  }
  const scopeIds = both('scopeIds')
  return {
    scopeIds,
    grantedIn: both('grantedIn'),
    can: (subject, action) => scopeIds(subject, action).length > 0,
  }
}

/** What a caller may do and the scopes it sees, a person or a program with a key. */
export type RightsOf = (caller: Caller) => Promise<Rights>

/** Whatever holds permissions in scopes, by its roles: a caller, or the rights of a user. */
export interface Holder {
  grantedIn(subject: Subject, action: Action): readonly number[]
}

export interface Gain {
  subject: Subject
  action: Action
  scopeId: number
}

/**
 * The first permission that is in `after`, was not in `before`, and which the one who grants does not have in that
 * scope; null when there is none. Whoever gives or takes roles must not give more than he has, and taking a role that
 * takes away is giving.
 */
export function gainBeyond(before: Holder, after: Holder, granter: Holder): Gain | null {
  for (const subject of subjects) {
    for (const action of actions) {
      const then = after.grantedIn(subject, action)
      if (then.length === 0) continue
      const fine = new Set([...before.grantedIn(subject, action), ...granter.grantedIn(subject, action)])
      const scopeId = then.find((id) => !fine.has(id))
      if (scopeId !== undefined) return { subject, action, scopeId }
    }
  }
  return null
}

/** What a role alone says about a permission. */
export function decisionOf(rules: readonly RoleRule[], subject: Subject, action: Action): Decision {
  const decisive = ruleFor(rules, subject, action)
  if (!decisive) return 'unsaid'
  return decisive.inverted ? 'denied' : 'granted'
}

/** The rule of a role that decides about a permission: the last one that fits. */
export function ruleFor(rules: readonly RoleRule[], subject: Subject, action: Action): RoleRule | undefined {
  return rules.findLast(
    (one) =>
      (one.subject === subject || (one.subject === 'all' && subject !== 'super.system')) &&
      (one.actions.includes(action) || one.actions.includes('manage')),
  )
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
