import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { handlers, operations, reachedFrom, type Unit } from '../../../test/callGraph.ts'

/**
 * Operations that read from a replica write nothing, and fill no cache from it: the replica would refuse the one, and the
 * other would remember an older state than the change that made it read again. Checked in the source.
 */

const writes =
  /\b(insertInto|updateTable|deleteFrom|mergeInto|forUpdate|forShare|forNoKeyUpdate)\(|\binsert into\b|\bupdate \w+ (as \w+ )?set\b|\bdelete from\b|\bfor (no key )?(update|share)\b|\bnextval\(/i
const writers = ['recordActivity', 'recordActivities', 'announce', 'touchKey']
/** Methods that first store what is kept in memory. */
const storing = /\.(flush|refusalsOf)$/

/** A lock that only changes ask for. */
const conditional = /^.*if \(options\.lock\).*$/gm

const readFile = (file: string) => readFileSync(file, 'utf8')

function textOf({ file, lines: [from, to] }: Unit): string {
  return readFile(file)
    .split('\n')
    .slice(from - 1, to)
    .join('\n')
}

function problemsOf(start: Unit): string[] {
  return [...reachedFrom(start)].flatMap((unit) => {
    const at = `${unit.file.replace(/.*features\//, '')}:${unit.lines[0]}`
    const text = textOf(unit)
    const writing =
      writes.test(text.replaceAll(conditional, '')) ||
      writers.some((name) => unit.names.has(name)) ||
      [...unit.methods].some((method) => storing.test(method))
    const caching =
      unit.methods.size > 0 && fillsCache(unit.file) && !readFile(unit.file).includes('onPrimary(')
    return [...(writing ? [`${at} writes`] : []), ...(caching ? [`${at} fills a cache`] : [])]
  })
}

/** Whether a file has a cache and reads the database for it. */
function fillsCache(file: string): boolean {
  const text = readFile(file)
  return /new LRUCache/.test(text) && /\bdb\b|#db\b/.test(text)
}

const onReplica = operations.filter(({ meta }) => meta.reads === 'replica')

test('operations that read from a replica neither write nor fill a cache there', () => {
  expect(onReplica.length).toBeGreaterThan(30)
  const found = onReplica.flatMap(({ name }) => {
    const handler = handlers.get(name)
    return handler === undefined
      ? [`${name} has no handler`]
      : problemsOf(handler).map((problem) => `${name}: ${problem}`)
  })
  expect(found).toEqual([])
})

test('the search for it tells one that writes from one that does not', () => {
  const isSilent = (name: string) => {
    const handler = handlers.get(name)
    return handler !== undefined && problemsOf(handler).length === 0
  }
  expect(
    ['tenant.update', 'user.create', 'virtualdevice.setDisabled', 'favorite.create', 'letters.list'].filter(
      isSilent,
    ),
  ).toEqual([])
})

test('what changes something is never read from a replica', () => {
  const changing = onReplica.filter(
    ({ method, meta }) => !['GET', 'POST'].includes(method) || meta.changes !== undefined,
  )
  expect(changing).toEqual([])
})
