import { type ApiKey, callsPerMinuteMax } from '@leitstand/contract'
import type { RoleRule } from '@leitstand/contract/permissions'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { changesBetween, recordActivity } from '../activity/index.ts'
import { ownSelf } from '../people/index.ts'
import { groundsChanged, requireHeld, rightsGained } from '../rights/index.ts'
import { type ApiKeys, makeToken } from './keys.ts'
import {
  deleteKey,
  findKey,
  findRole,
  findScope,
  insertKey,
  type KeyContent,
  listKeys,
  rotateKey,
  updateKey,
} from './store.ts'

const hourMs = 3_600_000

interface KeyInput {
  title: string
  callsPerMinute: number
  validFrom: string | null
  validUntil: string | null
  scopeId: number
  roleId: number
}

export function apiKeyRoutes({ db, clock }: Context, keys: ApiKeys) {
  return {
    list: os.apikey.list.handler(async ({ input, context: { caller } }) => {
      const page = await listKeys(db, caller.scopeIds('UserManagement', 'read'), input)
      return { ...page, offset: input.offset, limit: input.limit }
    }),
    create: os.apikey.create.handler(async ({ input, context: { caller } }) => {
      ownSelf(caller)
      const { token, hash, prefix } = makeToken()
      const key = await db.transaction().execute(async (tx) => {
        requireFutureEnd(input.validUntil, clock.now())
        const content = await checked(tx, caller, input)
        const made = { prefix, hash, createdBy: caller.name, at: clock.now() }
        const id = await insertKey(tx, { ...content, ...made })
        const created = await requireKey(tx, caller, id)
        await recordActivity(tx, caller, { action: 'create', ...about(created), changes: shown(created) })
        return created
      })
      return { key, token }
    }),
    update: os.apikey.update.handler(async ({ input, context: { caller } }) => {
      ownSelf(caller)
      const { id, version } = input
      const key = await db.transaction().execute(async (tx) => {
        const before = await requireOwned(tx, caller, id)
        if (before.validUntil !== input.validUntil) requireFutureEnd(input.validUntil, clock.now())
        const content = await checked(tx, caller, input)
        if (!(await updateKey(tx, id, version, content, clock.now()))) throw new AppError('VERSION_CONFLICT')
        const after = await requireKey(tx, caller, id)
        const changes = changesBetween(shown(before), shown(after))
        await recordActivity(tx, caller, { action: 'update', ...about(after), changes })
        return after
      })
      keys.forget(groundsChanged('api_keys', [id]))
      return key
    }),
    rotate: os.apikey.rotate.handler(async ({ input, context: { caller } }) => {
      ownSelf(caller)
      const { id, version, overlapHours } = input
      const { token, hash, prefix } = makeToken()
      const at = clock.now()
      const previousUntil = overlapHours === 0 ? null : new Date(at.getTime() + overlapHours * hourMs)
      const key = await db.transaction().execute(async (tx) => {
        await requireOwned(tx, caller, id)
        if (!(await rotateKey(tx, id, version, { prefix, hash, previousUntil, at })))
          throw new AppError('VERSION_CONFLICT')
        const after = await requireKey(tx, caller, id)
        await recordActivity(tx, caller, { action: 'rotate', ...about(after), changes: { overlapHours } })
        return after
      })
      keys.forget(groundsChanged('api_keys', [id]))
      return { key, token }
    }),
    delete: os.apikey.delete.handler(async ({ input: { id }, context: { caller } }) => {
      ownSelf(caller)
      await db.transaction().execute(async (tx) => {
        const key = await requireKey(tx, caller, id)
        await deleteKey(tx, id)
        await recordActivity(tx, caller, { action: 'delete', ...about(key) })
      })
      keys.forget(groundsChanged('api_keys', [id]))
      return { ok: true as const }
    }),
  }
}

/**
 * @throws AppError MAX_USER_API_TOKEN_LIMIT_TOO_HIGH, INVALID_DATE_RANGE, SCOPE_NOT_FOUND, ABAC_ROLE_NOT_FOUND,
 *   NO_PERMISSION when the key would have rights the caller lacks
 */
async function checked(tx: Executor, caller: Caller, input: KeyInput): Promise<KeyContent> {
  if (input.callsPerMinute > callsPerMinuteMax)
    throw new AppError('MAX_USER_API_TOKEN_LIMIT_TOO_HIGH', { max: callsPerMinuteMax })
  const validFrom = input.validFrom === null ? null : new Date(input.validFrom)
  const validUntil = input.validUntil === null ? null : new Date(input.validUntil)
  if (validFrom && validUntil && validUntil <= validFrom) throw new AppError('INVALID_DATE_RANGE')
  const scope = await findScope(tx, caller.scopeIds('UserManagement', 'manage'), input.scopeId)
  if (!scope) throw new AppError('SCOPE_NOT_FOUND', { id: input.scopeId })
  const role = await findRole(tx, input.roleId, scope.accountId)
  if (!role) throw new AppError('ABAC_ROLE_NOT_FOUND', { id: input.roleId })
  await requireCoveredRole(tx, caller, scope.id, role.rules)
  const { title, callsPerMinute, scopeId, roleId } = input
  return { title, callsPerMinute, validFrom, validUntil, scopeId, roleId, accountId: scope.accountId }
}

/** @throws AppError END_IN_THE_PAST for a key that could never be used */
function requireFutureEnd(validUntil: string | null, now: Date): void {
  if (validUntil !== null && new Date(validUntil) <= now) throw new AppError('END_IN_THE_PAST')
}

async function requireCoveredRole(
  tx: Executor,
  caller: Caller,
  scopeId: number,
  rules: readonly RoleRule[],
): Promise<void> {
  requireHeld(await rightsGained(tx, [], [{ scopeId, isMain: true, rules }], caller))
}

async function requireKey(tx: Executor, caller: Caller, id: number): Promise<ApiKey> {
  const key = await findKey(tx, caller.scopeIds('UserManagement', 'manage'), id)
  if (!key) throw new AppError('API_KEY_NOT_FOUND', { id })
  return key
}

/** Callers must hold all rights of a key, since rotating it gives them its token. */
async function requireOwned(tx: Executor, caller: Caller, id: number): Promise<ApiKey> {
  const key = await requireKey(tx, caller, id)
  if (key.roleId === null) throw new AppError('API_KEY_IS_LINK', { id })
  const role = await findRole(tx, key.roleId, key.accountId)
  if (role) await requireCoveredRole(tx, caller, key.scopeId, role.rules)
  return key
}

function about({ id, title, accountId }: ApiKey) {
  return { subject: 'ApiKey', objectId: id, objectTitle: title, accountId }
}

function shown(key: ApiKey) {
  const { title, callsPerMinute, validFrom, validUntil, scopeName } = key
  const role = { name: key.roleName, key: key.roleKey }
  return { title, callsPerMinute, validFrom, validUntil, scope: scopeName, role }
}
