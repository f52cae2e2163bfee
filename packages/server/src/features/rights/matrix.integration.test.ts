import { contract } from '@leitstand/contract'
import { isContractProcedure } from '@orpc/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../../../test/kit.ts'
import { answersFor, type CallerName, callers, permissionsOf } from '../../../test/matrix/answers.ts'
import { applications } from '../../../test/matrix/applications.ts'
import { assets } from '../../../test/matrix/assets.ts'
import { branding } from '../../../test/matrix/branding.ts'
import { keys } from '../../../test/matrix/keys.ts'
import { people } from '../../../test/matrix/people.ts'
import { sharing } from '../../../test/matrix/sharing.ts'
import { signOn } from '../../../test/matrix/signOn.ts'
import { things } from '../../../test/matrix/things.ts'
import { tickets } from '../../../test/matrix/tickets.ts'
import { warnapp } from '../../../test/matrix/warnapp.ts'
import { createWorld, everythingBut, only, type Who, type World } from '../../../test/matrix/world.ts'

/** Operation → row; further rows of the same operation have a suffix after its name. */
const rows = {
  ...people,
  ...branding,
  ...signOn,
  ...applications,
  ...things,
  ...sharing,
  ...tickets,
  ...assets,
  ...warnapp,
  ...keys,
}
const operationOf = (name: string) => name.split(' ')[0] ?? name

const operations = new Map<string, { reads: boolean }>()
function collect(router: object, path: string[] = []): void {
  for (const [name, entry] of Object.entries(router) as [string, object][]) {
    if (!isContractProcedure(entry)) collect(entry, [...path, name])
    else operations.set([...path, name].join('.'), { reads: entry['~orpc'].route.method === 'GET' })
  }
}
collect(contract)

test('every operation of the contract has a row in the permission matrix', () => {
  const missing = [...operations.keys()].filter((name) => !Object.keys(rows).map(operationOf).includes(name))
  expect(missing, 'add a row for each of these to packages/server/test/matrix, see CONTRIBUTING.md').toEqual(
    [],
  )
  const gone = Object.keys(rows).filter((name) => !operations.has(operationOf(name)))
  expect(gone, 'rows of operations that are not in the contract any more').toEqual([])
})

let world: World
const standing = new Map<CallerName, Who>()
const holders = new Map<string, Promise<Who>>()
beforeAll(async () => {
  const app = await startApp()
  world = await createWorld(app)
  for (const name of callers) standing.set(name, await world.open(name))
})

/** A user with only these rules, shared by all operations that need them. */
function holderOf(rules: Parameters<World['holder']>[0]): Promise<Who> {
  const key = JSON.stringify(rules)
  const known = holders.get(key) ?? world.holder(rules)
  holders.set(key, known)
  return known
}

/** A table of the observed cells, with the expected value where it differs. */
function compare(expected: Record<string, string>, answered: Record<string, string>): string {
  const width = Math.max(...Object.keys(expected).map((name) => name.length))
  return Object.entries(expected)
    .filter(([name, answer]) => answered[name] !== answer)
    .map(([name, answer]) => `${name.padEnd(width)}  answered ${answered[name]}, expected ${answer}`)
    .join('\n')
}

describe('permission matrix', () => {
  test.each(Object.entries(rows))('%s', async (name, row) => {
    const reads = operations.get(operationOf(name))?.reads ?? false
    const answered = await Promise.all(
      callers.map(async (caller) => {
        // A key is limited to a hundred calls a minute, so each operation gets its own.
        const anew = row.fresh || caller === 'key'
        const who = (anew ? undefined : standing.get(caller)) ?? (await world.open(caller))
        return [caller, await row.run(world, who, reads)]
      }),
    )
    const expected = answersFor(row.as, row.list, row.except)
    expect(compare(expected, Object.fromEntries(answered)), `${name} needs ${row.needs}`).toBe('')
  })

  // Built-in roles grant many permissions; these grant only the required one, or all except it.
  test.each(Object.entries(rows).filter(([, { needs, alone }]) => alone && permissionsOf(needs) !== null))(
    '%s: each permission that is asked for is enough, and no other one',
    async (name, row) => {
      const reads = operations.get(operationOf(name))?.reads ?? false
      const needed = permissionsOf(row.needs) ?? []
      const answered: [string, string][] = [
        ['everything else', await row.run(world, await holderOf(everythingBut(needed)), reads)],
      ]
      for (const permission of needed) {
        const who = await holderOf(only(permission))
        answered.push([`${permission.subject} ${permission.action}`, await row.run(world, who, reads)])
      }
      const [[, other] = ['', ''], ...alone] = answered
      expect(['403', '404', 'none'], `${name} with everything but ${row.needs}`).toContain(other)
      expect(Object.fromEntries(alone), `${name} needs ${row.needs}`).toEqual(
        Object.fromEntries(alone.map(([permission]) => [permission, 'ok'])),
      )
    },
  )
})
