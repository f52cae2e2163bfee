import type { Explanation, InsightAnswer } from '@leitstand/contract'
import { insightLimits } from '@leitstand/contract/insight'
import type { Action, Subject } from '@leitstand/contract/permissions'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import { os } from '../../../platform/http/implement.ts'
import {
  decisionOf,
  explain,
  explainOne,
  listScopesBelow,
  listUsableRoles,
  type NamedGrant,
  readAccessOn,
  readScopesAbove,
  type ScopeNode,
  scopesSeen,
  wayUp,
} from '../../rights/index.ts'
import { grantsOf } from './holders.ts'

/** Roles read to find those that allow something. */
const rolesReadMax = 300
/** Roles of users read to find those who could give something. */
const givenReadMax = 2000

/** What somebody may do, where and why. */
export function insightRoutes({ db }: Pick<Context, 'db'>) {
  return {
    tree: os.insight.tree.handler(async ({ input, context: { caller } }) => {
      const seen = scopesSeen(caller)
      const { of, id, parentId = null, offset, limit } = input
      if (parentId !== null) requireSeen(seen, parentId)
      const grants = await grantsOf(db, of, id, seen)
      const { items, total } = await listScopesBelow(db, { parentId, visible: seen }, { offset, limit })
      const nodes = []
      for (const { id: scopeId, ...scope } of items) {
        const explained = explain(await readScopesAbove(db, scopeId), grants, scopeId)
        nodes.push({
          scopeId,
          ...scope,
          rolesHere: grants
            .filter((grant) => grant.scopeId === scopeId)
            .map(({ roleName, roleKey }) => ({ name: roleName, key: roleKey })),
          permissions: explained
            .filter(({ allowed }) => allowed)
            .map(({ subject, action }) => `${subject}.${action}`),
        })
      }
      return { items: nodes, total, offset, limit }
    }),
    explain: os.insight.explain.handler(async ({ input, context: { caller } }) => {
      const seen = scopesSeen(caller)
      requireSeen(seen, input.scopeId)
      const grants = await grantsOf(db, input.of, input.id, seen)
      const items = explain(await readScopesAbove(db, input.scopeId), grants, input.scopeId)
      return { items: items.map((item) => withoutHidden(item, seen)) }
    }),
    ask: os.insight.ask.handler(async ({ input, context: { caller } }) => {
      const seen = scopesSeen(caller)
      const { of, id, subject, action, scopeId } = input
      requireSeen(seen, scopeId)
      const grants: NamedGrant[] = await grantsOf(db, of, id, seen)
      const path = wayUp(await readScopesAbove(db, scopeId), scopeId)
      const explanation = withoutHidden(explainOne(path, grants, subject, action), seen)
      if (explanation.allowed) return { explanation, roles: [], givers: { items: [], total: 0 } }
      return {
        explanation,
        roles: await rolesThatAllow(db, path, subject, action),
        givers: await giversOf(db, path, seen, subject, action),
      }
    }),
  }
}

/** @throws AppError SCOPE_NOT_FOUND */
function requireSeen(seen: readonly number[], scopeId: number): void {
  if (!seen.includes(scopeId)) throw new AppError('SCOPE_NOT_FOUND', { id: scopeId })
}

/** The role may be given in an account above, whose name the caller may not see. */
export function withoutHidden(one: Explanation, seen: readonly number[]): Explanation {
  return one.because && !seen.includes(one.because.scopeId)
    ? { ...one, because: { ...one.because, scopeName: '' } }
    : one
}

async function rolesThatAllow(
  db: Executor,
  [scope]: readonly ScopeNode[],
  subject: Subject,
  action: Action,
): Promise<InsightAnswer['roles']> {
  if (!scope) return []
  const roles = await listUsableRoles(db, scope.accountId, rolesReadMax)
  return roles
    .filter(({ rules }) => decisionOf(rules, subject, action) === 'granted')
    .slice(0, insightLimits.rolesMax)
    .map(({ name, key }) => ({ name, key }))
}

/** Users who manage users in the scope and have the permission themselves. */
async function giversOf(
  db: Executor,
  path: readonly ScopeNode[],
  seen: readonly number[],
  subject: Subject,
  action: Action,
): Promise<InsightAnswer['givers']> {
  const scopeIds = path.map(({ id }) => id)
  const rows = await readAccessOn(db, { scopeIds, visible: seen }, givenReadMax)
  // What a user may give depends on roles alone, not on modules that are off.
  const bare = path.map((scope): ScopeNode => ({ ...scope, modulesOff: [] }))
  const givers = [...Map.groupBy(rows, ({ userId }) => userId)].flatMap(([id, given]) => {
    const grants = given.map(({ scopeId, rules }) => ({
      scopeId,
      rules,
      roleId: null,
      roleName: '',
      roleKey: null,
    }))
    const may = (what: Subject, how: Action) => explainOne(bare, grants, what, how).allowed
    const [first] = given
    return first && may('UserManagement', 'manage') && may(subject, action)
      ? [{ id, username: first.username }]
      : []
  })
  return { items: givers.slice(0, insightLimits.giversMax), total: givers.length }
}
