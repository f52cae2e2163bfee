import { randomBytes } from 'node:crypto'
import type { Application } from '@leitstand/contract'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { requireAccount } from '../accounts/index.ts'
import { changesBetween, recordActivity } from '../activity/index.ts'
import { hashToken, ownSelf } from '../people/index.ts'
import { groundsChanged } from '../rights/index.ts'
import {
  deleteApplication,
  findApplication,
  insertApplication,
  listApplications,
  listGranted,
  type SecretHash,
  setSecret,
  updateApplication,
} from './applications.store.ts'
import { deleteGrant } from './records.store.ts'
import type { ApplicationTokens } from './tokens.ts'

const secretPrefix = 'lsa_'
const shownLength = 10

/** Applications of accounts, and the grants of users. */
export function applicationRoutes({ db, clock }: Context, tokens: ApplicationTokens) {
  return {
    list: os.application.list.handler(async ({ input, context: { caller } }) => {
      const page = await listApplications(db, caller.scopeIds('UserManagement', 'read'), input)
      return { ...page, offset: input.offset, limit: input.limit }
    }),
    create: os.application.create.handler(async ({ input, context: { caller } }) => {
      ownSelf(caller)
      const made = input.kind === 'confidential' ? makeSecret() : null
      const application = await db.transaction().execute(async (tx) => {
        await requireAccount(tx, input.accountId, caller.scopeIds('UserManagement', 'manage'))
        const id = await insertApplication(tx, {
          ...input,
          clientId: makeClientId(),
          secret: made?.stored ?? null,
          createdBy: caller.name,
          at: clock.now(),
        })
        const created = await requireApplication(tx, caller, id)
        await recordActivity(tx, caller, { action: 'create', ...about(created), changes: shown(created) })
        return created
      })
      return { application, secret: made?.secret ?? null }
    }),
    update: os.application.update.handler(async ({ input, context: { caller } }) => {
      ownSelf(caller)
      const { id, version } = input
      const application = await db.transaction().execute(async (tx) => {
        const before = await requireApplication(tx, caller, id)
        if (!(await updateApplication(tx, id, version, input, clock.now())))
          throw new AppError('VERSION_CONFLICT')
        const after = await requireApplication(tx, caller, id)
        const changes = changesBetween(shown(before), shown(after))
        await recordActivity(tx, caller, { action: 'update', ...about(after), changes })
        return after
      })
      tokens.forget(groundsChanged('applications', [id]))
      return application
    }),
    rotate: os.application.rotate.handler(async ({ input: { id, version }, context: { caller } }) => {
      ownSelf(caller)
      const { secret, stored } = makeSecret()
      const application = await db.transaction().execute(async (tx) => {
        const before = await requireApplication(tx, caller, id)
        if (before.kind === 'public') throw new AppError('APPLICATION_WITHOUT_SECRET')
        if (!(await setSecret(tx, id, version, stored, clock.now()))) throw new AppError('VERSION_CONFLICT')
        const after = await requireApplication(tx, caller, id)
        await recordActivity(tx, caller, { action: 'rotate', ...about(after) })
        return after
      })
      return { application, secret }
    }),
    delete: os.application.delete.handler(async ({ input: { id }, context: { caller } }) => {
      ownSelf(caller)
      await db.transaction().execute(async (tx) => {
        const application = await requireApplication(tx, caller, id)
        await deleteApplication(tx, id)
        const changes = { users: application.users }
        await recordActivity(tx, caller, { action: 'delete', ...about(application), changes })
      })
      tokens.forget(groundsChanged('applications', [id]))
      return { ok: true as const }
    }),
    granted: os.application.granted.handler(async ({ input, context: { caller } }) => {
      const { userId } = ownSelf(caller)
      const page = await listGranted(db, userId, clock.now(), input)
      return { ...page, offset: input.offset, limit: input.limit }
    }),
    revoke: os.application.revoke.handler(async ({ input: { id }, context: { caller } }) => {
      const { userId } = ownSelf(caller)
      await db.transaction().execute(async (tx) => {
        const ended = await deleteGrant(tx, { id, userId })
        if (!ended) throw new AppError('APPLICATION_NOT_FOUND', { id })
        const { applicationId, title, accountId } = ended
        const application = { subject: 'Application', objectId: applicationId, objectTitle: title }
        await recordActivity(tx, caller, { action: 'revoke', ...application, accountId })
      })
      tokens.forget(groundsChanged('application_grants', [id]))
      return { ok: true as const }
    }),
  }
}

/** A new secret and its stored form. */
function makeSecret(): { secret: string; stored: SecretHash } {
  const secret = secretPrefix + randomBytes(32).toString('base64url')
  return { secret, stored: { hash: hashToken(secret), prefix: secret.slice(0, shownLength) } }
}

function makeClientId(): string {
  return `app_${randomBytes(12).toString('base64url')}`
}

async function requireApplication(tx: Executor, caller: Caller, id: number): Promise<Application> {
  const application = await findApplication(tx, caller.scopeIds('UserManagement', 'manage'), id)
  if (!application) throw new AppError('APPLICATION_NOT_FOUND', { id })
  return application
}

function about({ id, title, accountId }: Application) {
  return { subject: 'Application', objectId: id, objectTitle: title, accountId }
}

function shown({ title, description, homepage, kind, redirectUris, scopes }: Application) {
  return { title, description, homepage, kind, redirectUris, scopes }
}
