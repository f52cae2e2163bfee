import { randomBytes } from 'node:crypto'
import { all, holds, type Row, row } from './row.ts'
import type { World } from './world.ts'

const content = {
  title: 'Application',
  redirectUris: ['https://app.example.org/back'],
  scopes: ['openid' as const],
}

async function application(world: World): Promise<{ id: number }> {
  const at = world.app.ctx.clock.now()
  return world.app.ctx.db
    .insertInto('applications')
    .values({
      account_id: world.own.id,
      client_id: `app_${randomBytes(12).toString('hex')}`,
      kind: 'confidential',
      title: content.title,
      description: '',
      redirect_uris: content.redirectUris,
      scopes: ['openid'],
      secret_hash: randomBytes(32),
      secret_prefix: 'lsa_',
      secret_at: at,
      created_by: 'matrix',
      created_at: at,
      updated_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
}

/** A user's grant to an application. */
async function grant(world: World, userId: number | null): Promise<{ id: number }> {
  if (userId === null) return { id: 1 }
  const [{ id }, at] = [await application(world), world.app.ctx.clock.now()]
  return world.app.ctx.db
    .insertInto('application_grants')
    .values({
      grant_key: randomBytes(24).toString('hex'),
      application_id: id,
      user_id: userId,
      scopes: ['openid'],
      created_at: at,
      expires_at: new Date(at.getTime() + 3_600_000),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
}

/** A service builder of the account. */
async function builder(world: World): Promise<{ id: number }> {
  const url = 'https://builder.example.org'
  return world.app.api.serviceBuilder.create({ id: world.own.id, title: world.unique('Builder'), url })
}

/** Applications that use the platform for sign-in, and transferring a session. */
export const applications: Record<string, Row> = {
  'application.list': row({
    needs: 'UserManagement read or UserManagement manage',
    given: application,
    call: (api) => api.application.list(all),
    shows: holds,
  }),
  'application.create': row({
    needs: 'UserManagement manage',
    except: { key: '403', impersonated: 'self' },
    call: (api, _, __, { own }) =>
      api.application.create({ ...content, accountId: own.id, kind: 'confidential' }),
  }),
  'application.update': row({
    needs: 'UserManagement manage',
    except: { key: '403', impersonated: 'self' },
    given: application,
    call: (api, { id }) => api.application.update({ ...content, id, version: 1, title: 'Changed' }),
  }),
  'application.rotate': row({
    needs: 'UserManagement manage',
    except: { key: '403', impersonated: 'self' },
    given: application,
    call: (api, { id }) => api.application.rotate({ id, version: 1 }),
  }),
  'application.delete': row({
    needs: 'UserManagement manage',
    except: { key: '403', impersonated: 'self' },
    given: application,
    call: (api, { id }) => api.application.delete({ id }),
  }),
  'application.granted': row({
    needs: 'the very person',
    fresh: true,
    given: (world, { userId }) => grant(world, userId),
    call: (api) => api.application.granted(all),
    shows: holds,
  }),
  'application.revoke': row({
    needs: 'the very person',
    given: (world, { userId }) => grant(world, userId),
    call: (api, { id }) => api.application.revoke({ id }),
  }),
  // The request itself needs a browser: see provider.integration.test.ts.
  'oauth.request': row({
    needs: 'the very person',
    call: (api) => api.oauth.request({ request: 'a-request-nobody-began' }),
    reaches: 'APPLICATION_REQUEST_ENDED',
  }),
  'oauth.decide': row({
    needs: 'the very person',
    call: (api) => api.oauth.decide({ request: 'a-request-nobody-began', allow: true }),
    reaches: 'APPLICATION_REQUEST_ENDED',
  }),
  'exchange.code': row({ needs: 'the very person', call: (api) => api.exchange.code() }),
  'exchange.token': row({
    needs: 'public',
    call: (api) => api.exchange.token({ exchange_code: 'made up' }),
    reaches: 'EXCHANGE_CODE_ERROR',
  }),
  'serviceBuilder.list': row({
    needs: 'all manage',
    call: (api, _, __, { own }) => api.serviceBuilder.list({ id: own.id }),
  }),
  'serviceBuilder.create': row({
    needs: 'super.system manage',
    given: (world) => world.subAccount(),
    call: (api, { id }) =>
      api.serviceBuilder.create({ id, title: 'New', url: 'https://builder.example.org' }),
  }),
  'serviceBuilder.update': row({
    needs: 'super.system manage',
    given: builder,
    call: (api, { id }, _, { own }) =>
      api.serviceBuilder.update({
        id: own.id,
        builderId: id,
        version: 1,
        title: 'Changed',
        url: 'https://builder.example.org',
      }),
  }),
  'serviceBuilder.delete': row({
    needs: 'super.system manage',
    given: builder,
    call: (api, { id }, _, { own }) => api.serviceBuilder.delete({ id: own.id, builderId: id }),
  }),
}
