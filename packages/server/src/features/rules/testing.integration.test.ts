import type { RuleAction } from '@leitstand/contract/rules'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  createAccount,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { startReceiver, type TestReceiver } from '../../../test/receiver.ts'
import { alarmAction, ruleKit } from '../../../test/rules.ts'
import { startSmtp, type TestSmtp } from '../../../test/smtp.ts'
import { testRate } from './testing.ts'

const clock = new FakeClock(new Date())
let app: TestApp
let smtp: TestSmtp
let receiver: TestReceiver
beforeAll(async () => {
  smtp = await startSmtp()
  receiver = await startReceiver()
  app = await startApp({ clock, config: { smtpUrl: smtp.url, allowedNetworks: ['127.0.0.1'] } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})
// Every test has the tests of a user to itself.
beforeEach(() => clock.advance(3_600_000))

async function draft() {
  const account = await createAccount(app)
  const { twin, temperature } = await ruleKit(app, account).warmRule()
  return {
    account,
    twin,
    temperature,
    input: (action: RuleAction, inputs: Record<string, number> = { temperature: 31.5 }) => ({
      dtwinId: twin.id,
      title: 'Too warm',
      metrics: [{ alias: 'temperature', stateId: temperature, operation: 'latest' as const }],
      action,
      inputs,
    }),
  }
}
const mail = (recipient: string): RuleAction => ({
  kind: 'email',
  recipients: [recipient],
  subject: '{{rule.title}}',
  body: '{{temperature}} in {{twin.title}}',
})

test('a mail is really sent with the given values, marked as a test, and is in the activity log', async () => {
  const { account, twin, input } = await draft()
  await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }], { username: 'tester' })
  const outcome = await app.api.ddr.testExecuteAction(input(mail('tester@example.org')))
  expect(outcome).toMatchObject({ kind: 'email', ok: false, mails: [{ outcome: 'queued' }] })
  await app.drain()
  const [received] = smtp.received.filter(({ to }) => to?.[0]?.address === 'tester@example.org')
  expect(received?.subject).toBe('[Test] Too warm')
  expect(received?.text?.trim()).toBe(`31.5 in ${twin.title}`)
  const { items } = await app.api.activityLog.list({ accountIds: [account.id], limit: 5 })
  expect(items[0]).toMatchObject({ action: 'test-action', subject: 'Rule', objectTitle: 'Too warm' })
})

test('a webhook is really sent, with current values where none are given', async () => {
  const { account, twin, temperature, input } = await draft()
  await ruleKit(app, account).set(temperature, 12, new Date(clock.now().getTime() - 60_000))
  const connector = await app.api.bridge.create({
    accountId: account.id,
    kind: 'webhook-out',
    name: 'Control room',
    settings: { url: receiver.url },
  })
  const action: RuleAction = { kind: 'webhook', connectorId: connector.id, format: 'standard', text: '' }
  const outcome = await app.api.ddr.testExecuteAction(input(action, {}))
  expect(outcome).toMatchObject({ kind: 'webhook', deliveries: [{ to: 'Control room' }] })
  await app.drain()
  const [received] = receiver.received
  expect(received?.headers).toMatchObject({ 'test-message': 'true', 'user-agent': 'IoT-Platform' })
  expect(JSON.parse(received?.body.toString() ?? '')).toMatchObject({
    rule: { id: null, title: 'Too warm' },
    twin: { id: twin.id },
    values: { temperature: 12 },
    test: true,
  })
})

test('needs the rights that storing the rule needs', async () => {
  const { account, input } = await draft()
  const stranger = await createAccount(app)
  const viewer = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
  const other = await createUser(app, stranger, [{ roleId: await roleNamed(app, 'Account administrator') }])
  const tested = input(mail('nobody@elsewhere.example'))
  expect(await errorOf(viewer.api.ddr.testExecuteAction(tested))).toMatchObject({ code: 'NO_PERMISSION' })
  expect(await errorOf(other.api.ddr.testExecuteAction(tested))).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
  await app.drain()
  expect(smtp.received.filter(({ to }) => to?.[0]?.address === 'nobody@elsewhere.example')).toEqual([])
})

test('is limited for each user', async () => {
  const { input } = await draft()
  const tested = input(mail('admin@localhost'))
  for (let n = 0; n < testRate.burst; n++) await app.api.ddr.testExecuteAction(tested)
  expect(await errorOf(app.api.ddr.testExecuteAction(tested))).toMatchObject({
    code: 'TOO_MANY_REQUESTS',
    data: { retryAfterSeconds: 30 },
  })
  clock.advance(30_000)
  expect(await app.api.ddr.testExecuteAction(tested)).toMatchObject({ kind: 'email' })
})

test('of an alarm sends nothing', async () => {
  const { input } = await draft()
  expect(await errorOf(app.api.ddr.testExecuteAction(input(alarmAction)))).toMatchObject({
    code: 'DDR_ACTION_NOT_TESTABLE',
    data: { kind: 'alarm' },
  })
})

test('of an action that could not be stored is refused like it', async () => {
  const { input } = await draft()
  const action = { ...mail('admin@localhost'), body: '{{gone}}' } as RuleAction
  expect(await errorOf(app.api.ddr.testExecuteAction(input(action)))).toMatchObject({
    code: 'VALIDATION_ERROR',
    data: { issues: [{ path: ['actions', '0', 'body'] }] },
  })
})
