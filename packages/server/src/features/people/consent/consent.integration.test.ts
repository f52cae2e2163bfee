import { beforeAll, describe, expect, test } from 'vitest'
import { insertProvenDomain } from '../../../../test/domains.ts'
import {
  type Api,
  createAccount,
  createApi,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'

let app: TestApp
const clock = new FakeClock()
beforeAll(async () => {
  app = await startApp({ clock })
})

async function inside() {
  const parent = await createAccount(app)
  const account = await createAccount(app, { parent })
  const user = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
  return { parent, account, ...user }
}

async function setTerms(id: number, terms: string | null, renewConsent = false): Promise<void> {
  clock.advance(1000)
  const account = await app.api.tenant.get({ id })
  await app.api.tenant.update({ ...account, terms, renewConsent })
}

const isAsked = async (api: Api) => (await api.auth.verify({})).needsConsent

async function accept(api: Api, accountId: number): Promise<string> {
  const { revision } = await api.terms.ofAccount({ id: accountId })
  clock.advance(1000)
  return (await api.user.acceptTerms({ revision })).accepted
}

describe('terms of use', () => {
  test('ask nobody where no account up the tree has any', async () => {
    const { account, api } = await inside()
    expect(await isAsked(api)).toBe(false)
    expect(await api.terms.ofAccount({ id: account.id })).toMatchObject({ text: null, accountId: null })
    expect(await errorOf(api.user.acceptTerms({ revision: 'x' }))).toMatchObject({ code: 'VERSION_CONFLICT' })
  })

  test('are inherited, accepted once, and the log says so', async () => {
    const { parent, account, api, id } = await inside()
    await setTerms(parent.id, '# Terms')
    expect(await isAsked(api)).toBe(true)
    // Users may not see the account above, but they see its terms.
    expect(await api.terms.ofAccount({ id: account.id })).toMatchObject({
      text: '# Terms',
      accountId: null,
      accountName: '',
    })
    expect(await errorOf(api.terms.ofAccount({ id: parent.id }))).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    const accepted = await accept(api, account.id)
    const reply = await api.auth.verify({})
    expect(reply).toMatchObject({ needsConsent: false, user: { properties: { eula: { accepted } } } })
    const { items } = await app.api.activityLog.list({ subject: 'User', objectId: id })
    expect(items.map(({ action }) => action)).toContain('acceptTerms')
  })

  test('are asked for again when they are renewed, above or in the account itself, and when others hold', async () => {
    const { parent, account, api } = await inside()
    await setTerms(parent.id, 'first')
    await accept(api, account.id)
    await setTerms(parent.id, 'a word mended')
    expect(await isAsked(api)).toBe(false)
    await setTerms(parent.id, 'second', true)
    expect(await isAsked(api)).toBe(true)
    await accept(api, account.id)
    await setTerms(account.id, null, true)
    expect(await isAsked(api)).toBe(true)
    await accept(api, account.id)
    await setTerms(account.id, 'our own')
    expect(await isAsked(api)).toBe(true)
  })

  test('that were exchanged while somebody read are not accepted', async () => {
    const { account, api } = await inside()
    await setTerms(account.id, 'read')
    const { revision } = await api.terms.ofAccount({ id: account.id })
    await setTerms(account.id, 'exchanged')
    expect(await errorOf(api.user.acceptTerms({ revision }))).toMatchObject({ code: 'VERSION_CONFLICT' })
    expect(await isAsked(api)).toBe(true)
  })
})

describe('consent', () => {
  const claim = { eula: { accepted: '2099-01-01T00:00:00.000Z', accountId: 1, revision: 'x' } }

  test('is not claimed by changing properties, one’s own or those of a user', async () => {
    const { account, api, id } = await inside()
    await setTerms(account.id, 'terms')
    const forged = { eula: { ...claim.eula, accountId: account.id }, colour: 'red' }
    expect(await api.user.setProperties({ properties: forged })).toEqual({ properties: { colour: 'red' } })
    expect(await isAsked(api)).toBe(true)
    const user = await app.api.user.get({ id })
    const changed = await app.api.user.update({ ...user, properties: forged })
    expect(changed.properties).toEqual({ colour: 'red' })
    const person = { username: 'forged', email: 'forged@example.org', accountId: account.id, invite: false }
    const made = await app.api.user.create({ ...person, access: [], properties: forged })
    expect((await app.api.user.get({ id: made.id })).properties).toEqual({ colour: 'red' })
    expect(await isAsked(api)).toBe(true)
  })

  test('is not lost by changing properties', async () => {
    const { account, api, id } = await inside()
    await setTerms(account.id, 'terms')
    await accept(api, account.id)
    await api.user.setProperties({ properties: { colour: 'red' } })
    const user = await app.api.user.get({ id })
    await app.api.user.update({ ...user, properties: {} })
    expect(await isAsked(api)).toBe(false)
    const { items } = await app.api.activityLog.list({ subject: 'User', objectId: id })
    expect(items[0]?.changes).toMatchObject({ properties: [{ colour: 'red' }, {}] })
  })

  test('is nobody’s to give for another one', async () => {
    const { account, id } = await inside()
    await setTerms(account.id, 'terms')
    const lent = await app.api.auth.impersonate({ userId: id })
    const asThem = await fetch(`${app.url}/api/auth/verify`, {
      headers: { authorization: `Bearer ${lent.token}` },
    })
    expect(await asThem.json()).toMatchObject({ needsConsent: false })
    const { revision } = await app.api.terms.ofAccount({ id: account.id })
    const forged = await fetch(`${app.url}/api/user/own/eula`, {
      method: 'POST',
      headers: { authorization: `Bearer ${lent.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ revision }),
    })
    expect(await forged.json()).toMatchObject({ code: 'AUTH_IMPERSONATING' })
  })
})

test('the terms of a domain can be read before signing in: those of its account, else of the topmost one', async () => {
  const { parent, account } = await inside()
  await setTerms(parent.id, 'Be kind to pumps.')
  await insertProvenDomain(app, account.id, 'pumps.example.org')
  const anyone = createApi(app.url)
  expect(await anyone.terms.ofDomain({ domain: 'pumps.EXAMPLE.org.' })).toMatchObject({
    text: 'Be kind to pumps.',
    since: null,
  })
  expect(await anyone.terms.ofDomain({ domain: 'elsewhere.example.org' })).toEqual({
    text: null,
    since: null,
    revision: '',
  })
})
