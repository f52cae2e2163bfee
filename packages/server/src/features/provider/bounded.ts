import { type ApplicationScope, permissionScopes } from '@leitstand/contract/applications'
import type { Action, Permission, Subject } from '@leitstand/contract/permissions'
import { Rights } from '../rights/index.ts'

/**
 * The rights of a person as far as an application may use them: only what was allowed, and only in the account of the
 * application and below it. So an application never does more than its person, and an account that adds one reaches
 * nothing outside of itself by it.
 */
export class BoundedRights extends Rights {
  readonly #full: Rights
  readonly #permissions: readonly Permission[]
  readonly #within: ReadonlySet<number>

  /** @param within ids of the scopes in which the application acts */
  constructor(full: Rights, allowed: readonly ApplicationScope[], within: ReadonlySet<number>) {
    super(
      full.scopes.filter(({ id }) => within.has(id)),
      full.grants,
    )
    this.#full = full
    this.#permissions = permissionsOf(allowed)
    this.#within = within
  }

  override grantedIn(subject: Subject, action: Action): readonly number[] {
    if (!isAllowed(this.#permissions, subject, action)) return []
    return this.#full.grantedIn(subject, action).filter((id) => this.#within.has(id))
  }
}

/** The permissions behind some scopes; those that only tell who somebody is have none. */
function permissionsOf(scopes: readonly ApplicationScope[]): Permission[] {
  const known: Readonly<Record<string, readonly Permission[]>> = permissionScopes
  return scopes.flatMap((scope) => known[scope] ?? [])
}

/** The administration of the installation is never given to an application. */
function isAllowed(permissions: readonly Permission[], subject: Subject, action: Action): boolean {
  return permissions.some(
    (one) =>
      (one.subject === subject || (one.subject === 'all' && subject !== 'super.system')) &&
      (one.action === action || one.action === 'manage'),
  )
}
