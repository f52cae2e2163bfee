import { activityLog } from '@leitstand/contract/activity'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import en from '../../locales/en.json' with { type: 'json' }
import {
  activityActions,
  activityFilter,
  activityInput,
  activityPath,
  activitySubjects,
  changesOf,
  dayOf,
  isEmpty,
  sinceHours,
} from './activity.ts'

const params = {
  offset: 0,
  limit: 20,
  search: undefined,
  accountIds: undefined,
  orderBy: undefined,
  favorites: false,
}

it('asks for a span that begins on a whole minute', () => {
  const nowMs = Date.parse('2026-03-04T12:30:45Z')
  expect(activityInput({ ...params, filters: { since: ['24'], subject: ['Rule'] } }, nowMs)).toMatchObject({
    from: '2026-03-03T12:30:00.000Z',
    subject: 'Rule',
  })
  expect(activityInput({ ...params, filters: { since: ['5'] } }, nowMs).from).toBeUndefined()
})

it('leads to the thing where it has a screen and still exists', () => {
  const entry = { subject: 'VirtualDevice', action: 'update', objectId: 7, accountId: 2 }
  expect(activityPath(entry)).toBe('/virtual-devices/7')
  expect(activityPath({ ...entry, subject: 'Connector' })).toBe('/connectors/edit/2/7')
  expect(activityPath({ ...entry, action: 'delete' })).toBeNull()
  expect(activityPath({ ...entry, subject: 'User' })).toBe('/account-mgmt/user/2/7')
  expect(activityPath({ ...entry, subject: 'Role' })).toBe('/account-mgmt-roles?role=7')
  expect(activityPath({ ...entry, subject: 'Rule' })).toBeNull()
  expect(activityPath({ ...entry, objectId: null })).toBeNull()
})

it('asks for whole days of the browser, in either way of writing', () => {
  const filters = {
    from: ['2026-03-04'],
    to: ['5.3.2026'],
    user: ['7', 'x'],
    object: ['9'],
    subject: ['User'],
  }
  const input = activityInput({ ...params, filters }, 0)
  expect(input).toMatchObject({ userIds: [7], objectId: 9, subject: 'User' })
  expect(input.from).toBe(new Date(2026, 2, 4).toISOString())
  expect(input.to).toBe(new Date(2026, 2, 6).toISOString())
  for (const text of ['2026-02-30', 'yesterday', '', undefined]) expect(dayOf(text)).toBeUndefined()
  // The later of two start times applies.
  const nowMs = new Date(2026, 2, 4, 12).getTime()
  const both = activityInput({ ...params, filters: { since: ['1'], from: ['2026-03-04'] } }, nowMs)
  expect(both.from).toBe(new Date(2026, 2, 4, 11).toISOString())
})

it('names of settings only what differs', () => {
  const policy = { minLength: 12, numbers: true }
  expect(
    changesOf('update', {
      passwordPolicy: [null, policy],
      settings: [
        { url: 'a', headers: { accept: 'x' } },
        { url: 'a', headers: {} },
      ],
      role: [
        { name: 'Viewer', key: 'viewer' },
        { name: 'Night', key: null },
      ],
      limit: [null, 5],
    }),
  ).toEqual([
    { field: 'passwordPolicy.minLength', before: null, after: 12 },
    { field: 'passwordPolicy.numbers', before: null, after: true },
    { field: 'settings.headers.accept', before: 'x', after: null },
    { field: 'role', before: { name: 'Viewer', key: 'viewer' }, after: { name: 'Night', key: null } },
    { field: 'limit', before: null, after: 5 },
  ])
  expect(changesOf('update', { passwordPolicy: [policy, null] })).toHaveLength(2)
})

it('reads changes in both ways they are written, and what was created as it is', () => {
  expect(
    changesOf('update', { name: ['a', 'b'], tags: { before: [], after: ['x'] }, module: 'assets' }),
  ).toEqual([
    { field: 'name', before: 'a', after: 'b' },
    { field: 'tags', before: [], after: ['x'] },
    { field: 'module', value: 'assets' },
  ])
  expect(changesOf('create', { name: 'a', tags: ['x', 'y'], description: '', key: null, meta: {} })).toEqual([
    { field: 'name', value: 'a' },
    { field: 'tags', value: ['x', 'y'] },
  ])
  expect(changesOf('update', null)).toEqual([])
})

describe('days', () => {
  it.each([
    ['2026-03-04', [2026, 2, 4]],
    [' 2026-3-4 ', [2026, 2, 4]],
    ['04.03.2026', [2026, 2, 4]],
    ['29.2.2028', [2028, 1, 29]],
    ['31.12.2026', [2026, 11, 31]],
  ] as const)('%s', (text, [year, month, day]) => {
    expect(dayOf(text)?.startMs).toBe(new Date(year, month, day).getTime())
  })

  it.each([
    '29.2.2026',
    '31.4.2026',
    '0.1.2026',
    '1.13.2026',
    '2026-00-10',
    '2026-13-01',
    '4.3.26',
    '2026/03/04',
    '0050-01-01',
    '2026-03-04T12:00',
    'heute',
  ])('%s is none', (text) => expect(dayOf(text)).toBeUndefined())

  it.each(['Europe/Berlin', 'America/Santiago', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC'])(
    'in %s last from the first moment of the day to the first of the next, also when the clocks change',
    (zone) => {
      vi.stubEnv('TZ', zone)
      try {
        // The days around the changes of the clocks of these zones.
        for (const [month, first] of [
          [2, 20],
          [3, 1],
          [8, 1],
          [9, 1],
          [9, 20],
        ] as const)
          for (let at = 0; at < 15; at++) {
            const date = new Date(2026, month, first + at, 12)
            const day = date.getDate()
            const { startMs = 0, endMs = 0 } =
              dayOf(`${day}.${date.getMonth() + 1}.${date.getFullYear()}`) ?? {}
            expect(new Date(startMs).getDate()).toBe(day)
            expect(new Date(startMs - 1).getDate()).not.toBe(day)
            expect(new Date(endMs - 1).getDate()).toBe(day)
            expect(new Date(endMs).getDate()).not.toBe(day)
          }
      } finally {
        vi.unstubAllEnvs()
      }
    },
  )

  it('one after another leave no moment out', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20_000 }), (days) => {
        const text = (offset: number) => {
          const date = new Date(2000, 0, 1 + days + offset, 12)
          return `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`
        }
        expect(dayOf(text(0))?.endMs).toBe(dayOf(text(1))?.startMs)
      }),
    )
  })
})

describe('the filter of the log', () => {
  const schema = activityLog.list['~orpc'].inputSchema
  it('is accepted by the operation, whatever the address says', () => {
    const keys = ['since', 'from', 'to', 'user', 'object']
    const text = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc.constantFrom('24', '4.3.2026', '2026-03-04'),
    )
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...keys), fc.array(text, { minLength: 1, maxLength: 2 })),
        (filters) => {
          const sent = JSON.parse(JSON.stringify(activityInput({ ...params, filters }, Date.UTC(2026, 2, 4))))
          expect(schema?.safeParse(sent).error?.issues ?? []).toEqual([])
        },
      ),
    )
  })

  it.each(sinceHours)('the last %d hours begin on a whole minute', (hours) => {
    const nowMs = Date.UTC(2026, 2, 4, 12, 30, 59, 999)
    const { from } = activityFilter({ ...params, filters: { since: [String(hours)] } }, nowMs)
    expect(Date.parse(from ?? '')).toBe(Date.UTC(2026, 2, 4, 12, 30) - hours * 3_600_000)
  })

  it.each([
    [
      ['7', '8'],
      [7, 8],
    ],
    [['0', '-1', 'x', '1.5', '2147483648'], undefined],
    [['2147483647'], [2147483647]],
  ])('users %j', (user, userIds) => {
    expect(activityFilter({ ...params, filters: { user } }, 0).userIds).toEqual(userIds)
  })

  it('every choice has a text in both languages', () => {
    for (const texts of [de.systemLogs, en.systemLogs]) {
      expect(activitySubjects.filter((each) => !(each in texts.subject))).toEqual([])
      expect(activityActions.filter((each) => !(each in texts.action))).toEqual([])
    }
  })
})

describe('changes of any entry', () => {
  it('do not fail, and never name a field that did not change', () => {
    const value = fc.jsonValue({ maxDepth: 3 })
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{0,5}$/), fc.tuple(value, value)), (changes) => {
        for (const change of changesOf('update', changes)) {
          if (!('before' in change) || !change.field.includes('.')) continue
          expect(JSON.stringify(change.before)).not.toBe(JSON.stringify(change.after))
        }
      }),
    )
  })

  it.each([
    [
      'a list of two that was set at creation',
      'create',
      { tags: ['a', 'b'] },
      [{ field: 'tags', value: ['a', 'b'] }],
    ],
    [
      'a list of three is a value',
      'update',
      { tags: ['a', 'b', 'c'] },
      [{ field: 'tags', value: ['a', 'b', 'c'] }],
    ],
    [
      'before and after with more is a value',
      'update',
      { x: { before: 1, after: 2, by: 3 } },
      [{ field: 'x', value: { before: 1, after: 2, by: 3 } }],
    ],
    [
      'zero and false are values',
      'create',
      { a: 0, b: false },
      [
        { field: 'a', value: 0 },
        { field: 'b', value: false },
      ],
    ],
    ['nothing to nothing', 'update', { a: [null, null] }, [{ field: 'a', before: null, after: null }]],
    ['a whole object that was deleted', 'delete', { a: 1, b: '' }, [{ field: 'a', value: 1 }]],
    ['a list instead of changes', 'update', [], []],
    ['a text instead of changes', 'update', 'x', []],
  ])('%s', (_name, action, changes, expected) => {
    expect(changesOf(action, changes)).toEqual(expected)
  })

  it('beyond three levels are shown as a whole', () => {
    const nested = (leaf: number) => ({ a: { b: { c: { d: leaf } } } })
    expect(changesOf('update', { s: [nested(1), nested(2)] })).toEqual([
      { field: 's.a.b.c', before: { d: 1 }, after: { d: 2 } },
    ])
  })

  it.each([
    [null, true],
    [undefined, true],
    ['', true],
    [[], true],
    [{}, true],
    [0, false],
    [false, false],
    [' ', false],
    [[null], false],
  ])('%j is empty: %s', (value, empty) => {
    expect(isEmpty(value)).toBe(empty)
  })
})

it.each([
  ['DigitalTwin', '/digitaltwin-mgmt/7'],
  ['DeviceDriver', '/virtual-device-drivers/7'],
  ['Dashboard', '/dashboards/7'],
  ['Tenant', '/account-mgmt/7'],
  ['Module', '/account-mgmt-modules?account=7'],
  ['ApiKey', null],
])('an entry about %s leads to %s', (subject, path) => {
  expect(activityPath({ subject, action: 'update', objectId: 7, accountId: null })).toBe(path)
})

it.each(['Connector', 'User'])('an entry about a %s of no account leads nowhere', (subject) => {
  expect(activityPath({ subject, action: 'update', objectId: 7, accountId: null })).toBeNull()
})

describe('keys that every object has', () => {
  it.each(['constructor', 'toString', 'valueOf'])('%s is new or gone like any other', (key) => {
    expect(changesOf('update', { keyValues: [{}, { [key]: 'x' }] })).toEqual([
      { field: `keyValues.${key}`, before: null, after: 'x' },
    ])
    expect(changesOf('update', { keyValues: [{ [key]: 'x' }, {}] })).toEqual([
      { field: `keyValues.${key}`, before: 'x', after: null },
    ])
  })

  it('__proto__ of JSON is a key, too', () => {
    const after: unknown = JSON.parse('{"__proto__":"x"}')
    expect(changesOf('update', { keyValues: [{}, after] })).toEqual([
      { field: 'keyValues.__proto__', before: null, after: 'x' },
    ])
  })
})
