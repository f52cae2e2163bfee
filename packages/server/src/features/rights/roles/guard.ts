import { actions, type RoleRule, subjects } from '@leitstand/contract/permissions'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import {
  type Decision,
  decisionOf,
  type Gain,
  type Grant,
  gainBeyond,
  type Holder,
  Rights,
} from '../rights.ts'
import { readScopeTree } from '../store/scopes.ts'

const rank: Record<Decision, number> = { denied: 0, unsaid: 1, granted: 2 }

/**
 * The first right `after` adds to `before` that the granter lacks; null when there is none. Both are
 * evaluated over the scopes either reaches, as of this transaction.
 */
export async function rightsGained(
  tx: Executor,
  before: readonly Grant[],
  after: readonly Grant[],
  granter: Holder,
): Promise<Gain | null> {
  const roots = [...new Set([...before, ...after].map(({ scopeId }) => scopeId))]
  const scopes = await readScopeTree(tx, roots)
  return gainBeyond(new Rights(scopes, before), new Rights(scopes, after), granter)
}

/** @throws AppError NO_PERMISSION with what is missing, and where */
export function requireHeld(gain: Gain | null): void {
  if (gain)
    throw new AppError('NO_PERMISSION', { ...gain }, `no ${gain.action} permission for ${gain.subject}`)
}

/**
 * Changing a role grants rights to every user who has it, so the caller must hold what the new rules add, in
 * every scope where the role is given and below.
 * @throws AppError NO_PERMISSION with what is missing, and where
 */
export async function requireCovered(
  tx: Executor,
  caller: Holder,
  before: readonly RoleRule[],
  after: readonly RoleRule[],
  scopeIds: readonly number[],
): Promise<void> {
  const scopes = await readScopeTree(tx, [...new Set(scopeIds)])
  for (const subject of subjects) {
    for (const action of actions) {
      const more = rank[decisionOf(after, subject, action)] > rank[decisionOf(before, subject, action)]
      if (!more) continue
      const held = new Set(caller.grantedIn(subject, action))
      const missing = scopes.find(({ id }) => !held.has(id))
      if (missing) requireHeld({ subject, action, scopeId: missing.id })
    }
  }
}
