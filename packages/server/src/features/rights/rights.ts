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

/** A node of the scope tree; the parent of the topmost ones is outside the loaded part. */
export interface ScopeNode {
  id: number
  parentId: number | null
  accountId: number
  twinId: number | null
  name: string
  /** modules that are off in the account: no user has their permissions here */
  modulesOff?: readonly ModuleKey[]
}

/** A role given to a user on a scope; it applies to the whole subtree. */
export interface Grant {
  scopeId: number
  isMain: boolean
  rules: readonly RoleRule[]
}

export type Decision = 'granted' | 'denied' | 'unsaid'
type Ability = MongoAbility<[string, string]>

/**
 * The rights of a user in each scope.
 *
 * For a scope, the nearest grants on the path up that contain a matching rule decide: one that allows is
 * enough, otherwise one that denies applies. So a role given further down can revoke rights given further up,
 * and the order in which roles were given never matters. Within one role the last matching rule wins.
 * `all.manage` grants everything except rights over the whole installation (`super.system`), which must be
 * named.
 *
 * Where a module is off, its permissions are masked last: roles, including those shared with other accounts,
 * are not changed, so all rights return with the module. What a user may grant to others depends on roles
 * alone (`grantedIn`), so that users cannot grant rights while a module is off that they would lack once it
 * is on.
 */
export class Rights {
  /** Every scope reached by a grant, parents before children. */
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

  /** Ids of all scopes in which this is allowed; memoised. */
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

  /** Ids of all scopes in which the roles grant this, ignoring modules that are off. */
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

/** The rights both have: impersonation never adds rights, even if either user gains some in the meantime. */
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

/** The rights of a caller, a user or a program with a key, and the scopes they see. */
export type RightsOf = (caller: Caller) => Promise<Rights>

/** Holds permissions in scopes through roles: a caller, or the rights of a user. */
export interface Holder {
  grantedIn(subject: Subject, action: Action): readonly number[]
}

export interface Gain {
  subject: Subject
  action: Action
  scopeId: number
}

/**
 * The first permission that is in `after` but not in `before` and that the granter lacks in that scope; null
 * when there is none. Users must not grant more than they have, and removing a role that denies also grants.
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

/** The decision of a single role about a permission. */
export function decisionOf(rules: readonly RoleRule[], subject: Subject, action: Action): Decision {
  const decisive = ruleFor(rules, subject, action)
  if (!decisive) return 'unsaid'
  return decisive.inverted ? 'denied' : 'granted'
}

/** The rule of a role that decides about a permission: the last one that matches. */
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
