import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../../test/browser.ts'
import de from '../locales/de.json' with { type: 'json' }
import type { ListColumn } from '../ui/list/types.ts'

openBrowser()
const activity = await import('../features/activity/ActivityTab.tsx')
const keys = await import('../features/apikeys/ApiKeysTab.tsx')
const connectors = await import('../features/connectors/ConnectorsPage.tsx')
const drivers = await import('../features/drivers/DriversPage.tsx')
const library = await import('../features/drivers/library/LibraryPage.tsx')
const jobs = await import('../features/jobs/JobsPage.tsx')
const faultyJobs = await import('../features/jobs/FaultyJobs.tsx')
const letters = await import('../features/letters/DeadLettersTab.tsx')
const people = await import('../features/people/UsersTab.tsx')
const provider = await import('../features/provider/ApplicationsTab.tsx')
const mails = await import('../features/settings/MailsTab.tsx')
const serverLog = await import('../features/settings/ServerLogTab.tsx')
const signIns = await import('../features/settings/SignInsTab.tsx')
const parked = await import('../features/settings/ParkedEventsTab.tsx')
const templates = await import('../features/templates/TemplatesPage.tsx')

beforeAll(() =>
  i18next.init({ lng: 'de', resources: { de: { translation: de } }, interpolation: { escapeValue: false } }),
)

const { t } = i18next
const none = () => undefined
type Columns = ListColumn<never>[]
const lists: Record<string, () => Columns> = {
  activity: () => activity.columns(t, none),
  'API keys': () => keys.columns(t),
  connectors: () => connectors.columns(t),
  drivers: () => drivers.columns(t),
  'library of drivers': () => library.columns(t, (text) => text.de, undefined),
  jobs: () => jobs.columnsOf(t),
  'failed jobs': () => faultyJobs.columns(t),
  'server log': () => serverLog.columns(t, none),
  'failed sign-ins': () => signIns.columns(t),
  'dead letters': () => letters.columnsOf(t),
  users: () => people.columns(t, 1),
  applications: () => provider.columns(t),
  mails: () => mails.columns(t, none),
  'parked events': () => parked.columns(t, none),
  templates: () => templates.columns(t),
}

/** The cells of a row in the CSV, by column. */
const cells = (columns: Columns, row: object) =>
  Object.fromEntries(columns.map(({ key, csv }) => [key, csv?.(row as never)]))

describe.each(Object.keys(lists))('the list of %s', (name) => {
  const columns = () => lists[name]?.() ?? []

  test('has a name for every column, and each a key of its own', () => {
    const unnamed = columns().filter(({ title }) => title === '' || /^[a-z]\w*\.\w/.test(title))
    expect(unnamed.map(({ key }) => key)).toEqual([])
    expect(new Set(columns().map(({ key }) => key)).size).toBe(columns().length)
  })

  test('has everything in its CSV', () => {
    expect(columns().flatMap(({ key, csv }) => (csv ? [] : [key]))).toEqual([])
  })

  test('always shows its first column, also on a phone', () => {
    const shown = columns().filter(({ hideBelow, optional }) => hideBelow === undefined && !optional)
    expect(shown.length).toBeGreaterThan(0)
    expect(columns()[0]?.optional).toBeUndefined()
  })
})

describe('the CSV of', () => {
  test('users names roles and states in the language of the console', () => {
    const user = {
      firstName: 'Märta',
      lastName: '',
      username: 'mm',
      email: '',
      roles: [{ name: 'Viewer', key: 'viewer' }],
      active: true,
      invited: true,
      lockedUntil: null,
      lastLoginAt: null,
    }
    expect(cells(people.columns(t, 1) as Columns, user)).toEqual({
      lastName: 'Märta',
      username: 'mm',
      email: '',
      roles: de.roles.delivered.viewer.name,
      state: de.users.state.invited,
      lastLoginAt: '',
    })
  })

  test('API keys never holds more of a key than its beginning', () => {
    const key = {
      title: 'Grafana',
      prefix: 'lsk_12',
      roleName: 'Nachtschicht',
      roleKey: null,
      scopeName: 'Stadt',
      callsPerMinute: 600,
      validUntil: null,
      lastUsedAt: null,
      createdBy: 'admin',
      createdAt: '2026-01-01T12:00:00Z',
    }
    expect(cells(keys.columns(t) as Columns, key)).toEqual({
      title: 'Grafana',
      prefix: 'lsk_12',
      role: 'Nachtschicht',
      scope: 'Stadt',
      callsPerMinute: 600,
      validUntil: '',
      lastUsedAt: '',
      createdBy: 'admin',
    })
  })

  test('applications names their kind', () => {
    const application = {
      title: 'App',
      kind: 'public',
      clientId: 'c-1',
      users: 3,
      lastUsedAt: null,
      createdBy: 'admin',
    }
    expect(cells(provider.columns(t) as Columns, application)).toMatchObject({
      kind: de.applications.kinds.public,
      users: 3,
      lastUsedAt: '',
    })
  })

  test.each([
    ['connected', de.connectors.state.connected],
    ['error', de.connectors.state.error],
    ['disabled', de.connectors.state.disabled],
  ])('connectors names the state %s', (state, text) => {
    const connector = {
      name: 'Halle',
      kind: 'mqtt-in',
      state,
      stateMessage: '',
      deviceCount: 0,
      stateAt: 0,
      createdAt: 0,
    }
    expect(cells(connectors.columns(t) as Columns, connector)).toMatchObject({
      name: 'Halle',
      kind: de.connectors.kind['mqtt-in'].name,
      state: text,
      devices: 0,
    })
  })

  test.each([
    [true, de.drivers.delivered],
    [false, 'Stadtwerke'],
  ])('drivers names their origin, delivered: %s', (delivered, origin) => {
    const driver = {
      title: 'ERS',
      manufacturer: '',
      model: '',
      delivered,
      accountName: 'Stadtwerke',
      publishedVersion: null,
      deviceCount: 5,
      updatedAt: 0,
    }
    expect(cells(drivers.columns(t) as Columns, driver)).toMatchObject({
      origin,
      version: null,
      deviceCount: 5,
    })
  })

  test('the library is in the language of the console', () => {
    const row = {
      title: 'ERS',
      manufacturer: 'Elsys',
      model: 'ERS CO2',
      category: 'climate',
      description: { de: 'Raumklima', en: 'Indoor climate' },
      state: 'updatable',
    }
    expect(cells(library.columns(t, (text) => text.en, undefined) as Columns, row)).toMatchObject({
      description: 'Indoor climate',
      state: de.drivers.library.state.updatable,
    })
  })

  test.each([
    [{ state: 'done', done: 5, total: 5 }, 100, de.jobs.state.done],
    [{ state: 'inprogress', done: 1, total: 3 }, 33, de.jobs.state.inprogress],
    [{ state: 'failed', done: 0, total: 0 }, 0, de.jobs.state.failed],
  ])('jobs has the progress of %j', (change, progress, state) => {
    const job = {
      title: 'Tausch',
      type: 'packets-decode',
      user: 'mm',
      createdAt: 0,
      stoppedAt: null,
      result: {},
      ...change,
    }
    expect(cells(jobs.columnsOf(t) as Columns, job)).toMatchObject({
      type: de.jobs.type['packets-decode'],
      progress,
      state,
      stoppedAt: null,
    })
  })

  test('dead letters holds the whole body and the code', () => {
    const letter = {
      reason: 'DEVICE_UNKNOWN',
      detail: '',
      receivedAt: '2026-11-20T12:00:00Z',
      identifier: null,
      body: `{"a":\n"${'x'.repeat(500)}"}`,
      attempts: 0,
    }
    expect(cells(letters.columnsOf(t) as Columns, letter)).toEqual({
      reason: 'DEVICE_UNKNOWN',
      receivedAt: letter.receivedAt,
      identifier: null,
      detail: '',
      body: letter.body,
    })
  })

  test('mails lists all recipients, and those that were refused', () => {
    const mail = {
      createdAt: 'a',
      status: 'kept',
      subject: '',
      recipients: ['a@example.org', 'b@example.org'],
      refused: [],
      error: null,
      sentAt: null,
    }
    const refused = [{ address: 'b@example.org', reason: '550 no such user' }]
    expect(cells(mails.columns(t, none) as Columns, { ...mail, status: 'sent', refused })).toMatchObject({
      status: expect.stringContaining('b@example.org'),
    })
    expect(cells(mails.columns(t, none) as Columns, mail)).toEqual({
      createdAt: 'a',
      status: de.mails.status.kept,
      subject: '',
      recipients: 'a@example.org, b@example.org',
      sentAt: null,
    })
  })

  test('parked events holds the whole reason', () => {
    const event = {
      parkedAt: 'a',
      topic: 'values',
      consumer: 'rules',
      accountName: null,
      waits: false,
      reason: 'x'.repeat(500),
    }
    expect(cells(parked.columns(t, none) as Columns, event)).toMatchObject({
      account: null,
      reason: event.reason,
    })
  })

  test('templates names stage and state', () => {
    const template = {
      title: 'Zähler',
      id: 3,
      driverTitle: 'ERS',
      accountName: 'Stadt',
      connectorName: null,
      stage: 'draft',
      syncState: 'unlinked',
      deviceCount: 0,
      updatedAt: 0,
      createdAt: 0,
    }
    expect(cells(templates.columns(t) as Columns, template)).toMatchObject({
      connector: null,
      stage: de.templates.stage.draft,
      status: de.templates.sync.unlinked,
      deviceCount: 0,
    })
  })

  test.each([
    ['a user', { userId: 3, userName: 'mm' }, 'mm'],
    ['an impersonated user', { userId: 3, userName: 'mm', impersonatorName: 'admin' }, 'admin als mm'],
    ['an application', { userId: 3, userName: 'mm', applicationName: 'App <1>' }, 'App <1> als mm'],
    ['the platform', { userId: null, userName: 'retention' }, de.systemLogs.by.retention],
    ['the first start', { userId: null, userName: 'first start' }, de.systemLogs.by.firstStart],
    ['a user called like the platform', { userId: 4, userName: 'retention' }, 'retention'],
    ['nobody', { userId: null, userName: '' }, de.systemLogs.system],
  ])('activities names %s', (_name, actor, who) => {
    const entry = {
      at: 'a',
      action: 'create',
      subject: 'Role',
      accountId: 1,
      objectId: 5,
      objectTitle: '',
      ip: '',
      impersonatorName: null,
      applicationName: null,
      ...actor,
    }
    expect(cells(activity.columns(t, none) as Columns, entry)).toMatchObject({
      user: who,
      what: de.systemLogs.action.create,
      object: '#5',
    })
  })
})
