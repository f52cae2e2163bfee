import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createAccount,
  createApi,
  createRole,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { startSmtp, type TestSmtp } from '../../../test/smtp.ts'

const loopback = ['127.0.0.0/8']
let platform: TestSmtp
let theirs: TestSmtp
let app: TestApp
beforeAll(async () => {
  platform = await startSmtp()
  theirs = await startSmtp()
  app = await startApp({ config: { smtpUrl: platform.url, allowedNetworks: loopback } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
  await theirs[Symbol.asyncDispose]()
})

type Place = { id: number; scopeId: number; name: string }

/** An account whose administrator has configured a mail server that records all mails. */
async function withServer(on = app, parent?: Place) {
  const account = await createAccount(on, parent ? { parent } : {})
  const { api } = await createUser(on, account, [{ roleId: await roleNamed(on, 'Account administrator') }])
  const server = {
    host: '127.0.0.1',
    port: theirs.port,
    security: 'none' as const,
    user: '',
    senderName: 'Stadt',
    senderAddress: 'iot@city.example',
  }
  const { version } = await api.tenant.getMailServer({ id: account.id })
  await api.tenant.setMailServer({ id: account.id, version, server })
  return { ...account, api }
}

const to = (smtp: TestSmtp, username: string) =>
  smtp.received.filter((mail) => mail.to?.some(({ address }) => address === `${username}@example.org`))

async function forget(username: string, on = app) {
  await createApi(on.url).password.forgot({ email: `${username}@example.org` })
  await on.drain()
}
const tokenIn = (mail: { text?: string | undefined } | undefined) =>
  /change-password\?token=([\w-]{43})/.exec(mail?.text ?? '')?.[1] ?? ''

describe('the link of a forgotten password', () => {
  test('of somebody who may do more elsewhere is never seen by the administrators of the account', async () => {
    const account = await withServer()
    const elsewhere = await createAccount(app)
    const viewer = await roleNamed(app, 'Viewer')
    const colleague = await createUser(app, account, [
      { roleId: viewer },
      { roleId: viewer, scopeId: elsewhere.scopeId },
    ])
    await forget(colleague.username)
    expect(to(theirs, colleague.username)).toEqual([])
    const [mail] = to(platform, colleague.username)
    // Neither the name nor the address of the sender is theirs.
    expect(mail?.from).toMatchObject({ address: 'leitstand@localhost' })
    expect(JSON.stringify(mail)).not.toContain('city.example')
    expect(mail?.text).toContain(`${app.ctx.config.publicUrl}/#/change-password?token=`)
    const { items } = await account.api.mail.list({ limit: 1 })
    expect(JSON.stringify(items)).not.toContain(tokenIn(mail))
    await createApi(app.url).password.reset({ token: tokenIn(mail), password: 'entirely different words' })
    // Security notices take the same route.
    await app.drain()
    expect(to(theirs, colleague.username)).toEqual([])
    expect(to(platform, colleague.username)).toHaveLength(2)
  })

  test.each([
    ['nothing beyond the account', 'theirs', async () => []],
    [
      'everything in an account below',
      'theirs',
      async (account: Place) => [await createAccount(app, { parent: account })],
    ],
    ['something in the account above', 'platform', async (_: Place, above: Place) => [above]],
    [
      'something in an account beside it',
      'platform',
      async (_: Place, above: Place) => [await createAccount(app, { parent: above })],
    ],
  ] as const)('of somebody who may do %s goes through %s', async (_title, way, places) => {
    const above = await createAccount(app)
    const account = await withServer(app, above)
    const roleId = await roleNamed(app, 'Account administrator')
    const more = (await places(account, above)).map(({ scopeId }) => ({ roleId, scopeId }))
    const user = await createUser(app, account, [{ roleId }, ...more])
    await forget(user.username)
    expect(to(theirs, user.username)).toHaveLength(way === 'theirs' ? 1 : 0)
    expect(to(platform, user.username)).toHaveLength(way === 'theirs' ? 0 : 1)
  })

  test('of somebody who administers the installation goes through its own server, though nothing lies beyond the account', async () => {
    const account = await withServer()
    const roleId = await createRole(app, [{ subject: 'super.system', actions: ['manage'] }])
    const user = await createUser(app, account, [{ roleId }])
    await forget(user.username)
    expect([to(theirs, user.username).length, to(platform, user.username).length]).toEqual([0, 1])
  })

  test('goes through the server of an account further up that covers it', async () => {
    const above = await withServer()
    const account = await withServer(app, above)
    const roleId = await roleNamed(app, 'Viewer')
    const beside = await createAccount(app, { parent: above })
    const user = await createUser(app, account, [{ roleId }, { roleId, scopeId: beside.scopeId }])
    const before = theirs.received.length
    await forget(user.username)
    expect(theirs.received.length - before).toBe(1)
    const { seen_by } = await app.ctx.db
      .selectFrom('mails')
      .select('seen_by')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    expect(seen_by).toEqual([above.id])
  })

  test('that waits is sent by the rights of then, not of when it was asked for', async () => {
    const account = await withServer()
    const elsewhere = await createAccount(app)
    const roleId = await roleNamed(app, 'Viewer')
    const user = await createUser(app, account, [{ roleId }])
    platform.refuse(undefined)
    theirs.refuse('come back later')
    await forget(user.username)
    theirs.refuse(undefined)
    await app.ctx.db
      .insertInto('user_access')
      .values({ user_id: user.id, scope_id: elsewhere.scopeId, role_id: roleId, is_main: false })
      .execute()
    await app.ctx.pool.query(
      `update pgboss.job set start_after = now() where name = 'mail.send' and state = 'retry'`,
    )
    await app.drain()
    const [mail] = to(platform, user.username)
    expect(to(theirs, user.username)).toEqual([])
    // Their server received the mail before refusing it, so the link must not work.
    const reset = createApi(app.url).password.reset({
      token: tokenIn(mail),
      password: 'entirely different words',
    })
    expect(await errorOf(reset)).toMatchObject({ code: 'RESET_TOKEN_ERROR' })
  })

  test('that administrators have seen is of no use once the user may do more than they', async () => {
    const account = await withServer()
    const elsewhere = await createAccount(app)
    const roleId = await roleNamed(app, 'Viewer')
    const user = await createUser(app, account, [{ roleId }])
    await forget(user.username)
    const token = tokenIn(to(theirs, user.username)[0])
    expect(await createApi(app.url).password.policy({ token })).toMatchObject({ minLength: 8 })
    await app.ctx.db
      .insertInto('user_access')
      .values({ user_id: user.id, scope_id: elsewhere.scopeId, role_id: roleId, is_main: false })
      .execute()
    const reset = createApi(app.url).password.reset({ token, password: 'entirely different words' })
    expect(await errorOf(reset)).toMatchObject({ code: 'RESET_TOKEN_ERROR' })
  })
})

test('invitations and notices take the same way', async () => {
  const account = await withServer()
  const elsewhere = await createAccount(app)
  const roleId = await roleNamed(app, 'Viewer')
  const access = [account, elsewhere].map(({ scopeId }, index) => ({ scopeId, roleId, isMain: index === 0 }))
  const user = {
    username: 'invited both',
    email: 'invited@example.org',
    firstName: 'Ada',
    lastName: 'Amsel',
    accountId: account.id,
    access,
  }
  const created = await app.api.user.create(user)
  await app.drain()
  expect([to(theirs, 'invited').length, to(platform, 'invited').length]).toEqual([0, 1])
  const { username } = await createUser(app, account, [{ roleId }, { roleId, scopeId: elsewhere.scopeId }])
  const known = (await app.api.user.list({ search: username })).items[0]
  const before = await app.api.user.get({ id: known?.id ?? 0 })
  await app.api.user.update({ ...before, email: 'moved@example.org' })
  await app.drain()
  expect([to(theirs, username).length, to(platform, username).length]).toEqual([0, 1])
  expect(created.invited).toBe(true)
})

test('without a server of the installation the link is kept for who runs it, and shown to nobody else', async () => {
  await using quiet = await startApp({ config: { allowedNetworks: loopback } })
  const account = await withServer(quiet)
  const elsewhere = await createAccount(quiet)
  const roleId = await roleNamed(quiet, 'Viewer')
  const user = await createUser(quiet, account, [{ roleId }, { roleId, scopeId: elsewhere.scopeId }])
  await forget(user.username, quiet)
  expect(to(theirs, user.username)).toEqual([])
  const [theirView] = (await account.api.mail.list({ limit: 1 })).items
  expect(theirView).toMatchObject({ status: 'kept', body: expect.stringContaining('•••') })
  const [ourView] = (await quiet.api.mail.list({ limit: 1 })).items
  expect(ourView?.body).toContain('change-password?token=')
  // For users of their own account they could do this anyway.
  const own = await createUser(quiet, account, [{ roleId }])
  await forget(own.username, quiet)
  expect(to(theirs, own.username)).toHaveLength(1)
})

test('a test mail through the server of somebody else carries no words of the account', async () => {
  const account = await createAccount(app, { name: 'Your password ends, see https://evil.example' })
  const { api } = await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])
  await api.tenant.testMailServer({ id: account.id, to: 'stranger@example.org' })
  expect(JSON.stringify(to(platform, 'stranger'))).not.toContain('evil.example')
})
