import { expect, test } from 'vitest'
import { CatchUp } from './catchUp.ts'
import { positionOf } from './position.ts'

test('a replica is as far behind as the newest place of the primary that it has passed', () => {
  const catchUp = new CatchUp()
  expect(catchUp.lagMs(0)).toBeNull()
  catchUp.notePrimary(100n, 1_000)
  catchUp.notePrimary(200n, 2_000)
  catchUp.noteReplica(99n)
  expect(catchUp.lagMs(2_000)).toBeNull()
  catchUp.noteReplica(150n)
  expect(catchUp.lagMs(2_500)).toBe(1_500)
  expect([150n, 151n].map((each) => catchUp.has(each))).toEqual([true, false])
  catchUp.noteReplica(200n)
  expect(catchUp.lagMs(2_500)).toBe(500)
})

test('a primary without writes leaves it up to date', () => {
  const catchUp = new CatchUp()
  catchUp.notePrimary(100n, 0)
  catchUp.noteReplica(100n)
  catchUp.notePrimary(100n, 60_000)
  catchUp.noteReplica(100n)
  expect(catchUp.lagMs(60_010)).toBe(10)
})

test('it is not known how far it is when either starts again from an earlier place', () => {
  const catchUp = new CatchUp()
  catchUp.notePrimary(100n, 0)
  catchUp.noteReplica(100n)
  catchUp.noteReplica(50n)
  expect(catchUp.lagMs(0)).toBeNull()
  expect(catchUp.has(100n)).toBe(false)
  catchUp.notePrimary(150n, 500)
  catchUp.noteReplica(150n)
  expect(catchUp.lagMs(500)).toBe(0)
  catchUp.notePrimary(120n, 1_000)
  expect(catchUp.lagMs(1_000)).toBeNull()
  expect(catchUp.has(1n)).toBe(false)
})

test('a long time behind is forgotten step by step, never assumed', () => {
  const catchUp = new CatchUp()
  for (let at = 0; at < 10_000; at++) catchUp.notePrimary(BigInt(at), at)
  catchUp.noteReplica(9_999n)
  expect(catchUp.lagMs(10_000)).toBe(8_001)
  catchUp.notePrimary(10_000n, 10_000)
  catchUp.noteReplica(10_000n)
  expect(catchUp.lagMs(10_000)).toBe(0)
})

test('the header of an empty page is not waited for', () => {
  const page = 8192
  expect(positionOf(String(page + 24), page)).toBe(8192n)
  expect(positionOf(String(page + 40), page)).toBe(8192n)
  expect(positionOf(String(page + 48), page)).toBe(8240n)
  expect(positionOf(String(page - 8), page)).toBe(8184n)
  expect(positionOf('9223372036854775800', page)).toBe(9223372036854775800n)
})
