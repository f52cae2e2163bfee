import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Exception, exceptions } from './exceptions.ts'
import { tablesOf } from './owners.ts'
import { type Breach, features, findBreaches, tables } from './ownership.ts'

/**
 * A table has one owner: only its feature writes it. Others call the owner's functions in the same
 * transaction. A feature reads its own tables and those of features below it.
 */

const breaches = findBreaches()

const allows = ({ by, writes = [], reads = [] }: Exception, breach: Breach) =>
  (breach.by === by || breach.by.startsWith(`${by}/`)) &&
  (breach.writes ? writes : reads).includes(breach.table)

test('each table of the migrated database has one owner', () => {
  expect(tables.length).toBeGreaterThan(80)
  expect(Object.values(tablesOf).flat().sort()).toEqual([...tables].sort())
  expect(Object.keys(tablesOf).filter((owner) => owner !== 'platform' && !features.includes(owner))).toEqual(
    [],
  )
})

test('nobody writes a table of another feature, and nobody reads one of a feature above it', () => {
  const found = breaches.filter((breach) => !exceptions.some((exception) => allows(exception, breach)))
  expect(
    found.map(({ party, table, writes, at }) => `${party} ${writes ? 'writes' : 'reads'} ${table}: ${at}`),
  ).toEqual([])
})

test('each exception is needed', () => {
  const idle = exceptions.flatMap((exception) => {
    const { by, writes = [], reads = [] } = exception
    const needed = (table: string, isWrite: boolean) =>
      breaches.some(
        (breach) => breach.table === table && breach.writes === isWrite && allows(exception, breach),
      )
    return [
      ...writes.filter((table) => !needed(table, true)).map((table) => `${by} writes ${table}`),
      ...reads.filter((table) => !needed(table, false)).map((table) => `${by} reads ${table}`),
    ]
  })
  expect(idle).toEqual([])
})

test('docs/architecture.md lists the same owners', () => {
  const docs = readFileSync(join(import.meta.dirname, '../../../../docs/architecture.md'), 'utf8')
  const section = /^## Who owns which table\n([\s\S]*?)^## /m.exec(docs)?.[1] ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('| ') && line.includes('`'))
  const listed = rows.map((row) => [
    row.split('|')[1]?.trim(),
    [...row.matchAll(/`(\w+)`/g)].map(([, table]) => table),
  ])
  expect(Object.fromEntries(listed)).toEqual(tablesOf)
})
