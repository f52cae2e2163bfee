import { expect, it } from 'vitest'
import { activityInput, activityPath, changesOf, dayOf } from './activity.ts'

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
