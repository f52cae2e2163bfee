import { grafanaRoles } from '@leitstand/contract/applications'
import type { Action, Subject } from '@leitstand/contract/permissions'
import { fetchUserInfo, refreshTokenGrant } from 'openid-client'
import { beforeAll, describe, expect, it, test } from 'vitest'
import {
  createAccount,
  createRole,
  createUser,
  FakeClock,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import {
  Browser,
  beginRequest,
  consentPage,
  goThrough,
  locationOf,
  type RelyingParty,
  redeem,
  refusalOf,
  relyingParty,
  requestIn,
} from '../../../test/oauth.ts'
import { freePort } from '../../../test/ports.ts'
import { roleFor } from './grafana.ts'

const redirectUri = 'https://grafana.example.org/login/generic_oauth'
/** As in docs/applications.md. */
const settings = { scopes: 'openid profile email grafana', roleAttributePath: 'role', strict: true } as const

const clock = new FakeClock()
let app: TestApp
let parent: Awaited<ReturnType<typeof createAccount>>
let account: Awaited<ReturnType<typeof createAccount>>
let grafana: RelyingParty

beforeAll(async () => {
  const port = await freePort()
  app = await startApp({ clock, config: { port, publicUrl: `http://127.0.0.1:${port}` } })
  parent = await createAccount(app, { name: 'Region' })
  account = await createAccount(app, { name: 'Waterworks', parent })
  grafana = await grafanaOf(account)
  await activate(account)
})

async function grafanaOf({ id }: { id: number }): Promise<RelyingParty> {
  const { application, secret } = await app.api.application.create({
    accountId: id,
    title: 'Grafana',
    kind: 'confidential',
    redirectUris: [redirectUri],
    scopes: ['openid', 'profile', 'email', 'grafana'],
  })
  return relyingParty(app, { clientId: application.clientId, secret, redirectUri })
}

async function activate({ id, name }: { id: number; name: string }): Promise<void> {
  for (const integration of ['timeSeries', 'dashboardInstance'] as const)
    await app.api.tenant.activateIntegration({ id, integration, name })
}

type Claims = Readonly<Record<string, unknown>>

/** The role as Grafana's generic_oauth finds it: in the ID token, else in the user info; strict, it refuses others. */
async function roleIn(
  party: RelyingParty,
  tokens: { access_token: string; claims(): Claims | undefined },
): Promise<string> {
  const path = settings.roleAttributePath
  const own = tokens.claims() ?? {}
  const asked = own[path] ?? (await fetchUserInfo(party.config, tokens.access_token, String(own.sub)))[path]
  const role = grafanaRoles.find((each) => each === asked)
  if (settings.strict && role === undefined) throw new Error('Grafana refuses: invalid role')
  return String(role)
}

const personWith = async (permission: readonly [Subject, Action][], of = account, scopeId = of.scopeId) => {
  const roleId = await createRole(
    app,
    permission.map(([subject, action]) => ({ subject, actions: [action] })),
  )
  return createUser(app, of, [{ roleId, scopeId }])
}
type Person = Awaited<ReturnType<typeof personWith>>

async function signIn({ token }: Person, party = grafana) {
  const begun = await beginRequest(party, settings.scopes)
  return redeem(begun, await goThrough(app, begun, token))
}

/** What the consent page answers when somebody agrees who has no role. */
async function refusalFor({ token }: Person, party = grafana) {
  const browser = new Browser()
  const begun = await beginRequest(party, settings.scopes)
  const page = consentPage(
    app,
    browser,
    token,
    requestIn(locationOf(await browser.fetch(begun.url), app.url)),
  )
  const { hasNoRole, allowedBefore } = (await page.look()).body
  const { status, body } = await page.decide(true)
  return { hasNoRole, allowedBefore, status, code: body.code }
}
const refused = { hasNoRole: true, allowedBefore: false, status: 403, code: 'APPLICATION_NO_ROLE' }

describe('each permission gives its role in Grafana', () => {
  it.each([
    ['all', 'manage', 'Admin'],
    ['all', 'read', 'Viewer'],
    ['DigitalTwin', 'manage', 'Editor'],
    ['VirtualDevice', 'manage', 'Editor'],
    ['IotHub', 'manage', 'Editor'],
    ['DigitalTwin', 'read', 'Viewer'],
    ['VirtualDevice', 'read', 'Viewer'],
    ['IotHub', 'read', 'Viewer'],
  ] as const)('%s.%s: %s', async (subject, action, role) => {
    const person = await personWith([[subject, action]])
    const tokens = await signIn(person)
    expect(await roleIn(grafana, tokens)).toBe(role)
    const about = { role, account: 'Waterworks', groups: ['Waterworks'] }
    expect(tokens.claims()).toMatchObject({ ...about, email: `${person.username}@example.org` })
    expect(await fetchUserInfo(grafana.config, tokens.access_token, String(person.id))).toMatchObject(about)
  })

  it('the highest of several counts', async () => {
    const person = await personWith([
      ['DigitalTwin', 'read'],
      ['VirtualDevice', 'manage'],
    ])
    expect(await roleIn(grafana, await signIn(person))).toBe('Editor')
  })

  it('all others give none', () => {
    expect(roleFor((subject, action) => subject === 'Dashboards' || action === 'write')).toBeNull()
  })
})

describe('nobody is let in', () => {
  test('without one of these permissions', async () => {
    expect(await refusalFor(await personWith([['Dashboards', 'manage']]))).toEqual(refused)
  })

  test('with permissions in an account below, beside or none of this one', async () => {
    const below = await createAccount(app, { parent: account })
    expect(await refusalFor(await personWith([['all', 'manage']], below))).toEqual(refused)
    const stranger = await personWith([['all', 'manage']], await createAccount(app))
    expect(await refusalFor(stranger)).toMatchObject({ status: 403, code: 'APPLICATION_OUT_OF_REACH' })
    // Who administers the account above, does so here.
    expect(await roleIn(grafana, await signIn(await personWith([['all', 'manage']], parent)))).toBe('Admin')
  })

  test('while the account has not activated both integrations', async () => {
    const own = await createAccount(app)
    const party = await grafanaOf(own)
    const person = await personWith([['all', 'manage']], own)
    expect(await refusalFor(person, party)).toEqual(refused)
    const wanted = { id: own.id, name: own.name }
    await app.api.tenant.activateIntegration({ ...wanted, integration: 'dashboardInstance' })
    expect(await refusalFor(person, party)).toEqual(refused)
    await app.api.tenant.activateIntegration({ ...wanted, integration: 'timeSeries' })
    expect(await roleIn(party, await signIn(person, party))).toBe('Admin')
  })
})

describe('what somebody may do now counts', () => {
  test('the next refresh has the new role; without one there is no token any more', async () => {
    const person = await personWith([['all', 'manage']])
    const tokens = await signIn(person)
    const { db } = app.ctx
    const give = async (actions: Action[] | null) => {
      if (actions === null) await db.deleteFrom('user_access').where('user_id', '=', person.id).execute()
      else {
        const roleId = await createRole(app, [{ subject: 'DigitalTwin', actions }])
        await db
          .updateTable('user_access')
          .set({ role_id: roleId })
          .where('user_id', '=', person.id)
          .execute()
      }
      await app.drain()
    }
    await give(['read'])
    const next = await refreshTokenGrant(grafana.config, String(tokens.refresh_token))
    expect(await roleIn(grafana, next)).toBe('Viewer')
    // The access token is not one of a role: the user info has the one of this moment.
    const info = () => fetchUserInfo(grafana.config, tokens.access_token, String(person.id))
    expect(await info()).toMatchObject({ role: 'Viewer' })
    await give(null)
    expect(await refusalOf(refreshTokenGrant(grafana.config, String(next.refresh_token)))).toBe(
      'invalid_grant',
    )
    await expect(info()).rejects.toThrow()
    expect(await refusalFor(person)).toMatchObject({ status: 403 })
  })

  test('no token of Grafana opens anything of the API', async () => {
    const { access_token: token } = await signIn(await personWith([['all', 'manage']]))
    const reply = await fetch(`${app.url}/api/virtualdevice`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(reply.status).toBe(403)
  })

  test('an application that may not ask for it gets no role', async () => {
    const { application, secret } = await app.api.application.create({
      accountId: account.id,
      title: 'Other',
      kind: 'confidential',
      redirectUris: [redirectUri],
      scopes: ['openid', 'profile', 'email'],
    })
    const party = await relyingParty(app, { clientId: application.clientId, secret, redirectUri })
    const person = await personWith([['all', 'manage']])
    const begun = await beginRequest(party, 'openid profile')
    const tokens = await redeem(begun, await goThrough(app, begun, person.token))
    expect(tokens.claims()).not.toHaveProperty('role')
    await expect(roleIn(party, tokens)).rejects.toThrow('Grafana refuses')
  })
})
