import type { Share } from '@leitstand/contract/sharing'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { ChangedGrounds } from '../../platform/derivedCache.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import { deleteKey, insertKey, makeToken, setKeyEnd } from '../apikeys/index.ts'
import { findVisibleBoard } from '../dashboards/index.ts'
import { hashPassword, ownSelf } from '../people/index.ts'
import { groundsChanged, readAccountScope, readScopeTree } from '../rights/index.ts'
import { findObject, readScopes } from '../twins/index.ts'
import { findShareOf, insertShare, type ShareRow, updateShare } from './store.ts'

const tokenPrefix = 'lss_'
/** Not used: visitors are counted by address, see `shareLimits`. */
const callsPerMinute = 100

type Kind = ShareRow['kind']

/** A twin or dashboard that is, or may be, shared. */
interface Target {
  id: number
  title: string
  accountId: number
  scopeId: number
}

interface Settings {
  id: number
  validUntil: string | null
  origins: readonly string[]
  password?: string | null | undefined
}

/** Creating, changing and ending links, for users. */
export function linkRoutes(ctx: Context, forget: LinkTools['forget']) {
  const tools: LinkTools = { ctx, forget }
  const done = { ok: true as const }
  return {
    sharing: {
      canShare: os.sharing.canShare.handler(({ input: { id }, context: { caller } }) =>
        canShare(tools, caller, 'twin', id),
      ),
      isShared: os.sharing.isShared.handler(({ input: { id }, context: { caller } }) =>
        isShared(tools, caller, 'twin', id),
      ),
      findExistingKey: os.sharing.findExistingKey.handler(({ input: { id }, context: { caller } }) =>
        findLink(tools, caller, 'twin', id),
      ),
      createKey: os.sharing.createKey.handler(({ input, context: { caller } }) =>
        createLink(tools, caller, 'twin', input),
      ),
      updateKey: os.sharing.updateKey.handler(({ input, context: { caller } }) =>
        updateLink(tools, caller, 'twin', input),
      ),
      deleteKey: os.sharing.deleteKey.handler(async ({ input: { id }, context: { caller } }) => {
        await deleteLink(tools, caller, 'twin', id)
        return done
      }),
    },
    dashboardSharing: {
      canShare: os.dashboardSharing.canShare.handler(({ input: { id }, context: { caller } }) =>
        canShare(tools, caller, 'dashboard', id),
      ),
      isShared: os.dashboardSharing.isShared.handler(({ input: { id }, context: { caller } }) =>
        isShared(tools, caller, 'dashboard', id),
      ),
      findExistingKey: os.dashboardSharing.findExistingKey.handler(({ input: { id }, context: { caller } }) =>
        findLink(tools, caller, 'dashboard', id),
      ),
      createKey: os.dashboardSharing.createKey.handler(({ input, context: { caller } }) =>
        createLink(tools, caller, 'dashboard', input),
      ),
      updateKey: os.dashboardSharing.updateKey.handler(({ input, context: { caller } }) =>
        updateLink(tools, caller, 'dashboard', input),
      ),
      deleteKey: os.dashboardSharing.deleteKey.handler(async ({ input: { id }, context: { caller } }) => {
        await deleteLink(tools, caller, 'dashboard', id)
        return done
      }),
    },
  }
}

interface LinkTools {
  ctx: Context
  /** called when a link has changed or ended */
  forget(changed: ChangedGrounds): void
}

async function canShare({ ctx: { db } }: LinkTools, caller: Caller, kind: Kind, id: number) {
  const { scopeId } = await findTarget(db, caller, kind, id)
  if (mayShare(caller, scopeId)) return { canShare: true, reason: null }
  const isOff = caller.grantedIn('PublicSharing', 'manage').includes(scopeId)
  return { canShare: false, reason: isOff ? ('module' as const) : ('permission' as const) }
}

async function isShared({ ctx: { db, clock } }: LinkTools, caller: Caller, kind: Kind, id: number) {
  await findTarget(db, caller, kind, id)
  const share = await findShareOf(db, kind, id)
  return { shared: share !== undefined && !hasEnded(share, clock.now()) }
}

async function findLink({ ctx }: LinkTools, caller: Caller, kind: Kind, id: number) {
  requireShare(caller, await findTarget(ctx.db, caller, kind, id))
  const share = await findShareOf(ctx.db, kind, id)
  return { share: share ? toShare(share, ctx) : null }
}

async function createLink({ ctx }: LinkTools, caller: Caller, kind: Kind, input: Settings): Promise<Share> {
  ownSelf(caller)
  const { db, clock, secrets } = ctx
  const passwordHash = await hashOf(input.password)
  return db.transaction().execute(async (tx) => {
    const target = await findTarget(tx, caller, kind, input.id)
    await requireAll(tx, caller, kind, target)
    if (await findShareOf(tx, kind, target.id)) throw new AppError('SHARE_DUPLICATE', { id: target.id })
    const { token, hash, prefix } = makeToken(tokenPrefix)
    const keyId = await insertKey(tx, {
      title: target.title,
      callsPerMinute,
      validFrom: null,
      validUntil: endOf(input, clock.now()),
      accountId: target.accountId,
      scopeId: await readAccountScope(tx, target.accountId),
      roleId: null,
      shows: { kind, id: target.id },
      prefix,
      hash,
      createdBy: caller.name,
      at: clock.now(),
    })
    const sealedToken = secrets.seal(token, sealedFor(keyId))
    await insertShare(tx, { keyId, sealedToken, passwordHash: passwordHash ?? null, origins: input.origins })
    await note(tx, caller, kind, 'share', target, input)
    return toShare(await requireLink(tx, kind, target.id), ctx)
  })
}

async function updateLink(tools: LinkTools, caller: Caller, kind: Kind, input: Settings): Promise<Share> {
  ownSelf(caller)
  const { ctx, forget } = tools
  const { db, clock } = ctx
  const passwordHash = await hashOf(input.password)
  const changed = await db.transaction().execute(async (tx) => {
    const target = await findTarget(tx, caller, kind, input.id)
    await requireAll(tx, caller, kind, target)
    const { keyId, validUntil } = await requireLink(tx, kind, target.id)
    const isSameEnd = input.validUntil !== null && Date.parse(input.validUntil) === validUntil?.getTime()
    await setKeyEnd(tx, keyId, isSameEnd ? validUntil : endOf(input, clock.now()), clock.now())
    await updateShare(tx, keyId, {
      origins: input.origins,
      ...(passwordHash === undefined ? {} : { passwordHash }),
    })
    await note(tx, caller, kind, 'changeShare', target, input)
    return toShare(await requireLink(tx, kind, target.id), ctx)
  })
  forget(groundsChanged('api_keys', [changed.keyId]))
  return changed
}

async function deleteLink(tools: LinkTools, caller: Caller, kind: Kind, id: number): Promise<void> {
  ownSelf(caller)
  const deleted = await tools.ctx.db.transaction().execute(async (tx) => {
    const target = await findTarget(tx, caller, kind, id)
    requireShare(caller, target)
    const { keyId } = await requireLink(tx, kind, id)
    await deleteKey(tx, keyId)
    await note(tx, caller, kind, 'unshare', target)
    return keyId
  })
  tools.forget(groundsChanged('api_keys', [deleted]))
}

const sealedFor = (keyId: number) => `share:${keyId}`

function toShare(row: ShareRow, { secrets }: Pick<Context, 'secrets'>): Share {
  const { keyId, kind, objectId, title, origins, createdBy } = row
  return {
    keyId,
    kind,
    objectId,
    title,
    token: secrets.open(row.sealedToken, sealedFor(keyId)),
    validUntil: row.validUntil?.toISOString() ?? null,
    hasPassword: row.passwordHash !== null,
    origins,
    createdBy,
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  }
}

const hasEnded = ({ validUntil }: ShareRow, now: Date) => validUntil !== null && validUntil <= now

/** @throws AppError DTWIN_NOT_FOUND, DASHBOARD_NOT_FOUND */
async function findTarget(db: Executor, caller: Caller, kind: Kind, id: number): Promise<Target> {
  if (kind === 'dashboard') {
    const { name, accountId, scopeId } = await findVisibleBoard(db, caller, id)
    return { id, title: name, accountId, scopeId }
  }
  const twin = await findObject(db, 'digitalTwin', readScopes(caller, 'digitalTwin'), id)
  if (!twin) throw new AppError('DTWIN_NOT_FOUND', { id })
  const { title, accountId, scopeId } = twin
  return { id, title, accountId, scopeId }
}

function mayShare(caller: Caller, scopeId: number): boolean {
  return caller.scopeIds('PublicSharing', 'manage').includes(scopeId)
}

/** @throws AppError NO_PERMISSION */
function requireShare(caller: Caller, { scopeId }: Target): void {
  if (!mayShare(caller, scopeId))
    throw new AppError('NO_PERMISSION', { subject: 'PublicSharing', action: 'manage' })
}

/**
 * A link shows everything below its object, so its creator must be allowed to see and share all of it.
 * @throws AppError NO_PERMISSION
 */
async function requireAll(tx: Executor, caller: Caller, kind: Kind, target: Target): Promise<void> {
  requireShare(caller, target)
  const shown = new Set(
    kind === 'twin' ? readScopes(caller, 'digitalTwin') : caller.scopeIds('Dashboards', 'read'),
  )
  const needed = await readScopeTree(tx, [target.scopeId])
  if (needed.every(({ id }) => shown.has(id) && mayShare(caller, id))) return
  const subject = kind === 'twin' ? 'DigitalTwin' : 'Dashboards'
  throw new AppError('NO_PERMISSION', { subject, action: 'read' })
}

/** @throws AppError SHARE_NOT_FOUND */
async function requireLink(tx: Executor, kind: Kind, id: number): Promise<ShareRow> {
  const share = await findShareOf(tx, kind, id)
  if (!share) throw new AppError('SHARE_NOT_FOUND', { id })
  return share
}

async function hashOf(password: string | null | undefined): Promise<string | null | undefined> {
  return password === null || password === undefined ? password : hashPassword(password)
}

/** @throws AppError END_IN_THE_PAST for a link that nobody could open */
function endOf({ validUntil }: Settings, now: Date): Date | null {
  if (validUntil === null) return null
  const end = new Date(validUntil)
  if (end <= now) throw new AppError('END_IN_THE_PAST')
  return end
}

async function note(
  tx: Executor,
  caller: Caller,
  kind: Kind,
  action: 'share' | 'changeShare' | 'unshare',
  { id, title, accountId }: Target,
  settings?: Settings,
): Promise<void> {
  await recordActivity(tx, caller, {
    action,
    subject: kind === 'twin' ? 'DigitalTwin' : 'Dashboard',
    objectId: id,
    objectTitle: title,
    accountId,
    ...(settings
      ? {
          changes: {
            validUntil: settings.validUntil,
            origins: [...settings.origins],
            ...(settings.password === undefined ? {} : { withPassword: settings.password !== null }),
          },
        }
      : {}),
  })
}
