import type { AlarmEscalation } from '@leitstand/contract/rules/actions/alarm'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import {
  createAccount,
  createUser,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../../test/kit.ts'
import { ruleKit } from '../../../../../test/rules.ts'
import { startSmtp, type TestSmtp } from '../../../../../test/smtp.ts'

const minuteMs = 60_000
const clock = new FakeClock(new Date())
let smtp: TestSmtp
let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
let kit: ReturnType<typeof ruleKit>
let serial = 0
let care: string
let boss: string

beforeAll(async () => {
  smtp = await startSmtp()
  app = await startApp({ clock, config: { smtpUrl: smtp.url } })
  account = await createAccount(app, { name: 'City' })
  kit = ruleKit(app, account)
  return async () => {
    await app[Symbol.asyncDispose]()
    await smtp[Symbol.asyncDispose]()
  }
})

beforeEach(async () => {
  const roleId = await roleNamed(app, 'Viewer')
  const [one, other] = [`care${++serial}`, `boss${serial}`]
  await createUser(app, account, [{ roleId }], { username: one })
  await createUser(app, account, [{ roleId }], { username: other })
  care = `${one}@example.org`
  boss = `${other}@example.org`
})

const mailsTo = (address: string) =>
  smtp.received.filter((mail) => mail.to?.some((each) => each.address === address))
const counts = () => [mailsTo(care).length, mailsTo(boss).length]

/** A rule whose alarm is open, and reminds. */
async function raised(fields: Partial<AlarmEscalation> = {}) {
  clock.set(new Date())
  const escalation: AlarmEscalation = {
    everyMinutes: 10,
    until: 'acknowledged',
    steps: [
      { afterMinutes: 5, recipients: [care] },
      { afterMinutes: 20, recipients: [boss] },
    ],
    ...fields,
  }
  const made = await kit.warmRule(() => [
    { kind: 'alarm', severity: 'error', message: 'Too warm: {{temperature}} °C', escalation },
  ])
  await kit.set(made.temperature, 40, new Date(Date.now() - minuteMs))
  const { items } = await app.api.alarmLogs.list({ originId: made.twin.id })
  const [alarm] = items
  if (alarm === undefined) throw new Error('there is no alarm')
  const raisedMs = Date.parse(alarm.raisedAt)
  /** Lets the clock be so many minutes after the alarm. */
  const at = async (minutes: number) => {
    clock.set(new Date(raisedMs + minutes * minuteMs))
    await app.drain()
  }
  return { ...made, alarm, at }
}

it('an alarm reminds people one after the other, until somebody acknowledges it', async () => {
  const { alarm, twin, at } = await raised()
  await at(4)
  expect(counts()).toEqual([0, 0])
  await at(5)
  await app.drain()
  expect(counts()).toEqual([1, 0])
  const [mail] = mailsTo(care)
  expect(mail?.subject).toBe('Noch offen / still open: Too warm: 40 °C')
  expect(mail?.text).toContain(twin.title)
  expect(mail?.text).toContain('This is reminder 1.')
  await at(15)
  await at(20)
  expect(counts()).toEqual([3, 1])
  expect(mailsTo(boss)[0]?.text).toContain('open for 20 minutes and nobody has acknowledged it')
  await app.api.alarmLogs.acknowledge({ ids: [alarm.id] })
  await at(60)
  expect(counts()).toEqual([3, 1])
})

it('the execution that raised the alarm shows its reminders: when, to whom, what became of them', async () => {
  const { rule, alarm, temperature, at } = await raised()
  await at(5)
  await at(20)
  // Another evaluation while the alarm is open has none.
  await kit.set(temperature, 41, new Date())
  const { items } = await app.api.ddr.executionHistory({ id: rule.id })
  const raising = items.find((each) => each.at === alarm.raisedAt)
  const minutes = (time: string) => (Date.parse(time) - Date.parse(alarm.raisedAt)) / minuteMs
  expect(raising?.reminders?.total).toBe(2)
  expect(
    raising?.reminders?.items.map(({ at: time, mails }) => [
      minutes(time),
      mails.map(({ address, outcome }) => `${address} ${outcome}`),
    ]),
  ).toEqual([
    [5, [`${care} sent`]],
    [20, [`${care} sent`, `${boss} sent`]],
  ])
  expect(items.filter((each) => each.reminders !== undefined)).toHaveLength(1)
  const { items: monitored } = await app.api.ddr.executions({ dtwinId: alarm.originId ?? 0 })
  expect(monitored.find(({ id }) => id === raising?.id)).toEqual(raising)
})

it('of many reminders an execution shows the newest, and counts all', async () => {
  const { rule, alarm, at } = await raised({ everyMinutes: 1, until: 'resolved' })
  for (let minute = 5; minute < 28; minute++) await at(minute)
  const { items } = await app.api.ddr.executionHistory({ id: rule.id })
  const reminders = items.find((each) => each.at === alarm.raisedAt)?.reminders
  const sent = reminders?.items.map(({ at: time }) => Date.parse(time)) ?? []
  expect(sent).toHaveLength(20)
  expect(sent).toEqual(sent.toSorted((a, b) => a - b))
  expect(reminders?.total).toBeGreaterThan(20)
  expect(sent.at(-1)).toBe(Date.parse(alarm.raisedAt) + 27 * minuteMs)
})

it('reminders that were due while the server was down are one', async () => {
  const { at } = await raised()
  await at(64)
  expect(counts()).toEqual([1, 1])
  await at(65)
  expect(counts()).toEqual([2, 2])
})

it('reminders end with the alarm, also if acknowledging it does not end them', async () => {
  const { alarm, temperature, at } = await raised({ until: 'resolved' })
  await app.api.alarmLogs.acknowledge({ ids: [alarm.id] })
  await at(5)
  expect(counts()).toEqual([1, 0])
  expect(mailsTo(care)[0]?.text).not.toContain('acknowledged')
  await kit.set(temperature, 10, new Date())
  await at(25)
  expect(counts()).toEqual([1, 0])
})

it('a rule that is switched off or changed reminds nobody of its old alarm', async () => {
  const { rule, at } = await raised()
  await app.api.ddr.update({ ...rule, active: false })
  await at(30)
  expect(counts()).toEqual([0, 0])
})

it('people outside of the account are asked before they are reminded', async () => {
  const stranger = `stranger${serial}@elsewhere.example`
  const { at } = await raised({ steps: [{ afterMinutes: 5, recipients: [stranger] }] })
  await at(5)
  expect(mailsTo(stranger).map(({ subject }) => subject?.includes('still open'))).toEqual([false])
})
