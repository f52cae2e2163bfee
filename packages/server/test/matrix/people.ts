import { testPassword } from '../kit.ts'
import { all, holds, type Row, row } from './row.ts'
import type { World } from './world.ts'

const person = (world: World) => {
  const username = world.unique('new').replace(' ', '')
  return { username, email: `${username}@example.org`, firstName: 'Ada', lastName: 'Lind' }
}
const userMaster = ({ username, email }: { username: string; email: string }) => ({ username, email })

const switchedOff = { version: 1, enabled: false, toNewUsers: null } as const

const words = { type: 'info', presentationType: 'banner', text: 'Closed on Monday' } as const

/** A template of a mail. */
const template = { id: 'passwordChanged', language: 'de' as const }
const text = { subject: 'Hello', body: 'Your password was changed.' }

/** An announcement of an account below, by the system administrator. */
const announced = async (world: World) => {
  const { id: accountId } = await world.subAccount()
  return world.app.api.announcement.create({ ...words, id: accountId })
}

/** Signing in, users, roles, keys, accounts (specification 1). */
export const people: Record<string, Row> = {
  'auth.login': row({
    needs: 'public',
    given: (world) => world.user(),
    call: (api, { username }) => api.auth.login({ username, password: testPassword }),
  }),
  'auth.verify': row({ needs: 'public', call: (api) => api.auth.verify({}) }),
  'auth.impersonate': row({
    needs: 'UserManagement impersonate',
    // A key is not a user, and impersonation is never nested.
    except: { key: '403', impersonated: 'self' },
    given: (world) => world.user(world.own, world.emptyRoleId),
    call: (api, { id }) => api.auth.impersonate({ userId: id }),
  }),
  'auth.look': row({
    needs: 'UserManagement impersonate',
    except: { key: '403', impersonated: 'self' },
    given: (world) => world.user(world.own, world.emptyRoleId),
    call: (api, { id }) => api.auth.look({ userId: id }),
  }),
  'auth.restore': row({
    needs: 'a person',
    fresh: true,
    call: (api, _, { originalToken }) => api.auth.restore({ originalToken: originalToken ?? undefined }),
    reaches: 'AUTH_NOT_IMPERSONATING',
  }),
  'auth.logout': row({ needs: 'a person', fresh: true, call: (api) => api.auth.logout() }),

  'password.forgot': row({
    needs: 'public',
    call: (api) => api.password.forgot({ email: 'nobody@example.org' }),
  }),
  'password.reset': row({
    needs: 'public',
    call: (api) => api.password.reset({ token: 'unknown', password: 'Something quite long 1' }),
    reaches: 'RESET_TOKEN_ERROR',
  }),
  'password.policy': row({ needs: 'public', call: (api) => api.password.policy({}) }),
  'terms.ofDomain': row({ needs: 'public', call: (api) => api.terms.ofDomain({}) }),
  'password.change': row({
    needs: 'the very person',
    fresh: true,
    call: (api) => api.password.change({ oldPassword: testPassword, newPassword: 'Something quite long 1' }),
  }),

  'twofactor.status': row({ needs: 'a person', call: (api) => api.twofactor.status() }),
  'twofactor.setUp': row({
    needs: 'the very person',
    fresh: true,
    call: (api) => api.twofactor.setUp({ password: testPassword }),
  }),
  'twofactor.enable': row({
    needs: 'the very person',
    fresh: true,
    call: (api) => api.twofactor.enable({ code: '123456' }),
    reaches: '2FA_NOT_SET_UP',
  }),
  'twofactor.disable': row({
    needs: 'the very person',
    fresh: true,
    call: (api) => api.twofactor.disable({ code: '123456' }),
    reaches: '2FA_NOT_SET_UP',
  }),
  'twofactor.renewCodes': row({
    needs: 'the very person',
    fresh: true,
    call: (api) => api.twofactor.renewCodes({ code: '123456' }),
    reaches: '2FA_NOT_SET_UP',
  }),
  'twofactor.reset': row({
    needs: 'UserManagement manage',
    // It grants access to a user: not available to programs or while impersonating.
    except: { key: '403', impersonated: 'self' },
    given: (world) => world.user(world.own, null),
    call: (api, { id }) => api.twofactor.reset({ id }),
    reaches: '2FA_NOT_SET_UP',
  }),
  'twofactor.ofAccount': row({
    needs: 'UserManagement manage',
    call: (api, _, __, { own }) => api.twofactor.ofAccount({ id: own.id }),
  }),
  'twofactor.demand': row({
    needs: 'UserManagement manage',
    given: (world) => world.subAccount(),
    call: (api, { id }) => api.twofactor.demand({ id, version: 1, required: true }),
  }),

  'session.list': row({ needs: 'the very person', call: (api) => api.session.list({}) }),
  'session.end': row({
    needs: 'the very person',
    fresh: true,
    given: async (world, { userId }) => (userId === null ? { id: 1 } : world.session(userId)),
    call: (api, { id }) => api.session.end({ id }),
  }),
  'session.endOthers': row({ needs: 'the very person', fresh: true, call: (api) => api.session.endOthers() }),

  'user.setProperties': row({
    needs: 'a person',
    fresh: true,
    call: (api) => api.user.setProperties({ properties: {} }),
  }),
  'user.list': row({
    needs: 'UserManagement read or UserManagement manage',
    given: (world) => world.user(),
    call: (api, { username }) => api.user.list({ ...all, search: username }),
    shows: holds,
  }),
  'user.get': row({
    needs: 'UserManagement read or UserManagement manage',
    given: (world) => world.user(),
    call: (api, { id }) => api.user.get({ id }),
  }),
  'user.create': row({
    needs: 'UserManagement create',
    call: (api, _, __, world) => api.user.create({ ...person(world), accountId: world.own.id, access: [] }),
  }),
  'user.update': row({
    needs: 'UserManagement manage',
    given: (world) => world.user(world.own, null),
    call: (api, user) =>
      api.user.update({ ...userMaster(user), id: user.id, version: 1, firstName: 'Grace' }),
  }),
  'user.delete': row({
    needs: 'UserManagement manage',
    given: (world) => world.user(world.own, null),
    call: (api, { id }) => api.user.delete({ id }),
  }),
  'user.invite': row({
    needs: 'UserManagement manage',
    given: (world) => world.user(world.own, null),
    call: (api, { id }) => api.user.invite({ id }),
    reaches: 'USER_HAS_PASSWORD',
  }),
  'user.unlock': row({
    needs: 'UserManagement manage',
    given: (world) => world.user(world.own, null),
    call: (api, { id }) => api.user.unlock({ id }),
  }),
  'user.sendResetLink': row({
    needs: 'UserManagement manage',
    // It leads to access as the user: not available to programs or while impersonating.
    except: { key: '403', impersonated: 'self' },
    given: (world) => world.user(world.own, null),
    call: (api, { id }) => api.user.sendResetLink({ id }),
  }),
  'user.listSessions': row({
    needs: 'UserManagement manage',
    except: { key: '403', impersonated: 'self' },
    given: (world) => world.user(world.own, null),
    call: (api, { id }) => api.user.listSessions({ id }),
  }),
  'user.endSession': row({
    needs: 'UserManagement manage',
    except: { key: '403', impersonated: 'self' },
    given: (world) => world.user(world.own, null),
    call: (api, { id }) => api.user.endSession({ id, sessionId: 2_147_483_647 }),
    reaches: 'SESSION_NOT_FOUND',
  }),
  'user.endSessions': row({
    needs: 'UserManagement manage',
    except: { key: '403', impersonated: 'self' },
    given: (world) => world.user(world.own, null),
    call: (api, { id }) => api.user.endSessions({ id }),
  }),
  'user.previewMove': row({
    needs: 'UserManagement manage',
    given: async (world) => ({ user: await world.user(world.own, null), to: await world.subAccount() }),
    call: (api, { user, to }) => api.user.previewMove({ id: user.id, accountId: to.id }),
  }),
  'user.move': row({
    needs: 'UserManagement manage',
    given: async (world) => ({ user: await world.user(world.own, null), to: await world.subAccount() }),
    call: (api, { user, to }) => api.user.move({ id: user.id, version: 1, accountId: to.id }),
  }),
  'user.validate': row({
    needs: 'UserManagement create',
    call: (api, _, __, world) => api.user.validate({ accountId: world.own.id, users: [person(world)] }),
  }),
  'user.createMany': row({
    needs: 'UserManagement create',
    call: (api, _, __, world) =>
      api.user.createMany({ accountId: world.own.id, users: [person(world)], access: [] }),
  }),

  'apikey.list': row({
    needs: 'UserManagement read or UserManagement manage',
    given: (world) => world.key(),
    call: (api) => api.apikey.list(all),
    shows: holds,
  }),
  'apikey.create': row({
    needs: 'UserManagement manage',
    except: { key: '403', impersonated: 'self' },
    call: (api, _, __, world) =>
      api.apikey.create({ title: 'New', scopeId: world.own.scopeId, roleId: world.emptyRoleId }),
  }),
  'apikey.update': row({
    needs: 'UserManagement manage',
    except: { key: '403', impersonated: 'self' },
    given: (world) => world.key(null, world.emptyRoleId),
    call: (api, { id }, _, world) =>
      api.apikey.update({
        id,
        version: 1,
        title: 'Changed',
        scopeId: world.own.scopeId,
        roleId: world.emptyRoleId,
      }),
  }),
  'apikey.rotate': row({
    needs: 'UserManagement manage',
    except: { key: '403', impersonated: 'self' },
    given: (world) => world.key(null, world.emptyRoleId),
    call: (api, { id }) => api.apikey.rotate({ id, version: 1 }),
  }),
  'apikey.delete': row({
    needs: 'UserManagement manage',
    except: { key: '403', impersonated: 'self' },
    given: (world) => world.key(null, world.emptyRoleId),
    call: (api, { id }) => api.apikey.delete({ id }),
  }),

  'acl.listRoles': row({
    needs: 'UserManagement read or UserManagement manage or all manage',
    given: (world) => world.role(),
    call: (api) => api.acl.listRoles({}),
    shows: holds,
  }),
  'acl.listRules': row({
    needs: 'UserManagement read or UserManagement manage or all manage',
    // The same for all users who may read roles in any scope.
    except: { sibling: 'ok' },
    call: (api) => api.acl.listRules(),
  }),
  'acl.createRole': row({
    needs: 'all manage',
    call: (api, _, __, world) =>
      api.acl.createRole({ accountId: world.own.id, name: world.unique('Made'), rules: [] }),
  }),
  'acl.updateRole': row({
    needs: 'all manage',
    given: (world) => world.role(),
    call: (api, { id, name }) =>
      api.acl.updateRole({ id, version: 1, name, rules: [], description: 'changed' }),
  }),
  'acl.deleteRole': row({
    needs: 'all manage',
    given: (world) => world.role(),
    call: (api, { id }) => api.acl.deleteRole({ id }),
  }),
  'acl.checkAccess': row({
    needs: 'signed in',
    call: (api) => api.acl.checkAccess({ checks: [{ subject: 'DigitalTwin', action: 'read' }] }),
  }),
  'acl.listScopes': row({
    needs: 'sees the account',
    call: (api) => api.acl.listScopes(),
    given: async ({ own }) => ({ id: own.scopeId }),
    shows: holds,
  }),
  'user.updateAccess': row({
    needs: 'UserManagement manage',
    given: (world) => world.user(world.own, null),
    call: (api, { id }, _, { own, emptyRoleId }) =>
      api.user.updateAccess({
        userId: id,
        version: 1,
        access: [{ scopeId: own.scopeId, roleId: emptyRoleId }],
      }),
  }),
  'user.explainAccess': row({
    needs: 'UserManagement read or UserManagement manage',
    given: (world) => world.user(),
    call: (api, { id }, _, { own }) => api.user.explainAccess({ userId: id, scopeId: own.scopeId }),
  }),
  'insight.tree': row({
    needs: 'UserManagement read or UserManagement manage',
    given: (world) => world.user(),
    call: (api, { id }, _, { own }) => api.insight.tree({ of: 'user', id, parentId: own.scopeId }),
  }),
  'insight.explain': row({
    needs: 'UserManagement read or UserManagement manage',
    given: (world) => world.user(),
    call: (api, { id }, _, { own }) => api.insight.explain({ of: 'user', id, scopeId: own.scopeId }),
  }),
  'insight.ask': row({
    needs: 'UserManagement read or UserManagement manage',
    given: (world) => world.user(),
    call: (api, { id }, _, { own }) =>
      api.insight.ask({ of: 'user', id, subject: 'DigitalTwin', action: 'read', scopeId: own.scopeId }),
  }),
  'scope.listDefaultRoles': row({
    needs: 'UserManagement read or UserManagement create or UserManagement manage',
    call: (api, _, __, { own }) => api.scope.listDefaultRoles({ scopeId: own.scopeId }),
  }),
  'scope.setDefaultRoles': row({
    needs: 'all manage',
    given: (world) => world.subAccount(),
    call: (api, { scopeId }, _, { emptyRoleId }) =>
      api.scope.setDefaultRoles({ scopeId, roleIds: [emptyRoleId] }),
  }),

  'tenant.fetchAll': row({
    needs: 'sees the account',
    given: async ({ own }) => own,
    call: (api) => api.tenant.fetchAll(),
    shows: holds,
  }),
  'tenant.get': row({
    needs: 'sees the account',
    call: (api, _, __, { own }) => api.tenant.get({ id: own.id }),
  }),
  'tenant.create': row({
    needs: 'UserManagement create or all manage',
    call: (api, _, __, world) => api.tenant.create({ parentId: world.own.id, name: world.unique('Made') }),
  }),
  'tenant.update': row({
    needs: 'all manage',
    given: (world) => world.subAccount(),
    call: (api, { id, name }) => api.tenant.update({ id, version: 1, name, timeZone: 'Europe/Berlin' }),
  }),
  'tenant.update with limits': row({
    needs: 'all manage',
    given: (world) => world.subAccount(),
    call: (api, { id, name }) =>
      api.tenant.update({ id, version: 1, name, timeZone: 'Europe/Berlin', bounds: { devices: 5 } }),
  }),
  'tenant.update with retention': row({
    needs: 'all manage',
    // Retention is set by system administrators only.
    except: { administrator: '403', parent: '403', key: '403', impersonated: '403' },
    alone: false,
    given: (world) => world.subAccount(),
    call: (api, { id, name }) =>
      api.tenant.update({ id, version: 1, name, timeZone: 'Europe/Berlin', bounds: { retentionMonths: 5 } }),
  }),
  'tenant.move': row({
    needs: 'all manage',
    given: async (world) => ({ moved: await world.subAccount(), to: await world.subAccount() }),
    call: (api, { moved, to }) => api.tenant.move({ id: moved.id, version: 1, parentId: to.id }),
  }),
  'tenant.setLimits': row({
    needs: 'super.system manage',
    given: (world) => world.subAccount(),
    call: (api, { id }) => api.tenant.setLimits({ id, version: 1, messagesPerSecond: 5 }),
  }),
  'tenant.setRetention': row({
    needs: 'super.system manage',
    given: (world) => world.subAccount(),
    call: (api, { id }) => api.tenant.setRetention({ id, version: 1, months: 12 }),
  }),
  'tenant.dependencies': row({
    needs: 'all manage',
    call: (api, _, __, { own }) => api.tenant.dependencies({ id: own.id }),
  }),
  'tenant.delete': row({
    needs: 'all manage',
    given: (world) => world.subAccount(),
    call: (api, { id }) => api.tenant.delete({ id, virtualDevices: 0 }),
  }),

  'tenant.setPasswordPolicy': row({
    needs: 'all manage',
    given: (world) => world.subAccount(),
    call: (api, { id }) => api.tenant.setPasswordPolicy({ id, version: 1, policy: null }),
  }),
  'tenant.setFileLimit': row({
    needs: 'all manage',
    given: (world) => world.subAccount(),
    call: (api, { id }) => api.tenant.setFileLimit({ id, version: 1, megabytes: 100 }),
  }),
  'tenant.setCsvExportLimit': row({
    needs: 'all manage',
    given: (world) => world.subAccount(),
    call: (api, { id }) => api.tenant.setCsvExportLimit({ id, version: 1, rows: 1000 }),
  }),
  'tenant.setBulkLimit': row({
    needs: 'all manage',
    given: (world) => world.subAccount(),
    call: (api, { id }) => api.tenant.setBulkLimit({ id, version: 1, devices: 10 }),
  }),
  'tenant.setTemplateLimits': row({
    needs: 'all manage',
    given: (world) => world.subAccount(),
    call: (api, { id }) => api.tenant.setTemplateLimits({ id, version: 1, devices: 10 }),
  }),
  'tenant.getMailServer': row({
    needs: 'all manage',
    call: (api, _, __, { own }) => api.tenant.getMailServer({ id: own.id }),
  }),
  'tenant.setMailServer': row({
    needs: 'all manage',
    given: (world) => world.subAccount(),
    call: (api, { id }) => api.tenant.setMailServer({ id, version: 1, server: null }),
  }),
  'tenant.testMailServer': row({
    needs: 'all manage',
    given: (world) => world.subAccount(),
    call: (api, { id }) => api.tenant.testMailServer({ id, to: 'somebody@example.org' }),
    reaches: 'MAIL_NO_SERVER',
  }),
  'tenant.listIntegrations': row({
    needs: 'all manage',
    call: (api, _, __, { own }) => api.tenant.listIntegrations({ id: own.id }),
  }),
  'tenant.activateIntegration': row({
    needs: 'all manage',
    given: (world) => world.subAccount(),
    call: (api, { id, name }) => api.tenant.activateIntegration({ id, integration: 'timeSeries', name }),
  }),
  'tenant.listDomains': row({
    needs: 'all manage',
    call: (api, _, __, { own }) => api.tenant.listDomains({ id: own.id }),
  }),
  'tenant.claimDomain': row({
    needs: 'all manage',
    given: (world) => world.subAccount(),
    call: (api, { id }) => api.tenant.claimDomain({ id, domain: 'claimed.example.org', acceptUnknown: true }),
  }),
  'tenant.checkDomain': row({
    needs: 'all manage',
    given: (world) => world.subAccount(),
    // The account has no such domain: only callers with permission get that error.
    call: (api, { id }) => api.tenant.checkDomain({ id, domain: 'claimed.example.org' }),
    reaches: 'TENANT_DOMAIN_NOT_FOUND',
  }),
  'tenant.releaseDomain': row({
    needs: 'all manage',
    given: (world) => world.subAccount(),
    call: (api, { id }) => api.tenant.releaseDomain({ id, domain: 'claimed.example.org' }),
    reaches: 'TENANT_DOMAIN_NOT_FOUND',
  }),
  'tenant.limitHits': row({
    needs: 'all manage',
    call: (api, _, __, { own }) => api.tenant.limitHits({ id: own.id }),
  }),
  'terms.ofAccount': row({
    needs: 'sees the account',
    call: (api, _, __, { own }) => api.terms.ofAccount({ id: own.id }),
  }),
  'user.acceptTerms': row({
    needs: 'the very person',
    fresh: true,
    call: (api) => api.user.acceptTerms({ revision: 'unknown' }),
    reaches: 'VERSION_CONFLICT',
  }),
  'flags.list': row({
    needs: 'super.system manage',
    call: (api, _, __, { own }) => api.flags.list({ id: own.id }),
  }),
  'flags.accounts': row({
    needs: 'super.system manage',
    call: (api) => api.flags.accounts({}),
  }),
  'flags.set': row({
    needs: 'super.system manage',
    given: (world) => world.subAccount(),
    call: (api, { id }) => api.flags.set({ id, flag: 'deviceTypes', enabled: true }),
  }),
  'module.list': row({
    needs: 'all manage',
    call: (api, _, __, { own }) => api.module.list({ accountId: own.id }),
  }),
  'module.set': row({
    needs: 'all manage',
    given: (world) => world.subAccount(),
    call: (api, { id }) => api.module.set({ accountId: id, module: 'facility', ...switchedOff }),
  }),
  'module.set of a restricted one': row({
    needs: 'super.system manage',
    // All manage is checked first, and accounts the caller does not manage are reported as missing.
    except: { sibling: '404' },
    alone: false,
    given: (world) => world.subAccount(),
    call: (api, { id }) => api.module.set({ accountId: id, module: 'classicHub', ...switchedOff }),
  }),
  'module.rules': row({ needs: 'signed in', call: (api) => api.module.rules() }),
  'system.load': row({ needs: 'super.system manage', call: (api) => api.system.load() }),
  'nodes.list': row({ needs: 'super.system manage', call: (api) => api.nodes.list() }),
  'diskUsage.read': row({ needs: 'super.system manage', call: (api) => api.diskUsage.read() }),
  'diskUsage.measure': row({ needs: 'super.system manage', call: (api) => api.diskUsage.measure() }),
  'terminal.commands': row({
    needs: 'super.system manage',
    call: (api) => api.terminal.commands(),
  }),
  'terminal.run': row({
    needs: 'super.system manage',
    call: (api) => api.terminal.run({ line: 'help' }),
  }),
  'setup.get': row({ needs: 'super.system manage', call: (api) => api.setup.get() }),
  'setup.change': row({
    needs: 'super.system manage',
    call: (api) => api.setup.change({ isPutAway: false }),
  }),
  'setup.demo': row({ needs: 'super.system manage', call: (api) => api.setup.demo() }),
  'setup.noteDemo': row({
    needs: 'super.system manage',
    given: (world) => Promise.resolve(world.elsewhere),
    call: (api, { id }) => api.setup.noteDemo({ accountId: id }),
  }),
  'setup.removeDemo': row({
    needs: 'super.system manage',
    given: (world) => Promise.resolve(world.own),
    call: (api, { id }) => api.setup.removeDemo({ accountId: id, virtualDevices: 0 }),
    // It is no demo city; deleting the account would end the other rows.
    reaches: 'DEMO_NOT_FOUND',
  }),
  'system.parkedEvents': row({
    needs: 'super.system manage',
    call: (api) => api.system.parkedEvents({ limit: 1 }),
  }),
  'system.retryParkedEvents': row({
    needs: 'super.system manage',
    call: (api) => api.system.retryParkedEvents({ ids: [1] }),
  }),
  'system.discardParkedEvents': row({
    needs: 'super.system manage',
    call: (api) => api.system.discardParkedEvents({ ids: [1] }),
  }),

  'announcement.list': row({
    needs: 'all manage',
    given: announced,
    call: (api, { accountId }) => api.announcement.list({ ...all, id: accountId }),
  }),
  'announcement.reach': row({
    needs: 'all manage',
    call: (api, _, __, { own }) => api.announcement.reach({ id: own.id }),
  }),
  'announcement.create': row({
    needs: 'all manage',
    given: (world) => world.subAccount(),
    call: (api, { id }) => api.announcement.create({ ...words, id }),
  }),
  'announcement.get': row({
    needs: 'all manage',
    given: announced,
    call: (api, { id }) => api.announcement.get({ id }),
  }),
  'announcement.update': row({
    needs: 'all manage',
    given: announced,
    call: (api, { id }) => api.announcement.update({ ...words, id, version: 1 }),
  }),
  'announcement.setState': row({
    needs: 'all manage',
    given: announced,
    call: (api, { id }) => api.announcement.setState({ id, active: false }),
  }),
  'announcement.delete': row({
    needs: 'all manage',
    given: announced,
    call: (api, { id }) => api.announcement.delete({ id }),
  }),
  'announcement.own': row({ needs: 'a person', call: (api) => api.announcement.own() }),
  'announcement.dismiss': row({
    needs: 'the very person',
    call: (api) => api.announcement.dismiss({ id: 1_000_000_000 }),
    reaches: 'ANNOUNCEMENT_NOT_FOUND',
  }),

  'favorite.list': row({ needs: 'a person', call: (api) => api.favorite.list() }),
  'favorite.create': row({
    needs: 'a person',
    // Invisible objects cannot be favourites.
    except: { stranger: '404', sibling: '404' },
    given: (world) => world.twin(),
    call: (api, { id }) => api.favorite.create({ type: 'digitalTwin', objectId: id }),
  }),
  'favorite.delete': row({
    needs: 'a person',
    given: (world, { userId }) => world.favorite(userId),
    call: (api, { id }) => api.favorite.delete({ id }),
  }),
  'activityLog.list': row({
    needs: 'all manage',
    given: (world) => world.activity(),
    call: (api, { subject }) => api.activityLog.list({ ...all, subject }),
    shows: holds,
  }),
  'activityLog.exportFile': row({
    needs: 'all manage',
    given: (world) => world.activity(),
    call: async (api, { subject }) => {
      const { body } = await api.activityLog.exportFile({ subject })
      return body instanceof Blob ? body.text() : String(body)
    },
    shows: (csv, { subject }) => csv.includes(subject),
  }),
  'feedback.send': row({
    needs: 'a person',
    call: (api) => api.feedback.send({ content: 'It works.' }),
  }),
  'mail.attachment': row({
    needs: 'all manage',
    given: (world) => world.attachment(),
    call: (api, { id }) => api.mail.attachment({ id }),
  }),
  'mailTemplate.list': row({
    needs: 'all manage',
    call: (api, _, __, { own }) => api.mailTemplate.list({ accountId: own.id }),
  }),
  'mailTemplate.get': row({
    needs: 'all manage',
    call: (api, _, __, { own }) => api.mailTemplate.get({ ...template, accountId: own.id }),
  }),
  'mailTemplate.render': row({
    needs: 'all manage',
    call: (api, _, __, { own }) => api.mailTemplate.render({ ...template, ...text, accountId: own.id }),
  }),
  'mailTemplate.save': row({
    needs: 'all manage',
    given: (world) => world.subAccount(),
    call: (api, { id }) => api.mailTemplate.save({ ...template, ...text, accountId: id, version: 0 }),
  }),
  'mailTemplate.reset': row({
    needs: 'all manage',
    given: async (world) => {
      const { id } = await world.subAccount()
      await world.app.api.mailTemplate.save({ ...template, ...text, accountId: id, version: 0 })
      return { id }
    },
    call: (api, { id }) => api.mailTemplate.reset({ ...template, accountId: id }),
  }),
  'mailTemplate.test': row({
    needs: 'all manage',
    // It goes to the caller, who has to be a person.
    except: { key: '403' },
    given: (world) => world.subAccount(),
    call: (api, { id }) => api.mailTemplate.test({ ...template, ...text, accountId: id }),
    reaches: 'MAIL_NO_SERVER',
  }),
  'system.logs': row({ needs: 'super.system manage', call: (api) => api.system.logs({}) }),
  'mail.state': row({
    needs: 'all manage',
    // No other row leaves a mail that failed; every account has some that were kept.
    given: (world) => world.mail('failed'),
    call: (api) => api.mail.state(),
    shows: ({ failed }) => failed > 0,
  }),
  'map.local': row({ needs: 'signed in', call: (api) => api.map.local() }),
  'map.styles': row({ needs: 'signed in', call: (api) => api.map.styles() }),
  'geocoder.state': row({ needs: 'signed in', call: (api) => api.geocoder.state() }),
  'geocoder.search': row({
    needs: 'DigitalTwin write or VirtualDevice write or VirtualDevice manage',
    // Addresses belong to no account.
    except: { stranger: 'ok', sibling: 'ok' },
    call: (api) => api.geocoder.search({ text: 'Rathausplatz' }),
    reaches: 'GEOCODER_OFF',
  }),
  'geocoder.reverse': row({
    needs: 'DigitalTwin write or VirtualDevice write or VirtualDevice manage',
    // Addresses belong to no account.
    except: { stranger: 'ok', sibling: 'ok' },
    call: (api) => api.geocoder.reverse({ latitude: 51, longitude: 7 }),
    reaches: 'GEOCODER_OFF',
  }),
  'failedSignIn.list': row({
    needs: 'all manage',
    given: (world) => world.failedSignIn(),
    call: (api, { name }) => api.failedSignIn.list({ ...all, search: name }),
    shows: holds,
  }),
  'mail.list': row({
    needs: 'all manage',
    given: (world) => world.mail(),
    call: (api, { subject }) => api.mail.list({ ...all, search: subject }),
    shows: holds,
  }),
}
