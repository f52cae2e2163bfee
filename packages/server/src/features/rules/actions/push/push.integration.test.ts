import { pushSubscriptionsMax } from '@leitstand/contract/push'
import type { RuleAction } from '@leitstand/contract/rules'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createAccount,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../../test/kit.ts'
import { createBrowser, openVapid, startPushService } from '../../../../../test/pushService.ts'
import type { TestReceiver } from '../../../../../test/receiver.ts'
import { minute, ruleKit } from '../../../../../test/rules.ts'
import { pushRates } from './send.ts'

const clock = new FakeClock(new Date())
let app: TestApp
let service: TestReceiver
let viewer: number
beforeAll(async () => {
  service = await startPushService()
  app = await startApp({ clock, config: { allowedNetworks: ['127.0.0.1'] } })
  viewer = await roleNamed(app, 'Viewer')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})
beforeEach(() => {
  service.received.length = 0
  service.answer = undefined
})

type Account = Awaited<ReturnType<typeof createAccount>>

/** A user with browsers. */
async function person(account: Account, ...names: string[]) {
  const user = await createUser(app, account, [{ roleId: viewer }])
  const browsers = names.map((name) => createBrowser(service, name))
  for (const { subscription } of browsers) await user.api.push.subscribe(subscription)
  return { ...user, browsers }
}

const notify = (userIds: number[]): RuleAction => ({
  kind: 'push',
  userIds,
  title: '{{twin.title}}: {{rule.title}}',
  body: 'It is {{temperature}} °C.',
})

async function acting(account: Account, userIds: number[]) {
  const kit = ruleKit(app, account)
  const made = await kit.warmRule(() => [notify(userIds)])
  let at = 0
  const fire = () => kit.set(made.temperature, 31 + at, minute(at++))
  const last = async () => (await app.api.ddr.executionHistory({ id: made.rule.id })).items[0]?.actions[0]
  return { ...made, fire, last }
}

describe('a message in the browser', () => {
  test('reaches each browser of a person encrypted, signed by the installation, and opens the rule', async () => {
    const account = await createAccount(app)
    const ada = await person(account, 'Firefox', 'Chrome')
    const { rule, twin, fire, last } = await acting(account, [ada.id])
    await fire()
    for (const browser of ada.browsers) {
      const [received, ...more] = browser.received()
      expect(more).toEqual([])
      expect(received?.message).toEqual({
        title: `${twin.title}: Too warm`,
        body: 'It is 31 °C.',
        url: `/#/digitaltwin-mgmt/${twin.id}?tab=rules&history=${rule.id}`,
        tag: `rule-${rule.id}`,
      })
      expect(received?.headers).toMatchObject({ ttl: '86400', 'content-encoding': 'aes128gcm' })
      const vapid = openVapid(received?.headers.authorization)
      expect(vapid).toMatchObject({ aud: service.url, key: (await ada.api.push.list()).publicKey })
      expect(vapid.exp * 1000 - clock.now().getTime()).toBeLessThan(86_400_000)
    }
    expect(await last()).toMatchObject({
      kind: 'push',
      ok: true,
      deliveries: [{ outcome: 'sent' }, { outcome: 'sent' }],
    })
    expect((await ada.api.push.list()).items).toMatchObject([
      { label: 'Firefox', usedAt: clock.now().toISOString() },
      { label: 'Chrome', usedAt: clock.now().toISOString() },
    ])
  })

  test('does not reach people without a browser, of other accounts, or who are no longer active', async () => {
    const [account, elsewhere] = [await createAccount(app), await createAccount(app)]
    const ada = await person(account, 'Firefox')
    const eve = await person(elsewhere, 'Firefox')
    const silent = await person(account)
    expect(await errorOf(acting(account, [eve.id]))).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { issues: [{ path: ['actions', '0', 'userIds'], text: 'userForeign' }] },
    })
    const { rule, fire, last } = await acting(account, [ada.id, silent.id])
    await app.ctx.db
      .updateTable('rules')
      .set({ actions: JSON.stringify([notify([ada.id, silent.id, eve.id])]), version: 2 })
      .where('id', '=', rule.id)
      .execute()
    await app.ctx.db.updateTable('users').set({ active: false }).where('id', '=', ada.id).execute()
    await fire()
    expect(service.received).toEqual([])
    expect(await last()).toMatchObject({
      ok: false,
      deliveries: Array.from({ length: 3 }, () => ({ outcome: 'impossible', reason: 'noBrowser' })),
    })
    const { items } = await app.api.ddr.errornousExecutions({ accountIds: [account.id] })
    expect(items).toMatchObject([{ ruleId: rule.id }])
  })

  test('reaches those above who have a role on the twin, but not those below', async () => {
    const account = await createAccount(app)
    const below = await createAccount(app, { parent: account })
    const low = await person(below, 'Firefox')
    expect(await errorOf(acting(account, [low.id]))).toMatchObject({ code: 'VALIDATION_ERROR' })
    const { items } = await app.api.user.list({ accountIds: [app.rootAccountId] })
    const self = items.find(({ username }) => username === 'admin@localhost') ?? items[0]
    const { fire, last } = await acting(account, [self?.id as number])
    await fire()
    expect(await last()).toMatchObject({
      deliveries: [{ to: expect.stringMatching(/./), reason: 'noBrowser' }],
    })
  })

  test.each([404, 410])('forgets a browser that is gone (%d)', async (status) => {
    const account = await createAccount(app)
    const ada = await person(account, 'Firefox')
    const { fire, last } = await acting(account, [ada.id])
    service.answer = (response) => response.writeHead(status).end()
    await fire()
    expect(await last()).toMatchObject({
      ok: false,
      deliveries: [{ outcome: 'failed', reason: 'unsubscribed' }],
    })
    expect((await ada.api.push.list()).items).toEqual([])
  })

  test('is held back when a rule sends many', async () => {
    const account = await createAccount(app)
    const ada = await person(account, 'Firefox')
    const { fire, last } = await acting(account, [ada.id])
    for (let n = 0; n <= pushRates.rule.burst; n++) await fire()
    expect(ada.browsers[0]?.received()).toHaveLength(pushRates.rule.burst)
    expect(await last()).toMatchObject({ ok: false, deliveries: [{ outcome: 'ruleLimit' }] })
  })

  test('is tested with a mark', async () => {
    const account = await createAccount(app)
    const ada = await person(account, 'Firefox')
    const { twin, temperature } = await ruleKit(app, account).warmRule()
    await app.api.ddr.testExecuteAction({
      dtwinId: twin.id,
      title: 'Too warm',
      metrics: [{ alias: 'temperature', stateId: temperature, operation: 'latest' }],
      action: notify([ada.id]),
      inputs: { temperature: 5 },
    })
    await app.drain()
    expect(ada.browsers[0]?.received()).toMatchObject([
      { message: { title: `[Test] ${twin.title}: Too warm`, body: 'It is 5 °C.' } },
    ])
  })
})

describe('a subscription', () => {
  test('has valid keys and an address that may be reached', async () => {
    const { api } = await person(await createAccount(app))
    const { subscription } = createBrowser(service, 'Firefox')
    const keys = { ...subscription.keys, p256dh: Buffer.alloc(65, 4).toString('base64url') }
    expect(await errorOf(api.push.subscribe({ ...subscription, keys }))).toMatchObject({
      code: 'PUSH_SUBSCRIPTION_INVALID',
    })
    for (const endpoint of ['http://169.254.169.254/x', 'http://10.0.0.1/x', 'https://[::1]/x'])
      expect(await errorOf(api.push.subscribe({ ...subscription, endpoint }))).toMatchObject({
        code: 'OUTGOING_ADDRESS_FORBIDDEN',
      })
    expect(
      await errorOf(api.push.subscribe({ ...subscription, endpoint: 'file:///etc/passwd' })),
    ).toMatchObject({
      status: 400,
    })
  })

  test('is not used for an address that became forbidden', async () => {
    const account = await createAccount(app)
    const ada = await person(account, 'Firefox')
    const { fire, last } = await acting(account, [ada.id])
    await app.ctx.db
      .updateTable('push_subscriptions')
      .set({ endpoint: 'http://169.254.169.254/x' })
      .where('user_id', '=', ada.id)
      .execute()
    await fire()
    expect(await last()).toMatchObject({ deliveries: [{ outcome: 'failed', reason: 'forbidden' }] })
  })

  test('belongs to one user, who alone sees and ends it', async () => {
    const account = await createAccount(app)
    const [ada, ben] = [await person(account, 'Firefox'), await person(account)]
    const [own] = (await ada.api.push.list()).items
    const id = own?.id ?? 0
    expect((await ben.api.push.list()).items).toEqual([])
    expect(await errorOf(ben.api.push.unsubscribe({ id }))).toMatchObject({
      code: 'PUSH_SUBSCRIPTION_NOT_FOUND',
    })
    // Somebody else signs in with the same browser: its messages are theirs from now on.
    await ben.api.push.subscribe(ada.browsers[0]?.subscription ?? createBrowser(service, 'x').subscription)
    expect((await ada.api.push.list()).items).toEqual([])
    const [moved] = (await ben.api.push.list()).items
    await ben.api.push.unsubscribe({ id: moved?.id ?? 0 })
    expect((await ben.api.push.list()).items).toEqual([])
  })

  test('is one of at most ten', async () => {
    const { api } = await person(await createAccount(app))
    for (let n = 0; n < pushSubscriptionsMax; n++)
      await api.push.subscribe(createBrowser(service, `Browser ${n}`).subscription)
    expect(await errorOf(api.push.subscribe(createBrowser(service, 'One more').subscription))).toMatchObject({
      code: 'PUSH_SUBSCRIPTIONS_MAX',
      data: { max: pushSubscriptionsMax },
    })
  })

  test('keeps its keys and the key of the installation encrypted', async () => {
    const account = await createAccount(app)
    const ada = await person(account, 'Firefox')
    const rows = await app.ctx.db
      .selectFrom('push_subscriptions')
      .select('keys')
      .where('user_id', '=', ada.id)
      .execute()
    expect(rows[0]?.keys).not.toContain(ada.browsers[0]?.subscription.keys.auth ?? '')
    const settings = await app.ctx.db
      .selectFrom('settings')
      .select('value')
      .where('key', '=', 'push.vapid')
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(settings.value)).toMatch(/^\{"sealed":"sealed:1:/)
  })
})
