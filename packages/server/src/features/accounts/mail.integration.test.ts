import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccount, createUser, errorOf, roleNamed, startApp, type TestApp } from '../../../test/kit.ts'
import { startSmtp, type TestSmtp } from '../../../test/smtp.ts'
import { storeServer } from '../../platform/mail/servers.ts'

const auth = { user: 'iot', password: 'pass word' }
const loopback = ['127.0.0.0/8']

let platform: TestSmtp
let own: TestSmtp
let app: TestApp
beforeAll(async () => {
  platform = await startSmtp()
  own = await startSmtp({ auth, refusedSender: 'nobody@city.example' })
  app = await startApp({ config: { smtpUrl: platform.url, allowedNetworks: loopback } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
  await own[Symbol.asyncDispose]()
})

type Place = { id: number; scopeId: number; name: string }

async function administered(parent?: Place, on = app) {
  const account = await createAccount(on, parent ? { parent } : {})
  const { api } = await createUser(on, account, [{ roleId: await roleNamed(on, 'Account administrator') }])
  return { ...account, api }
}
const serverAt = ({ port }: TestSmtp, part: object = {}) => ({
  host: '127.0.0.1',
  port,
  security: 'none' as const,
  ...auth,
  senderName: 'Stadt',
  senderAddress: 'iot@city.example',
  ...part,
})
const set = async ({ id, api }: Awaited<ReturnType<typeof administered>>, server: object | null) => {
  const { version } = await api.tenant.getMailServer({ id })
  return api.tenant.setMailServer({ id, version, server: server as ReturnType<typeof serverAt> | null })
}
const send = async (accountId: number, subject: string) => {
  const mail = { accountId, recipients: ['chief@example.org'], subject, body: 'text' }
  const id = await app.ctx.mail.send(app.ctx.db, mail)
  await app.drain()
  return app.ctx.db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}
const arrivedAt = (smtp: TestSmtp, wanted: string) => smtp.received.find(({ subject }) => subject === wanted)

describe('the mail server of an account', () => {
  test('takes the mails of the account and of those below it, from its own sender', async () => {
    const top = await administered()
    const inner = await administered(top)
    await set(top, serverAt(own))
    await send(inner.id, 'below')
    expect(arrivedAt(own, 'below')?.from).toMatchObject({ name: 'Stadt', address: 'iot@city.example' })
    expect(await top.api.tenant.getMailServer({ id: inner.id })).toMatchObject({
      own: null,
      inherited: { kind: 'account', accountName: top.name, sender: 'iot@city.example' },
    })
    expect(await inner.api.tenant.getMailServer({ id: inner.id })).toMatchObject({
      inherited: { kind: 'account', accountName: null, sender: null },
    })
    await set(top, null)
    await send(inner.id, 'without')
    expect(arrivedAt(platform, 'without')?.from?.address).toBe('leitstand@localhost')
    expect(await inner.api.tenant.getMailServer({ id: inner.id })).toMatchObject({
      inherited: { kind: 'platform', sender: 'Leitstand <leitstand@localhost>' },
    })
  })

  test('keeps its password to itself: encrypted, never answered, never in the log, never sent elsewhere', async () => {
    const account = await administered()
    const saved = await set(account, serverAt(own))
    expect(saved.own).toMatchObject({ user: 'iot', hasPassword: true })
    expect(JSON.stringify(saved)).not.toContain(auth.password)
    const log = await account.api.activityLog.list({ subject: 'Tenant', objectId: account.id })
    expect(log.items[0]).toMatchObject({ action: 'update', changes: { host: [null, '127.0.0.1'] } })
    expect(JSON.stringify(log)).not.toContain(auth.password)
    const row = await app.ctx.db
      .selectFrom('account_mail_servers')
      .select('password')
      .where('account_id', '=', account.id)
      .executeTakeFirstOrThrow()
    expect(row.password).toMatch(/^sealed:/)
    // Without a password the stored one is kept, but only for the same server.
    const { password: _password, ...same } = serverAt(own)
    await set(account, { ...same, senderName: 'City' })
    await send(account.id, 'kept password')
    expect(arrivedAt(own, 'kept password')?.from?.name).toBe('City')
    const stolen = { ...same, port: platform.port }
    expect(await errorOf(set(account, stolen))).toMatchObject({ code: 'MAIL_PASSWORD_NEEDED' })
    const trial = { id: account.id, to: 'a@example.org', server: stolen }
    expect(await errorOf(account.api.tenant.testMailServer(trial))).toMatchObject({
      code: 'MAIL_PASSWORD_NEEDED',
    })
  })

  test('is set by administrators of the account only, with the version they saw', async () => {
    const [account, other] = [await administered(), await administered()]
    const { id } = account
    const server = serverAt(own)
    expect(await errorOf(other.api.tenant.getMailServer({ id }))).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    expect(await errorOf(other.api.tenant.setMailServer({ id, version: 1, server }))).toMatchObject({
      code: 'TENANT_NOT_FOUND',
    })
    await set(account, server)
    expect(await errorOf(account.api.tenant.setMailServer({ id, version: 1, server }))).toMatchObject({
      code: 'VERSION_CONFLICT',
    })
  })

  test('lies on the public internet unless the operator allows its network', async () => {
    await using guarded = await startApp({ config: { smtpUrl: platform.url } })
    const account = await administered(undefined, guarded)
    for (const host of ['127.0.0.1', 'localhost', '169.254.169.254', '::1', '2130706433']) {
      const server = { ...serverAt(own), host }
      const wanted = { id: account.id, version: 1, server }
      expect(await errorOf(account.api.tenant.setMailServer(wanted))).toMatchObject({
        code: 'OUTGOING_ADDRESS_FORBIDDEN',
      })
      const trial = { id: account.id, to: 'a@example.org', server }
      expect(await errorOf(account.api.tenant.testMailServer(trial))).toMatchObject({
        code: 'OUTGOING_ADDRESS_FORBIDDEN',
      })
    }
    // The server of the configuration is the operator's own.
    await account.api.tenant.testMailServer({ id: account.id, to: 'guarded@example.org' })
    expect(platform.received.at(-1)?.to).toMatchObject([{ address: 'guarded@example.org' }])
  })
})

describe('a test mail', () => {
  test('arrives, and the answer is that of the server', async () => {
    const account = await administered()
    const trial = { id: account.id, to: 'chief@example.org', server: serverAt(own) }
    const { reply, ...where } = await account.api.tenant.testMailServer(trial)
    expect(where).toEqual({ host: '127.0.0.1', port: own.port })
    expect(reply).toMatch(/^250 /)
    expect(own.received.at(-1)?.text).toContain(`tests the mail server of the account “${account.name}”`)
    expect(own.received.at(-1)?.html).toContain(`des Accounts „${account.name}“`)
    // Trying stores nothing.
    expect(await account.api.tenant.getMailServer({ id: account.id })).toMatchObject({ own: null })
  })

  test('that is not taken says at which step, in the words of the server', async () => {
    await using selfSigned = await startSmtp({ selfSigned: true })
    const gone = await startSmtp()
    await gone[Symbol.asyncDispose]()
    const account = await administered()
    const refusal = async (server: ReturnType<typeof serverAt>) =>
      errorOf(account.api.tenant.testMailServer({ id: account.id, to: 'a@example.org', server }))
    expect(await refusal(serverAt(own, { password: 'wrong' }))).toMatchObject({
      code: 'MAIL_TRANSPORT_INVALID',
      status: 422,
      data: { step: 'signIn', reply: expect.stringContaining('no such user here') },
    })
    expect(await refusal(serverAt(own, { senderAddress: 'nobody@city.example' }))).toMatchObject({
      code: 'MAIL_NO_SENDER',
      status: 422,
      data: { step: 'sender', reply: expect.stringContaining('we do not relay for you') },
    })
    expect(await refusal(serverAt(gone))).toMatchObject({
      code: 'MAIL_TRANSPORT_INVALID',
      data: { step: 'connect' },
    })
    expect(await refusal(serverAt(own, { security: 'starttls' }))).toMatchObject({
      code: 'MAIL_TRANSPORT_INVALID',
      data: { step: 'tls' },
    })
    expect(await refusal(serverAt(selfSigned, { security: 'starttls', user: '' }))).toMatchObject({
      code: 'MAIL_TRANSPORT_INVALID',
      data: { step: 'tls' },
    })
    expect(selfSigned.received).toEqual([])
  })

  test('is sent a few times a minute, not more', async () => {
    const account = await administered()
    const turn = () => account.api.tenant.testMailServer({ id: account.id, to: 'often@example.org' })
    for (let n = 0; n < 6; n++) await turn()
    expect(await errorOf(turn())).toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  })
})

test('without any server mails are kept and a test mail is refused; with one of the account they leave', async () => {
  await using quiet = await startApp({ config: { allowedNetworks: loopback } })
  const account = await administered(undefined, quiet)
  const { id, api } = account
  expect(await errorOf(api.tenant.testMailServer({ id, to: 'a@example.org' }))).toMatchObject({
    code: 'MAIL_NO_SERVER',
  })
  const mail = { accountId: id, recipients: ['a@example.org'], body: 'text' }
  await quiet.ctx.mail.send(quiet.ctx.db, { ...mail, subject: 'kept' })
  await set(account, serverAt(own))
  await quiet.ctx.mail.send(quiet.ctx.db, { ...mail, subject: 'leaves' })
  await quiet.drain()
  expect(arrivedAt(own, 'leaves')).toBeDefined()
  // Removed in the same transaction: a committed mail could be sent at once. It is held back like those
  // before.
  await quiet.ctx.db.transaction().execute(async (tx) => {
    await quiet.ctx.mail.send(tx, { ...mail, subject: 'too late' })
    await storeServer(tx, id, null)
  })
  await quiet.drain()
  const { items } = await api.mail.list({})
  expect(items.map(({ subject, status }) => [subject, status])).toEqual([
    ['too late', 'kept'],
    ['leaves', 'sent'],
    ['kept', 'kept'],
  ])
})
