import type { ModuleKey } from '@leitstand/contract/permissions'
import type { Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { Language } from '../../platform/mail/text.ts'

/** Functions of higher features that accounts depend on. */
export interface AccountHooks {
  /** The scopes the caller sees, whatever they may do there. */
  visible(caller: Caller): Promise<readonly number[]>
  /** Users who administer an account by a role granted in the account itself. */
  administratorsOf(tx: Executor, accountId: number): Promise<{ email: string; language: Language }[]>
  /** The roles that give modules to new users. */
  moduleRoles: {
    /** Users with a role, in the account or below, that names a permission of a module; by module. */
    countUsers(db: Executor, accountId: number): Promise<Map<string, number>>
    /**
     * Ensures that the role of a module exists.
     * @throws AppError NO_PERMISSION when the caller lacks what it grants
     */
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
  /** Moves a scope and its subtree below another scope. */
  move(tx: Executor, scopeId: number, parentId: number): Promise<void>
}
