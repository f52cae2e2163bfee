import type { ModuleKey } from '@leitstand/contract/permissions'
import type { Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { Language } from '../../platform/mail/text.ts'

/** What accounts need of features above them. */
export interface AccountHooks {
  /** The scopes somebody sees, whatever they may do there. */
  visible(caller: Caller): Promise<readonly number[]>
  /** Who administers an account by a role given in the account itself. */
  administratorsOf(tx: Executor, accountId: number): Promise<{ email: string; language: Language }[]>
  /** The roles by which modules are given to new users. */
  moduleRoles: {
    /** Users with a role, in the account or below, that names a permission of a module; by module. */
    countUsers(db: Executor, accountId: number): Promise<Map<string, number>>
    /** Makes sure that the role of a module is there. @throws AppError NO_PERMISSION when the caller lacks what it gives */
    prepare(tx: Executor, caller: Caller, module: ModuleKey, scopeId: number): Promise<void>
  }
  /** The scopes that belong to accounts. */
  scopes: AccountScopes
}

/** How the scope of an account follows the account. */
export interface AccountScopes {
  /** Adds the scope of a new account. @param parentId the scope of the account above @returns its id */
  add(tx: Executor, scope: { accountId: number; parentId: number | null; name: string }): Promise<number>
  rename(tx: Executor, accountId: number, name: string): Promise<void>
  /** Moves a scope, with all below it, below another one. */
  move(tx: Executor, scopeId: number, parentId: number): Promise<void>
}
