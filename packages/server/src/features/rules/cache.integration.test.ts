import { type KyselyPlugin, sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAccount, startApp, type TestApp } from '../../../test/kit.ts'
import { ruleKit } from '../../../test/rules.ts'
import { RuleCache } from './cache.ts'

/** How much the cache of rules reads after a change. */

let app: TestApp
let cache: RuleCache
/** rows that were read */
let rows = 0
let isBroken = false
const counting: KyselyPlugin = {
  transformQuery({ node }) {
    if (isBroken) throw new Error('the connection is lost')
    return node
  },
  async transformResult({ result }) {
    rows += result.rows.length
    return result
  },
}

beforeAll(async () => {
  app = await startApp()
  const { db, log, configChanges } = app.ctx
  cache = new RuleCache({ db: db.withPlugin(counting), log, configChanges }, () => undefined)
})
beforeEach(() => {
  rows = 0
})

async function rules(count: number) {
  const kit = ruleKit(app, await createAccount(app))
  const made = []
  for (let n = 0; n < count; n++) made.push(await kit.warmRule())
  await app.ctx.configChanges.settle()
  return made
}

describe('after a change of', () => {
  test('one rule only that one is read again', async () => {
    const [one, other] = await rules(5)
    if (!one || !other) throw new Error('rules are missing')
    await cache.wokenBy([one.temperature])
    await cache.rules([one.rule.id, other.rule.id])
    rows = 0
    await app.api.ddr.update({ ...one.rule, title: 'Changed' })
    await app.ctx.configChanges.settle()
    expect(await cache.wokenBy([one.temperature, other.temperature])).toEqual(
      new Map([
        [one.temperature, [one.rule.id]],
        [other.temperature, [other.rule.id]],
      ]),
    )
    const read = await cache.rules([one.rule.id, other.rule.id])
    expect(read.get(one.rule.id)?.title).toBe('Changed')
    expect(rows).toBe(2)
  })

  test('what wakes it, its states follow; until it is read, every state may wake', async () => {
    const [one] = await rules(1)
    if (!one) throw new Error('the rule is missing')
    await cache.wokenBy([])
    expect([cache.mayWake(one.temperature), cache.mayWake(one.fan)]).toEqual([true, false])
    await app.api.ddr.update({ ...one.rule, active: false })
    await app.ctx.configChanges.settle()
    expect(cache.mayWake(one.fan)).toBe(true)
    expect(await cache.wokenBy([one.temperature])).toEqual(new Map())
    expect(cache.mayWake(one.temperature)).toBe(false)
  })

  test('many twins what wakes rules is not read again', async () => {
    const [one] = await rules(1)
    if (!one) throw new Error('the rule is missing')
    await cache.rules([one.rule.id])
    await cache.wokenBy([])
    rows = 0
    await sql`update twins set updated_at = updated_at`.execute(app.ctx.db)
    await app.ctx.configChanges.settle()
    expect((await cache.wokenBy([one.temperature])).size).toBe(1)
    expect(rows).toBe(0)
    await app.api.digitaltwin.update({
      ...(await app.api.digitaltwin.get({ id: one.twin.id })),
      title: 'Elsewhere',
    })
    await app.ctx.configChanges.settle()
    expect((await cache.rules([one.rule.id])).get(one.rule.id)?.twinTitle).toBe('Elsewhere')
  })

  test('a rule, a failed reading is made up for', async () => {
    const [one] = await rules(1)
    if (!one) throw new Error('the rule is missing')
    isBroken = true
    await expect(cache.wokenBy([one.temperature])).rejects.toThrow('the connection is lost')
    isBroken = false
    expect((await cache.wokenBy([one.temperature])).get(one.temperature)).toEqual([one.rule.id])
  })
})
