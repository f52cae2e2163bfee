import type { Context } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { sessionCookie } from '../../../platform/http/credentials.ts'
import { os } from '../../../platform/http/implement.ts'
import { ownSelf } from '../person.ts'
import { readUser } from '../store/users.ts'
import { type Passwords, personOfRow } from './passwords.ts'
import { leastPolicy } from './policy.ts'

export const forgottenQueue = 'access.forgotten'

export function passwordRoutes({ db, jobs }: Context, passwords: Passwords) {
  return {
    forgot: os.password.forgot.handler(async ({ input, context: { ip } }) => {
      await jobs.send(db, forgottenQueue, { email: input.email, ip })
      return { ok: true as const }
    }),
    reset: os.password.reset.handler(async ({ input, context: { ip } }) => {
      await passwords.reset(input.token, input.password, ip)
      return { ok: true as const }
    }),
    policy: os.password.policy.handler(async ({ input, context: { caller } }) => {
      if (input.token !== undefined) return passwords.rulesFor(await passwords.personOf(input.token))
      const user = caller.userId === null ? undefined : await readUser(db, caller.userId)
      return user ? passwords.rulesFor(personOfRow(user)) : { ...leastPolicy, own: [] }
    }),
    change: os.password.change.handler(async ({ input, context }) => {
      const { caller, credentials } = context
      const self = ownSelf(caller)
      if (credentials.token === null) throw new AppError('AUTH_TOKEN_NOT_FOUND')
      const { oldPassword, newPassword } = input
      const { token, expiresAt } = await passwords.change(
        { ...caller, ...self },
        credentials.token,
        oldPassword,
        newPassword,
      )
      if (credentials.cookieToken === credentials.token)
        context.setCookie(sessionCookie, token, { expires: expiresAt })
      return { token, expiresAt: expiresAt.toISOString() }
    }),
  }
}
