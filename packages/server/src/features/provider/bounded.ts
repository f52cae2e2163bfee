import { type ApplicationScope, permissionScopes } from '@leitstand/contract/applications'
import type { Action, Permission, Subject } from '@leitstand/contract/permissions'
import { Rights } from '../rights/index.ts'

/**
 * The rights of a user that an application may use: only those allowed, and only in the account of the
 * application and below it. So an application never exceeds its user's rights, and an account cannot reach
 * outside itself by adding one.
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

/** The permissions of OAuth scopes; identity scopes have none. */
function permissionsOf(scopes: readonly ApplicationScope[]): Permission[] {
  const known: Readonly<Record<string, readonly Permission[]>> = permissionScopes
  return scopes.flatMap((scope) => known[scope] ?? [])
}

/** Applications never get the right to administer the installation. */
function isAllowed(permissions: readonly Permission[], subject: Subject, action: Action): boolean {
  return permissions.some(
    (one) =>
      (one.subject === subject || (one.subject === 'all' && subject !== 'super.system')) &&
      (one.action === action || one.action === 'manage'),
  )
}
