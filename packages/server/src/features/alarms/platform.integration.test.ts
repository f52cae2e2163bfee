import { beforeAll, expect, it } from 'vitest'
import {
  createAccount,
  createRole,
  createUser,
  FakeClock,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { watchOnce } from './platform.ts'
import { looksMin, type Measures, PlatformJudge } from './platformJudge.ts'

const clock = new FakeClock('2026-06-15T12:00:00.000Z')
const fine: Measures = {
  disk: { freeBytes: 50e9, totalBytes: 100e9 },
  writeMs: 5,
  eventsLateMs: 0,
  isReplicaUnused: false,
  isLoopSlow: false,
}
let app: TestApp

beforeAll(async () => {
  app = await startApp({ clock })
})

async function look(judge: PlatformJudge, measures: Measures, times = looksMin) {
  for (let n = 0; n < times; n++) await watchOnce(app.ctx, judge, measures, app.app.alarms.follow)
  await app.drain()
}

const platformAlarms = async (api = app.api) => (await api.alarmLogs.list({ sources: ['platform'] })).items

it('opens an alarm of the platform once, for administrators of the platform only, tells them, and ends it', async () => {
  await app.api.alarmNotifications.create({ title: 'Platform', channel: 'mail', sources: ['platform'] })
  const account = await createAccount(app)
  const role = await createRole(app, [{ subject: 'all', actions: ['manage'] }])
  const reader = await createUser(app, account, [{ roleId: role }])
  const judge = new PlatformJudge()
  const full = { ...fine, disk: { freeBytes: 1e9, totalBytes: 100e9 } }
  await look(judge, full, looksMin + 2)
  expect(await platformAlarms()).toMatchObject([
    {
      source: 'platform',
      category: 'platform',
      severity: 'error',
      originCategory: 'platform',
      originId: null,
      accountId: app.rootAccountId,
      details: { reason: 'disk', freeGigabytes: 1, freePercent: 1 },
      occurrences: 1,
      resolvedAt: null,
    },
  ])
  expect(await platformAlarms(reader.api)).toEqual([])
  await look(new PlatformJudge(), fine)
  expect((await platformAlarms())[0]?.resolvedAt).not.toBeNull()
  const mails = await app.ctx.db.selectFrom('mails').select('subject').execute()
  expect(mails.map(({ subject }) => subject)).toEqual([
    expect.stringContaining('Der Speicherplatz wird knapp'),
  ])
})

it('tells afterwards that the database was gone', async () => {
  const judge = new PlatformJudge()
  const gone = new Error('the database is gone')
  await watchOnce(app.ctx, judge, { ...fine, writeMs: null }, () => Promise.reject(gone))
  judge.failed(clock.now())
  clock.advance(60_000)
  await look(judge, fine, 1)
  const [alarm] = await platformAlarms()
  expect(alarm).toMatchObject({
    details: { reason: 'databaseGone' },
    raisedAt: '2026-06-15T12:00:00.000Z',
    resolvedAt: '2026-06-15T12:01:00.000Z',
  })
})
