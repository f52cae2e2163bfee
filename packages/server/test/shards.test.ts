import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * The large tables, with the column by which a database that is divided among servers would divide them: everything of a state,
 * device, rule or account is on one server. All other tables are small enough to be on each. See docs/scaling.md.
 */
const keys: Record<string, string> = {
  device_live: 'twin_id',
  outbox: 'account_id',
  packet_days: 'device_id',
  packet_keys: 'device_id',
  packets: 'device_id',
  rule_executions: 'rule_id',
  rule_live: 'rule_id',
  state_current: 'state_id',
  state_values: 'state_id',
  value_days: 'state_id',
}

/** Statements that are asked often and have no key, because they look for what is due anywhere. May only shrink. */
const crossing = ['events.readBatch']

interface Statement {
  name: string
  text: string
  at: string
}

/** Statements that are planned once, because they are executed all the time: those with a name. */
function hotStatements(): Statement[] {
  return globSync('packages/server/src/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => {
      const source = readFileSync(join(root, path), 'utf8')
      return [...source.matchAll(/\/\* prepared: ([^*]+?) \*\/([\s\S]*?)`(?:\.execute|\n|\))/g)].map(
        ([, name = '', text = '']) => ({ name, text, at: path }),
      )
    })
}

const tablesIn = (text: string) =>
  Object.keys(keys).filter((table) =>
    new RegExp(`\\b(from|join|into|update|using)\\s+${table}\\b`).test(text),
  )

/** Functions of the database that read these tables by the arguments they get. */
const functions: Record<string, string> = { outbox_batch: 'outbox', outbox_lane: 'outbox' }

it('statements that are executed all the time carry the key of the large tables they touch', () => {
  const statements = hotStatements()
  expect(statements.length).toBeGreaterThan(50)
  const touching = statements.filter(({ text }) => tablesIn(text).length > 0)
  expect(touching.length).toBeGreaterThan(10)
  const without = touching.filter(({ text }) =>
    tablesIn(text).some((table) => !new RegExp(`\\b${keys[table]}\\b`).test(text)),
  )
  const reading = statements.filter(({ text }) =>
    Object.keys(functions).some((name) => text.includes(`${name}(`)),
  )
  const unkeyed = reading.filter(({ text }) => !/accountId/.test(text))
  expect([...without, ...unkeyed].map(({ name }) => name).toSorted()).toEqual(crossing)
})

it('the keys are those of the paper', () => {
  const paper = readFileSync(join(root, 'docs', 'scaling.md'), 'utf8')
  for (const [table, key] of Object.entries(keys)) expect(paper).toContain(`\`${table}\` | \`${key}\``)
  for (const name of crossing) expect(paper).toContain(`\`${name}\``)
})
