import type { Context } from '../../platform/context.ts'
import type { Authenticate } from '../../platform/http/api.ts'
import { prepareFirstStart } from './bootstrap.ts'
import { Login } from './login.ts'
import { accessRoutes } from './routes.ts'
import { Sessions } from './sessions.ts'
import { deleteEndedSessions, deleteSessionsOf, findSuperAdmin } from './store/access.ts'

export { type FirstSignIn, resetAdmin } from './bootstrap.ts'
export { hashPassword } from './password.ts'

/** Operations that change who may do what; a twin can bring a scope of its own. */
const changesRights = /^\/api\/(auth|user|acl|scope|tenant|digitaltwin(?!\/states))(\/|$)/
const cleanQueue = 'access.clean'
const demoUserAgent = 'demo city'

/** Accounts, users, roles, sessions: who may come in and what they may do. */
export function register(ctx: Context) {
  const sessions = new Sessions(ctx.db, ctx.clock)
  const login = new Login(ctx, sessions)
  for (const table of ['accounts', 'scopes', 'roles', 'user_access'] as const) {
    ctx.configChanges.on(table, () => sessions.forget())
  }
  ctx.configChanges.on('users', (ids) => (ids === '*' ? sessions.forget() : sessions.forgetUsers(ids)))
  ctx.jobs.work(cleanQueue, () => deleteEndedSessions(ctx.db, ctx.clock.now()))
  ctx.jobs.schedule(cleanQueue, '17 3 * * *')

  const authenticate: Authenticate = (token, ip) => sessions.callerOf(token, ip)
  return {
    routes: accessRoutes(ctx, sessions, login),
    authenticate,
    /** Makes the next request see rights that have just been changed, before the notification arrives. */
    forgetRights: () => sessions.forget(),
    /** The same after an operation of the API that may have changed rights. */
    afterWrite: (path: string) => {
      if (changesRights.test(path)) sessions.forget()
    },
    /** Creates what an empty database needs. */
    prepareFirstStart: () => prepareFirstStart(ctx),
    /**
     * A session of the system administrator for the demo city, which builds itself through the API like anybody else.
     * The one of an earlier start ends. Null when there is no system administrator.
     */
    lendDemoSession: async (): Promise<string | null> => {
      const admin = await findSuperAdmin(ctx.db)
      if (!admin) return null
      return ctx.db.transaction().execute(async (tx) => {
        await deleteSessionsOf(tx, admin.id, demoUserAgent)
        const { token } = await sessions.begin(tx, { userId: admin.id, ip: '', userAgent: demoUserAgent })
        return token
      })
    },
  }
}
