import { randomBytes } from 'node:crypto'
import type { ApplicationScope } from '@leitstand/contract/applications'
import { ApplicationScope as Scope } from '@leitstand/contract/applications'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import type { Sessions } from '../people/index.ts'
import { ownSelf, sessionBegun } from '../people/index.ts'
import { readScopeTree } from '../rights/index.ts'
import { metadataOf } from './adapter.ts'
import { type ClientRow, findClient } from './applications.store.ts'
import { grafanaRoleOf } from './grafana.ts'
import { grantLastsMs, type OAuthProvider, requestCookie } from './provider.ts'
import { findGrant, saveGrant } from './records.store.ts'

/** The consent page's operations: read a request of an application and decide on it. */
export function requestRoutes({ db, clock }: Context, oauth: OAuthProvider, sessions: Sessions) {
  /** @throws AppError APPLICATION_REQUEST_ENDED, also when the request was begun in another browser */
  const requireRequest = async (uid: string, headers: Record<string, string | string[] | undefined>) => {
    const provider = await oauth.get()
    const interaction = hasCookie(headers.cookie, uid) ? await provider.Interaction.find(uid) : undefined
    const { client_id: clientId, redirect_uri: redirectUri, scope } = interaction?.params ?? {}
    const client = interaction && (await findClient(db, String(clientId)))
    if (!client) throw new AppError('APPLICATION_REQUEST_ENDED')
    return { interaction, client, redirectUri: String(redirectUri), scopes: scopesOf(String(scope ?? '')) }
  }
  /** Whether the user has any rights where the application acts. */
  const reaches = async (userId: number, client: ClientRow) => {
    const within = new Set((await readScopeTree(db, [client.scopeId])).map(({ id }) => id))
    return (await sessions.rightsOf(userId)).scopes.some(({ id }) => within.has(id))
  }
  const lacksRole = async (userId: number, client: ClientRow, scopes: readonly ApplicationScope[]) =>
    scopes.includes('grafana') && !(await grafanaRoleOf(db, await sessions.rightsOf(userId), client))
  return {
    request: os.oauth.request.handler(async ({ input, context: { caller, headers } }) => {
      const { userId } = ownSelf(caller)
      const { client, redirectUri, scopes } = await requireRequest(input.request, headers)
      const granted = await findGrant(db, userId, client.id, clock.now())
      const withinReach = await reaches(userId, client)
      const hasNoRole = await lacksRole(userId, client, scopes)
      return {
        title: client.title,
        description: client.description,
        icon: client.icon,
        homepage: client.homepage,
        accountName: client.accountName,
        returnsTo: new URL(redirectUri).host,
        scopes,
        withinReach,
        hasNoRole,
        // Any local program can pose as a native application, so consent is required each time.
        allowedBefore:
          withinReach &&
          !hasNoRole &&
          metadataOf(client, false).application_type !== 'native' &&
          scopes.every((scope) => granted?.scopes.includes(scope) ?? false),
      }
    }),
    decide: os.oauth.decide.handler(async ({ input, context: { caller, headers } }) => {
      const { userId, sessionId } = ownSelf(caller)
      const { interaction, client, scopes } = await requireRequest(input.request, headers)
      if (!input.allow) {
        interaction.result = { error: 'access_denied', error_description: 'the person refused' }
        await interaction.persist()
        return { returnTo: interaction.returnTo }
      }
      if (!(await reaches(userId, client))) throw new AppError('APPLICATION_OUT_OF_REACH')
      if (await lacksRole(userId, client, scopes)) throw new AppError('APPLICATION_NO_ROLE')
      const at = clock.now()
      const begun = await sessionBegun(db, sessionId)
      const grantId = await db.transaction().execute(async (tx) => {
        const before = await findGrant(tx, userId, client.id, at)
        const added = scopes.filter((scope) => !before?.scopes.includes(scope))
        const grantKey = await saveGrant(tx, {
          grantKey: randomBytes(24).toString('base64url'),
          userId,
          applicationId: client.id,
          scopes,
          factorByProvider: begun?.factorByProvider ?? false,
          at,
          expiresAt: new Date(at.getTime() + grantLastsMs),
        })
        const { id: objectId, title: objectTitle, accountId } = client
        const about = { subject: 'Application', objectId, objectTitle, accountId }
        if (!before || added.length > 0)
          await recordActivity(tx, caller, { action: 'allow', ...about, changes: { scopes: added } })
        return grantKey
      })
      interaction.result = {
        login: {
          accountId: String(userId),
          remember: false,
          ...(begun ? { ts: Math.floor(begun.at.getTime() / 1000) } : {}),
        },
        consent: { grantId },
      }
      await interaction.persist()
      return { returnTo: interaction.returnTo }
    }),
  }
}

/** The requested scopes that are known. */
function scopesOf(text: string): ApplicationScope[] {
  return [...new Set(text.split(' '))].flatMap((scope) => {
    const known = Scope.safeParse(scope)
    return known.success ? [known.data] : []
  })
}

function hasCookie(header: string | string[] | undefined, uid: string): boolean {
  return String(header ?? '')
    .split(';')
    .some((part) => part.trim() === `${requestCookie}=${uid}`)
}
