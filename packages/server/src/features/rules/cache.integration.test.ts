import { type KyselyPlugin, sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAccount, startApp, type TestApp } from '../../../test/kit.ts'
import { ruleKit } from '../../../test/rules.ts'
import { RuleCache } from './cache.ts'
import { placeKey } from './wakes.ts'

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

const placeOf = ({ rule }: { rule: { id: number; dtwinId: number | null } }) => ({
  ruleId: rule.id,
  twinId: rule.dtwinId ?? 0,
})

describe('after a change of', () => {
  test('one rule only that one is read again', async () => {
    const [one, other] = await rules(5)
    if (!one || !other) throw new Error('rules are missing')
    await cache.wokenBy([one.temperature])
    await cache.rules([placeOf(one), placeOf(other)])
    rows = 0
    await app.api.ddr.update({ ...one.rule, title: 'Changed' })
    await app.ctx.configChanges.settle()
    expect(await cache.wokenBy([one.temperature, other.temperature])).toEqual(
      new Map([
        [one.temperature, [placeOf(one)]],
        [other.temperature, [placeOf(other)]],
      ]),
    )
    const read = await cache.rules([placeOf(one), placeOf(other)])
    expect(read.get(placeKey(placeOf(one)))?.title).toBe('Changed')
    // its twin, the state that wakes it, its definition, and how it runs on its twin
    expect(rows).toBe(4)
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
    await cache.rules([placeOf(one)])
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
    const read = await cache.rules([placeOf(one)])
    expect(read.get(placeKey(placeOf(one)))?.twinTitle).toBe('Elsewhere')
  })

  test('a rule, a failed reading is made up for', async () => {
    const [one] = await rules(1)
    if (!one) throw new Error('the rule is missing')
    isBroken = true
    await expect(cache.wokenBy([one.temperature])).rejects.toThrow('the connection is lost')
    isBroken = false
    expect((await cache.wokenBy([one.temperature])).get(one.temperature)).toEqual([placeOf(one)])
  })
})
