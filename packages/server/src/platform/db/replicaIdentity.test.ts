import { expect, test } from 'vitest'
import { requireReplica, SameServer, type ServerIdentity } from './replicaIdentity.ts'

const primary: ServerIdentity = {
  version: 180_003,
  system: '7001',
  database: 'leitstand',
  startedAt: '2026-01-01',
  recovers: false,
  pageBytes: 8192,
}
const replica: ServerIdentity = { ...primary, version: 180_001, startedAt: '2026-01-02', recovers: true }

test('a replica of the primary is accepted, whatever its minor version', () => {
  expect(() => requireReplica(primary, replica)).not.toThrow()
})

test.for<[Partial<ServerIdentity>, RegExp]>([
  [{ version: 170_004 }, /is PostgreSQL 17 and DATABASE_URL is PostgreSQL 18/],
  [{ system: '7002' }, /two database clusters/],
  [{ database: 'postgres' }, /names the database postgres and DATABASE_URL names leitstand/],
  [{ recovers: false }, /has been promoted/],
])('%o is refused', ([other, sentence]) => {
  expect(() => requireReplica(primary, { ...replica, ...other })).toThrow(sentence)
})

test('a primary that is a replica itself is refused', () => {
  expect(() => requireReplica({ ...primary, recovers: true }, replica)).toThrow('it must be the primary')
})

test('the same server is told from a promoted one', () => {
  expect(() => requireReplica(primary, primary)).toThrow(SameServer)
})
