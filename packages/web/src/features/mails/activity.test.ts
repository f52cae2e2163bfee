import { expect, it } from 'vitest'
import { activityInput, activityPath } from './activity.ts'

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
  expect(activityPath({ ...entry, subject: 'Rule' })).toBeNull()
  expect(activityPath({ ...entry, objectId: null })).toBeNull()
})
