// Takes the place of `vitest` in the tests that runner.mjs loads: collects tests instead of running them.
import { expect } from 'vitest'

/** What the loaded files declared, since it was last emptied. */
export const collected = { tests: [], beforeAll: [], afterAll: [] }

let path = []

function declare(name, ...rest) {
  const run = rest.find((each) => typeof each === 'function')
  const id = `${collected.tests.length} ${[...path, name].join(' > ')}`
  collected.tests.push({ id, run })
}

function group(name, ...rest) {
  path = [...path, name]
  rest.find((each) => typeof each === 'function')()
  path = path.slice(0, -1)
}

const withEach = (add) =>
  Object.assign(add, {
    // As in Vitest: rows are spread if all of them are arrays.
    each: (rows) => (name, run) => {
      const isTable = rows.every(Array.isArray)
      for (const row of rows) add(name, () => (isTable ? run(...row) : run(row)))
    },
  })

const test = withEach(declare)
const describe = withEach(group)
const beforeAll = (run) => collected.beforeAll.push(run)
const afterAll = (run) => collected.afterAll.push(run)

export { afterAll, beforeAll, describe, expect, test, test as it }
