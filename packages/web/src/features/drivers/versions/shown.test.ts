import { expect, test } from 'vitest'
import type { DriverVersion } from '../queries.ts'
import { deliveredVersion, editedVersion, firstPair } from './shown.ts'

const version = (
  number: number,
  created: number,
  published: number | null,
  delivered = false,
): DriverVersion => ({
  number,
  note: '',
  createdBy: 'ada',
  delivered,
  createdAt: `2026-01-0${created}T00:00:00.000Z`,
  publishedAt: published === null ? null : `2026-01-0${published}T00:00:00.000Z`,
})

test.each([
  ['a version in use', 2, [version(2, 2, 2), version(1, 1, 1)], 2],
  ['a draft written since', 1, [version(2, 2, null), version(1, 1, 1)], 2],
  ['the one in use after a roll-back', 1, [version(2, 2, 2), version(1, 1, 3)], 1],
  ['a draft written after a roll-back', 1, [version(3, 4, null), version(2, 2, 2), version(1, 1, 3)], 3],
  ['the latest while none is in use', null, [version(2, 2, null), version(1, 1, null)], 2],
])('the editor opens %s', (_, publishedVersion, versions, expected) => {
  expect(editedVersion({ publishedVersion, latestVersion: versions.length, versions })).toBe(expected)
})

test('a changed delivered driver leads back to what was delivered', () => {
  const versions = [version(3, 3, 3), version(2, 2, 2, true), version(1, 1, 1, true)]
  const changed = { modified: true, publishedVersion: 3, versions }
  expect(deliveredVersion(changed)).toBe(2)
  expect(firstPair(changed)).toEqual([2, 3])
  expect(deliveredVersion({ ...changed, modified: false })).toBeNull()
  expect(deliveredVersion({ ...changed, versions: versions.slice(0, 1) })).toBeNull()
})

test('otherwise the last change is compared', () => {
  const versions = [version(2, 2, 2), version(1, 1, 1)]
  expect(firstPair({ modified: false, publishedVersion: 2, versions })).toEqual([1, 2])
  expect(firstPair({ modified: false, publishedVersion: 2, versions: versions.slice(1) })).toBeNull()
})
