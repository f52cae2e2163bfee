import { all, holds, type Row, row } from './row.ts'
import type { World } from './world.ts'

/** A provider that is never contacted: its name does not resolve. */
const address = 'https://provider.invalid'
const oidcOf = ({ own }: World) => ({
  accountId: own.id,
  title: 'Provider',
  clientId: 'leitstand',
  discoveryUrl: address,
})
const oauth2Of = ({ own }: World) => ({
  accountId: own.id,
  title: 'Provider',
  clientId: 'leitstand',
  endpoints: { authorization: `${address}/a`, token: `${address}/t`, userinfo: `${address}/u` },
})
const oidc = (world: World) => world.app.api.oidcClient.create(oidcOf(world))
const oauth2 = (world: World) => world.app.api.oauth2Client.create(oauth2Of(world))
/** Only users, not programs or impersonating users, may manage providers. */
const persons = { key: '403', impersonated: 'self' } as const

/** Single sign-on (specification 1, sections 2 and 3). */
export const signOn: Record<string, Row> = {
  'sso.oidcButtons': row({ needs: 'public', call: (api) => api.sso.oidcButtons({}) }),
  'sso.oauth2Buttons': row({ needs: 'public', call: (api) => api.sso.oauth2Buttons({}) }),
  'sso.confirm': row({
    needs: 'public',
    call: (api) => api.sso.confirm({ code: '123456' }),
    reaches: 'SSO_ATTEMPT_ENDED',
  }),
  'sso.addresses': row({
    needs: 'all manage',
    call: (api, _, __, { own }) => api.sso.addresses({ accountId: own.id, key: 'keyofaclientofthematrix' }),
  }),
  'oidcClient.list': row({
    needs: 'all manage',
    given: oidc,
    call: (api) => api.oidcClient.list(all),
    shows: holds,
  }),
  'oidcClient.create': row({
    needs: 'all manage',
    except: persons,
    call: (api, _, __, world) => api.oidcClient.create(oidcOf(world)),
  }),
  'oidcClient.update': row({
    needs: 'all manage',
    except: persons,
    given: oidc,
    call: (api, { id }, _, world) => api.oidcClient.update({ ...oidcOf(world), id, version: 1 }),
  }),
  'oidcClient.delete': row({
    needs: 'all manage',
    except: persons,
    given: oidc,
    call: (api, { id }) => api.oidcClient.delete({ id }),
  }),
  'oidcClient.validate': row({
    needs: 'all manage',
    call: (api, _, __, world) => api.oidcClient.validate(oidcOf(world)),
  }),
  'oauth2Client.list': row({
    needs: 'all manage',
    given: oauth2,
    call: (api) => api.oauth2Client.list(all),
    shows: holds,
  }),
  'oauth2Client.create': row({
    needs: 'all manage',
    except: persons,
    call: (api, _, __, world) => api.oauth2Client.create(oauth2Of(world)),
  }),
  'oauth2Client.update': row({
    needs: 'all manage',
    except: persons,
    given: oauth2,
    call: (api, { id }, _, world) => api.oauth2Client.update({ ...oauth2Of(world), id, version: 1 }),
  }),
  'oauth2Client.delete': row({
    needs: 'all manage',
    except: persons,
    given: oauth2,
    call: (api, { id }) => api.oauth2Client.delete({ id }),
  }),
  'oauth2Client.validate': row({
    needs: 'all manage',
    call: (api, _, __, world) => api.oauth2Client.validate(oauth2Of(world)),
  }),
}
