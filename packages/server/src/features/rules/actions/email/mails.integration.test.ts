import type { RuleAction } from '@leitstand/contract/rules'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createAccount,
  createApi,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../../test/kit.ts'
import { minute, ruleKit } from '../../../../../test/rules.ts'
import { startSmtp, type TestSmtp } from '../../../../../test/smtp.ts'
import { createState } from '../../../../../test/twins.ts'
import { mailRates } from './budgets.ts'
import { sumUpAfterMs } from './held.ts'

const hourMs = 3_600_000
const clock = new FakeClock(new Date())
let smtp: TestSmtp
let theirs: TestSmtp
let app: TestApp
beforeAll(async () => {
  smtp = await startSmtp()
  theirs = await startSmtp()
  app = await startApp({ clock, config: { smtpUrl: smtp.url, allowedNetworks: ['127.0.0.0/8'] } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
  await theirs[Symbol.asyncDispose]()
})

let serial = 0
const stranger = () => `stranger${++serial}@elsewhere.example`
const email = (recipients: string[], subject = 'Warm'): RuleAction => ({
  kind: 'email',
  recipients,
  subject,
  body: 'It is {{temperature}} °C.',
})
const to = (address: string, server = smtp) =>
  server.received.filter((mail) => mail.to?.some((each) => each.address === address))
const tokenOf = (address: string) => {
  const texts = to(address).map(({ text }) => /#\/rule-mail\?token=([\w.-]+)/.exec(text ?? '')?.[1])
  return texts.findLast((token) => token !== undefined) ?? ''
}
const anyone = () => createApi(app.url)
const accept = (address: string) => anyone().ruleMail.answer({ token: tokenOf(address), accept: true })
const rules = async (account?: { id: number; scopeId: number }) =>
  ruleKit(app, account ?? (await createAccount(app)))

/** A rule that mails, and what makes it fire once more. */
async function mailing(recipients: string[], account?: { id: number; scopeId: number }) {
  const kit = await rules(account)
  const { rule, temperature } = await kit.warmRule(() => [email(recipients)])
  let at = 0
  const fire = async (times = 1) => {
    for (let n = 0; n < times; n++) await kit.set(temperature, 31 + at, minute(at++))
  }
  const last = async () => (await app.api.ddr.executionHistory({ id: rule.id })).items[0]?.actions[0]
  return { rule, fire, last }
}

/** A rule that mails one address when it is warm. */
async function warmMailRule(of: TestApp, account: { id: number; scopeId: number }, address: string) {
  const kit = ruleKit(of, account)
  return { set: kit.set, ...(await kit.warmRule(() => [email([address])])) }
}

describe('somebody outside of the account', () => {
  test('is asked by mail, and gets nothing else before agreeing', async () => {
    const address = stranger()
    const { rule, fire, last } = await mailing([address])
    await fire(2)
    const [question, ...more] = to(address)
    expect(question?.subject).toContain('Dürfen wir')
    expect(more).toEqual([])
    expect(await last()).toEqual({
      kind: 'email',
      ok: false,
      detail: `not confirmed yet: ${address}`,
      mails: [{ address, outcome: 'unconfirmed', reason: null }],
    })
    expect(rule.recipients).toMatchObject([{ address, state: 'unconfirmed', askedAt: expect.any(String) }])

    const token = tokenOf(address)
    expect(await anyone().ruleMail.question({ token })).toMatchObject({
      address,
      state: 'unconfirmed',
      mayAccept: true,
    })
    // Opening the link is not consent: link checkers open every link.
    await fire()
    expect(to(address)).toHaveLength(1)
    expect(await accept(address)).toMatchObject({ state: 'confirmed' })
    await fire()
    expect(await last()).toEqual({
      kind: 'email',
      ok: true,
      detail: address,
      mails: [{ address, outcome: 'sent', reason: null }],
    })
    expect(to(address).at(-1)?.text).toContain('It is')
    expect((await app.api.ddr.get({ id: rule.id })).recipients).toMatchObject([
      { address, state: 'confirmed' },
    ])
  })

  test('ends the mails with the link in each of them, or with one click of the mail program', async () => {
    const stops = [
      (address: string) => anyone().ruleMail.answer({ token: tokenOf(address), accept: false }),
      async (address: string) => {
        const headers = to(address).at(-1)?.headers ?? []
        const header = (name: string) => headers.find(({ key }) => key === name)?.value ?? ''
        expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
        const url = new URL(/^<(.*)>$/.exec(header('list-unsubscribe'))?.[1] ?? '')
        const reply = await fetch(`${app.url}${url.pathname}`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: 'List-Unsubscribe=One-Click',
        })
        expect(reply.status).toBe(200)
      },
    ]
    for (const stop of stops) {
      const address = stranger()
      const { rule, fire, last } = await mailing([address])
      await app.drain()
      await accept(address)
      await fire()
      await stop(address)
      const before = to(address).length
      await fire()
      expect(to(address)).toHaveLength(before)
      expect(await last()).toMatchObject({ ok: false, detail: `declined: ${address}` })
      // Users who can read mails of the account in the console must not turn them on again.
      expect(await errorOf(accept(address))).toMatchObject({ code: 'DDR_RECIPIENT_LINK_ENDED' })
      const again = app.api.ddr.askRecipient({ id: rule.id, address })
      expect(await errorOf(again)).toMatchObject({ code: 'DDR_RECIPIENT_ANSWERED', status: 409 })
    }
  })

  test('is asked through the server of the installation alone, with no link of the account in it', async () => {
    const account = await createAccount(app, { name: 'Pay at https://evil.example/now' })
    const { api } = await createUser(app, account, [
      { roleId: await roleNamed(app, 'Account administrator') },
    ])
    const server = {
      host: '127.0.0.1',
      port: theirs.port,
      security: 'none' as const,
      user: '',
      senderName: 'Stadt',
      senderAddress: 'iot@city.example',
    }
    await api.tenant.setMailServer({ id: account.id, version: 1, server })
    const address = stranger()
    const { fire } = await mailing([address], account)
    await app.drain()
    expect(to(address, theirs)).toEqual([])
    expect(JSON.stringify(to(address))).not.toContain('evil.example')
    const { items } = await api.mail.list({ limit: 1000 })
    expect(JSON.stringify(items)).not.toContain(tokenOf(address))
    await accept(address)
    await fire()
    expect(to(address, theirs)).toHaveLength(1)
  })

  test('is asked three times a day at most, by whomever; a customer asks twenty at once', async () => {
    const address = stranger()
    for (let n = 0; n < 5; n++) await mailing([address])
    await app.drain()
    expect(to(address)).toHaveLength(mailRates.askAddress.burst)
    const { rule } = await mailing([address])
    expect(await errorOf(app.api.ddr.askRecipient({ id: rule.id, address }))).toMatchObject({
      code: 'TOO_MANY_REQUESTS',
    })
    clock.advance(24 * hourMs)
    await app.login('admin@localhost')
    const account = await createAccount(app)
    const below = await createAccount(app, { parent: account })
    const many = Array.from({ length: 15 }, stranger)
    await mailing(many, account)
    const more = Array.from({ length: 15 }, stranger)
    await mailing(more, below)
    await app.drain()
    const asked = [...many, ...more].filter((each) => to(each).length > 0)
    expect(asked).toHaveLength(mailRates.askAccount.burst)
  })

  test('who is a new user of the account is asked all the same until a link sent there was used', async () => {
    const account = await createAccount(app)
    const address = stranger()
    const user = {
      username: address,
      email: address,
      firstName: 'Ada',
      lastName: 'Amsel',
      accountId: account.id,
    }
    await app.api.user.create({ ...user, invite: false })
    const { rule } = await mailing([address], account)
    expect(rule.recipients).toMatchObject([{ state: 'unconfirmed' }])
    // An administrator cannot borrow the address of a user either.
    const known = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    const target = stranger()
    await app.api.user.update({ ...(await app.api.user.get({ id: known.id })), email: target })
    expect((await mailing([target], account)).rule.recipients).toMatchObject([{ state: 'unconfirmed' }])
  })

  test('cannot be made to agree with a link that is old, replaced or made up', async () => {
    const address = stranger()
    const { rule } = await mailing([address])
    await app.drain()
    const first = tokenOf(address)
    await app.api.ddr.askRecipient({ id: rule.id, address })
    await app.drain()
    const { rows } = await app.ctx.pool.query('select * from mail_recipients, mails')
    for (const token of [first, tokenOf(address)]) expect(JSON.stringify(rows)).not.toContain(token)
    const answers = [first, '1.'.padEnd(45, 'x'), 'x'.repeat(43)]
    for (const token of answers)
      expect(await errorOf(anyone().ruleMail.answer({ token, accept: true }))).toMatchObject({
        code: 'DDR_RECIPIENT_LINK_ENDED',
      })
    clock.advance(14 * 24 * hourMs)
    expect(await errorOf(accept(address))).toMatchObject({ code: 'DDR_RECIPIENT_LINK_ENDED' })
    app = { ...app, ...(await app.login('admin@localhost')) }
  })
})

test('people of the account and below, and the person saving the rule, need not be asked', async () => {
  const account = await createAccount(app)
  const below = await createAccount(app, { parent: account })
  const roleId = await roleNamed(app, 'Viewer')
  const [one, two] = [
    await createUser(app, account, [{ roleId }]),
    await createUser(app, below, [{ roleId }]),
  ]
  const addresses = [`${one.username}@example.org`, `${two.username}@example.org`]
  const { rule, fire, last } = await mailing(addresses, account)
  await fire()
  expect(await last()).toMatchObject({ ok: true })
  expect(smtp.received.at(-1)?.to).toHaveLength(2)
  expect(rule.recipients?.map(({ state }) => state)).toEqual(['confirmed', 'confirmed'])
  const roleManage = await roleNamed(app, 'Account administrator')
  const above = await createUser(app, { id: app.rootAccountId, scopeId: app.rootScopeId }, [
    { roleId: roleManage },
  ])
  const own = `${above.username}@example.org`
  const { id, version, metrics, conditions } = rule
  const change = { id, version, title: 'Own', metrics, conditions, actions: [email([own])] }
  expect((await above.api.ddr.update(change)).recipients).toMatchObject([
    { address: own, state: 'confirmed' },
  ])
})

test('only users who may change a rule ask, and only its recipients are asked', async () => {
  const account = await createAccount(app)
  const address = stranger()
  const { rule } = await mailing([address], account)
  const { api } = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
  expect(await errorOf(api.ddr.askRecipient({ id: rule.id, address }))).toMatchObject({
    code: 'NO_PERMISSION',
  })
  expect(await errorOf(app.api.ddr.askRecipient({ id: rule.id, address: stranger() }))).toMatchObject({
    code: 'DDR_RECIPIENT_NOT_FOUND',
    status: 404,
  })
})

describe('an execution says whether its mails were sent', () => {
  const administrator = async (of: TestApp, account: { id: number; scopeId: number }) =>
    createUser(of, account, [{ roleId: await roleNamed(of, 'Account administrator') }])

  test('not without a mail server, which the administrators and the editor are told', async () => {
    await using quiet = await startApp()
    const account = await createAccount(quiet)
    const { api, username } = await administrator(quiet, account)
    const address = `${username}@example.org`
    const { rule, temperature, set } = await warmMailRule(quiet, account, address)
    await set(temperature, 31, minute(0))
    const [execution] = (await api.ddr.executionHistory({ id: rule.id })).items
    expect(execution?.actions).toMatchObject([
      { kind: 'email', ok: false, mails: [{ address, outcome: 'kept', reason: null }] },
    ])
    expect(await api.ddr.mailDelivery({ accountId: account.id })).toEqual({ hasServer: false })
    expect(await api.mail.state()).toMatchObject({ hasServer: false, kept: 1, failed: 0, delayed: 0 })
    await quiet.ctx.db.deleteFrom('mails').execute()
    const [later] = (await api.ddr.executionHistory({ id: rule.id })).items
    expect(later?.actions[0]).toMatchObject({ ok: false, mails: [{ address, outcome: 'deleted' }] })
  })

  test('not yet while the server refuses them; why is only shown to those who may read mails', async () => {
    const account = await createAccount(app)
    const { api, username } = await administrator(app, account)
    const viewer = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    const address = `${username}@example.org`
    const { rule, temperature, set } = await warmMailRule(app, account, address)
    smtp.refuse('mailbox busy')
    await set(temperature, 31, minute(0))
    smtp.refuse(undefined)
    const mailOf = async (by: typeof api) =>
      (await by.ddr.executionHistory({ id: rule.id })).items[0]?.actions[0]
    expect(await mailOf(api)).toMatchObject({
      ok: false,
      mails: [{ address, outcome: 'queued', reason: expect.stringContaining('mailbox busy') }],
    })
    expect(await mailOf(viewer.api)).toMatchObject({ mails: [{ address, outcome: 'queued', reason: null }] })
    expect(await api.ddr.mailDelivery({ accountId: account.id })).toEqual({ hasServer: true })
    expect(await api.mail.state()).toMatchObject({ hasServer: true, delayed: 1 })
  })

  test('and no account learns whether others have a mail server', async () => {
    const [own, other] = [await createAccount(app), await createAccount(app)]
    const { api } = await administrator(app, own)
    expect(await errorOf(api.ddr.mailDelivery({ accountId: other.id }))).toMatchObject({
      code: 'TENANT_NOT_FOUND',
    })
  })
})

describe('mails of rules are limited', () => {
  test('for each rule, and what was held back is summed up in one mail', async () => {
    const account = await createAccount(app)
    const user = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    const address = `${user.username}@example.org`
    const { rule, fire, last } = await mailing([address], account)
    const { burst } = mailRates.recipient
    await fire(burst + 3)
    expect(to(address)).toHaveLength(burst)
    expect(await last()).toEqual({
      kind: 'email',
      ok: false,
      detail: `held back, limit of the recipient: ${address}`,
      mails: [{ address, outcome: 'recipientLimit', reason: null }],
    })
    await app.app.rules.sumUpHeld()
    await app.drain()
    expect(to(address)).toHaveLength(burst)
    clock.advance(sumUpAfterMs)
    for (let n = 0; n < 2; n++) await app.app.rules.sumUpHeld()
    await app.drain()
    expect(to(address)).toHaveLength(burst + 1)
    expect(to(address).at(-1)?.subject).toContain('3 more messages held back')
    expect(to(address).at(-1)?.text).toContain(`- ${rule.title}`)
    await app.ctx.limitHits.write()
    const hits = await app.ctx.db
      .selectFrom('limit_hits')
      .select(['limit', 'times'])
      .where('account_id', '=', account.id)
      .execute()
    expect(hits).toMatchObject([{ limit: 'recipientMails', times: 3 }])
    await fire()
    expect(to(address)).toHaveLength(burst + 2)
  })

  test('for each rule, to however many it writes, also after a restart', async () => {
    const account = await createAccount(app)
    const roleId = await roleNamed(app, 'Viewer')
    const people = [
      await createUser(app, account, [{ roleId }]),
      await createUser(app, account, [{ roleId }]),
    ]
    const [one = '', two = ''] = people.map(({ username }) => `${username}@example.org`)
    const kit = await rules(account)
    const { temperature, rule } = await kit.warmRule(() => [email([one]), email([two]), email([one, two])])
    for (let n = 0; n < 9; n++) await kit.set(temperature, 31 + n, minute(n))
    const { items } = await app.api.ddr.executionHistory({ id: rule.id })
    const sent = items.flatMap(({ actions }) => actions).filter(({ ok }) => ok)
    expect(sent.length).toBeLessThanOrEqual(mailRates.rule.burst)
    await using second = await startApp({ clock, address: app.address, config: { smtpUrl: smtp.url } })
    const { rows } = await second.ctx.pool.query(
      `select tokens from mail_budgets where key = 'rule:${rule.id}'`,
    )
    expect(rows[0].tokens).toBeLessThan(mailRates.rule.burst)
  })

  test('for a customer, however many accounts are made below it', async () => {
    await using small = await startApp({ clock, config: { smtpUrl: smtp.url, ruleMailsPerHour: 12 } })
    const customer = await createAccount(small)
    const received = smtp.received.length
    for (let n = 0; n < 4; n++) {
      const below = await createAccount(small, { parent: customer })
      const user = await createUser(small, below, [{ roleId: await roleNamed(small, 'Viewer') }])
      const kit = ruleKit(small, below)
      const { temperature } = await kit.warmRule(() => [email([`${user.username}@example.org`])])
      await kit.set(temperature, 40, minute(n))
    }
    expect(smtp.received.length - received).toBe(3)
  })

  test('for an account and all below it, as set by the account above', async () => {
    const customer = await createAccount(app)
    const inner = await createAccount(app, { parent: customer })
    const other = await createAccount(app, { parent: customer })
    const limit = async ({ id }: { id: number }, ruleMails: number | null) => {
      const account = await app.api.tenant.get({ id })
      await app.api.tenant.update({ ...account, bounds: { ruleMails } })
      await app.ctx.configChanges.settle()
    }
    const stateOf = async ({ id }: { id: number }) => {
      const { limits, ruleMailsDefault } = await app.api.tenant.get({ id })
      return { ...limits.ruleMails, byDefault: ruleMailsDefault }
    }
    expect(await stateOf(inner)).toEqual({ own: null, value: null, from: null, used: 0, byDefault: 1000 })
    await limit(inner, 8)
    const sender = async (account: { id: number; scopeId: number }) => {
      const { username } = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
      const address = `${username}@example.org`
      const { fire } = await mailing([address], account)
      return { fire, got: () => to(address).length }
    }
    const [ofInner, ofOther] = [await sender(inner), await sender(other)]
    // A quarter of an hour's worth at once.
    await ofInner.fire(5)
    expect([ofInner.got(), ofOther.got()]).toEqual([2, 0])
    expect(await stateOf(inner)).toMatchObject({ own: 8, value: 8, used: 2 })
    expect(await stateOf(customer)).toMatchObject({ own: null, used: 2, byDefault: 1000 })
    await app.ctx.limitHits.write()
    const hits = (await app.api.tenant.limitHits({ id: inner.id })).items
    expect(hits).toMatchObject([{ limit: 'ruleMails', times: 3 }])

    // Its own limit replaces the default of the customer, and counts for all below it.
    await limit(customer, 4)
    await limit(inner, null)
    expect(await stateOf(inner)).toMatchObject({ value: 4, from: { name: customer.name }, byDefault: null })
    await ofOther.fire(3)
    expect(ofOther.got()).toBe(1)
    await limit(customer, 0)
    clock.advance(3_600_000)
    await ofOther.fire()
    expect(ofOther.got()).toBe(1)
    await limit(customer, 2000)
    await ofOther.fire()
    expect(ofOther.got()).toBe(2)
  })

  test('in how many mails a rule sends at once, and to how many', async () => {
    const kit = await rules()
    const tooMany = [
      Array.from({ length: 6 }, () => email(['one@example.org'])),
      [0, 1, 2].map((part) => email(Array.from({ length: 40 }, (_, n) => `p${part}n${n}@example.org`))),
    ]
    for (const actions of tooMany)
      expect(await errorOf(kit.warmRule(() => actions))).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
  })
})

test('addresses that rules wrote to before go on, by the upgrade', async () => {
  const address = stranger()
  const { rule, fire } = await mailing([address])
  const before = to(address).length
  await app.ctx.pool.query('delete from mail_recipients')
  await app.ctx.pool.query(`insert into mail_recipients (account_id, address, status, decided_at)
    select distinct r.account_id, login_name(address), 'confirmed', now() from rules r
    cross join lateral jsonb_array_elements(r.actions) action
    cross join lateral jsonb_array_elements_text(action -> 'recipients') address
    where action ->> 'kind' = 'email' on conflict do nothing`)
  await fire()
  expect(to(address).length).toBeGreaterThan(before)
  expect((await app.api.ddr.get({ id: rule.id })).recipients).toMatchObject([{ state: 'confirmed' }])
})

describe('a chart in a mail', () => {
  const charted = (address: string, metric = 'temperature'): RuleAction => ({
    kind: 'email',
    recipients: [address],
    subject: 'With a chart',
    body: 'It is {{temperature}} °C.',
    charts: { metrics: [metric], hours: 24 },
  })

  const begin = async () => {
    const account = await createAccount(app)
    const user = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    return { kit: await rules(account), address: `${user.username}@example.org` }
  }

  test('shows the values until then, in the text and as a picture of its own', async () => {
    const { kit, address } = await begin()
    const { temperature } = await kit.warmRule(() => [charted(address)])
    for (const [at, value] of [20, 24, 33].entries()) await kit.set(temperature, value, minute(at))
    await app.drain()
    const [mail] = to(address)
    expect(mail?.text).toContain('It is 33 °C.')
    expect(mail?.html).toContain('It is 33 °C.')
    const [picture] = mail?.attachments ?? []
    expect(picture).toMatchObject({ mimeType: 'image/png', disposition: 'inline' })
    expect(mail?.html).toContain(`cid:${picture?.contentId?.replace(/[<>]/g, '')}`)
    const png = Buffer.from(picture?.content as ArrayBuffer)
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 480])
    const { items } = await app.api.mail.list({ search: 'With a chart' })
    expect(items[0]?.attachments).toMatchObject([{ type: 'image/png' }])
  })

  test('is refused for what is no metric of one state', async () => {
    const { kit, address } = await begin()
    const { rule } = await kit.warmRule(() => [charted(address)])
    const { metrics, conditions } = rule
    const actions: RuleAction[] = [charted(address, 'hour')]
    const clockMetric = { alias: 'hour', operation: 'clock', clock: 'hour', abortIfNull: false } as const
    const problem = errorOf(
      app.api.ddr.update({ ...rule, metrics: [...metrics, clockMetric], conditions, actions }),
    )
    expect(await problem).toMatchObject({ code: 'VALIDATION_ERROR' })
    expect(JSON.stringify((await problem).data)).toContain('chartOfNothing')
  })

  test('of a state without numbers is left out, and the mail arrives', async () => {
    const { kit, address } = await begin()
    const { twin, temperature, rule } = await kit.warmRule()
    const modeId = await createState(app, twin.id, 'mode', { valueType: 'text' })
    await app.api.ddr.update({
      ...rule,
      metrics: [...rule.metrics, { alias: 'mode', stateId: modeId, operation: 'latest', abortIfNull: false }],
      actions: [charted(address, 'mode')],
    })
    await kit.set(temperature, 35, minute(0))
    const [mail] = to(address)
    expect(mail?.text).toContain('It is 35 °C.')
    expect(mail?.attachments).toEqual([])
  })
})
