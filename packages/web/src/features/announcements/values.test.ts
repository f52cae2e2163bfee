import type { Announcement } from '@leitstand/contract/announcements'
import { expect, it } from 'vitest'
import { copyOf, faultsBy, inputOf, newValues, valuesOf } from './values.ts'

const stored: Announcement = {
  id: 3,
  version: 2,
  accountId: 5,
  accountName: 'City',
  type: 'warning',
  presentationType: 'message',
  text: 'Maintenance',
  link: { url: 'https://example.org/a', text: 'More' },
  active: true,
  start: '2026-03-04T11:30:00.000Z',
  end: '2026-03-05T11:30:00.000Z',
  includeSubTenants: true,
  status: 'shown',
  dismissals: 0,
  createdAt: '2026-03-04T11:30:00.000Z',
}

it('a stored announcement is sent as it was if nothing is changed', () => {
  const { type, presentationType, text, link, active, start, end, includeSubTenants } = stored
  expect(inputOf(valuesOf(stored))).toEqual({
    type,
    presentationType,
    text,
    link,
    active,
    start,
    end,
    includeSubTenants,
  })
})

it('a copy of one that is over begins now, one of a current one keeps its times', () => {
  const before = Date.parse('2026-03-04T12:00:00.000Z')
  expect(copyOf(stored, before)).toEqual(valuesOf(stored))
  const copy = copyOf({ ...stored, active: false }, before + 7 * 86_400_000)
  expect(copy).toMatchObject({ active: true, start: '', end: '', text: 'Maintenance' })
})

it.each([
  ['', '', null],
  ['https://city.example/x', '', { url: 'https://city.example/x', text: 'city.example' }],
  [' https://city.example ', ' Read on ', { url: 'https://city.example', text: 'Read on' }],
  ['nonsense', '', { url: 'nonsense', text: 'nonsense' }],
])('the address %j with the name %j is the link %j', (url, linkText, link) => {
  expect(inputOf({ ...newValues(5), url, linkText }).link).toEqual(link)
})

it('faults of the link are at their fields', () => {
  const check = () => ({ 'link.url': 'no address', text: 'required' })
  expect(faultsBy(check, newValues(5))).toEqual({ url: 'no address', text: 'required' })
})
