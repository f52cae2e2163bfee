import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import {
  createAccount,
  createRole,
  createUser,
  errorOf,
  FakeClock,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { createConnector, createDevice } from '../../../test/pipeline.ts'

const clock = new FakeClock('2026-06-15T12:00:00.000Z')
let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
let other: Awaited<ReturnType<typeof createAccount>>
let pump: number
let meter: number

beforeAll(async () => {
  app = await startApp({ clock })
  account = await createAccount(app, { name: 'North' })
  other = await createAccount(app, { name: 'South' })
  pump = await createDevice(app, await createConnector(app, account.id, account.scopeId), 'pump', null)
  meter = await createDevice(app, await createConnector(app, other.id, other.scopeId), 'meter', null)
  const alarm = (
    accountId: number,
    twinId: number,
    raised: string,
    resolved: string | null,
    severity: string,
  ) =>
    sql`
    insert into alarms (account_id, twin_id, source, cause_key, category, severity, message, raised_at, resolved_at, occurrences)
    values (${accountId}, ${twinId}, 'health', ${`health:${twinId}:${raised}`}, 'battery', ${severity}, 'x', ${raised}, ${resolved}, 2)`.execute(
      app.ctx.db,
    )
  await alarm(account.id, pump, '2026-06-13T21:59:00Z', '2026-06-13T22:00:00Z', 'error')
  await alarm(account.id, pump, '2026-06-13T22:30:00Z', '2026-06-13T22:31:00Z', 'warning')
  await alarm(account.id, pump, '2026-06-15T11:59:00Z', null, 'error')
  await alarm(account.id, pump, '2026-05-01T11:00:00Z', '2026-05-01T11:30:00Z', 'error')
  await alarm(other.id, meter, '2026-06-14T12:00:00Z', '2026-06-14T12:10:00Z', 'warning')
})

it('sums alarms by the days of a time zone, and names what has the most and the longest', async () => {
  const ofPump = { originId: pump, accountName: 'North', alarms: 3, occurrences: 6, seconds: 180 }
  const ofMeter = { originId: meter, originCategory: 'virtualDevice', alarms: 1, seconds: 600 }
  expect(await app.api.alarmLogs.analysis({ timeZone: 'Europe/Berlin' })).toEqual({
    from: '2026-05-16T22:00:00.000Z',
    to: '2026-06-15T12:00:00.000Z',
    alarms: 4,
    open: 1,
    occurrences: 8,
    seconds: 780,
    previous: { alarms: 1, occurrences: 2, seconds: 1800 },
    days: [
      { day: '2026-06-13', errors: 1, warnings: 0 },
      { day: '2026-06-14', errors: 0, warnings: 2 },
      { day: '2026-06-15', errors: 1, warnings: 0 },
    ],
    origins: [expect.objectContaining(ofPump), expect.objectContaining(ofMeter)],
    longest: [expect.objectContaining(ofMeter), expect.objectContaining(ofPump)],
  })
  expect((await app.api.alarmLogs.analysis({ timeZone: 'UTC' })).days[0]).toEqual({
    day: '2026-06-13',
    errors: 1,
    warnings: 1,
  })
})

it('is filtered, and bounded by 92 days', async () => {
  const count = async (input: Parameters<typeof app.api.alarmLogs.analysis>[0]) =>
    (await app.api.alarmLogs.analysis(input)).alarms
  expect(await count({ days: 92 })).toBe(5)
  expect(await count({ days: 1 })).toBe(1)
  expect(await count({ accountIds: [other.id] })).toBe(1)
  expect(await count({ severity: 'error' })).toBe(2)
  expect(await count({ categories: ['device'] })).toBe(0)
  expect(await count({ sources: ['health', 'rule'] })).toBe(4)
  const { id: groupId } = await app.api.smartGroup.create({ title: 'Meters', accountId: other.id })
  expect(await count({ groupId })).toBe(1)
  expect(await count({ groupId, accountIds: [account.id] })).toBe(0)
  for (const input of [{ days: 93 }, { days: 0 }, { timeZone: 'Mars/Olympus' }])
    expect(await errorOf(app.api.alarmLogs.analysis(input))).toMatchObject({ status: 400 })
})

it('shows only what the caller may see', async () => {
  const role = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'] }])
  const { api } = await createUser(app, other, [{ roleId: role }])
  const { alarms, origins } = await api.alarmLogs.analysis({ accountIds: [account.id, other.id] })
  expect([alarms, origins.map(({ originId }) => originId)]).toEqual([1, [meter]])
  const { id: groupId } = await app.api.smartGroup.create({ title: 'All', accountId: account.id })
  expect(await errorOf(api.alarmLogs.analysis({ groupId }))).toMatchObject({ code: 'SMART_GROUP_NOT_FOUND' })
})
