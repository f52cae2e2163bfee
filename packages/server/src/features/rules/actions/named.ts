import type { RuleAction } from '@leitstand/contract/rules'
import type { Executor } from '../../../platform/db/index.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { readScopes, writeScopes } from '../../twins/index.ts'
import { refuseIssues } from '../issues.ts'
import { visibleRules } from '../store/others.ts'

/**
 * Other rules may only be named by those who may change them, within the account.
 * @param nameOf the rule an action names; null: none
 * @throws AppError VALIDATION_ERROR at the field `ruleId` of the actions
 */
export async function requireNamedRules(
  tx: Executor,
  { caller, accountId }: { caller: Caller; accountId: number },
  actions: readonly RuleAction[],
  nameOf: (action: RuleAction) => number | null,
): Promise<void> {
  const named = actions.map(nameOf)
  const ids = named.filter((id) => id !== null)
  if (ids.length === 0) return
  const scopes = writeScopes(caller, 'digitalTwin')
  const usable = readScopes(caller, 'digitalTwin').filter((id) => scopes.includes(id))
  const known = await visibleRules(tx, ids, usable, accountId)
  refuseIssues(
    named.flatMap((id, index) =>
      id === null || known.has(id)
        ? []
        : [
            {
              path: ['actions', String(index), 'ruleId'],
              message: 'no such rule in the account',
              text: 'ruleForeign' as const,
            },
          ],
    ),
  )
}
