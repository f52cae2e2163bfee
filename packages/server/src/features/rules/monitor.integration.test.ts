import { beforeAll, describe, expect, test } from 'vitest'
import { createAccount, createUser, errorOf, roleNamed, startApp, type TestApp } from '../../../test/kit.ts'
import { minute, ruleKit } from '../../../test/rules.ts'
import { versionsKept } from './store/versions.ts'

/** Versions of rules, and what operators see of their work. */

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})

async function town() {
  const account = await createAccount(app)
  return { account, kit: ruleKit(app, account) }
}

describe('versions of a rule', () => {
  test('say who has changed what, newest first, and hold the rule as it was', async () => {
    const { account, kit } = await town()
    const { rule } = await kit.warmRule()
    const editor = await createUser(app, account, [{ roleId: await roleNamed(app, 'Device manager') }])
    const changed = await editor.api.ddr.update({ ...rule, title: 'Far too warm', throttleHours: 2 })
    await editor.api.ddr.update({ ...changed, active: false })
    const { items, total } = await app.api.ddr.versions({ id: rule.id, limit: 2 })
    expect(total).toBe(3)
    expect(items).toMatchObject([
      { version: 3, changed: ['active'], rule: { title: 'Far too warm', active: false } },
      { version: 2, changed: ['title', 'throttleHours'], rule: { throttleHours: 2, active: true } },
    ])
    const [oldest] = (await app.api.ddr.versions({ id: rule.id, offset: 2 })).items
    const { title, triggers, conditions, actions, executionTimes } = rule
    expect(oldest).toMatchObject({
      version: 1,
      changed: [],
      rule: { title, triggers, conditions, actions, executionTimes, throttleHours: 0 },
    })
    expect(items[0]?.by).not.toBe(oldest?.by)
  })

  test('can be stored again', async () => {
    const { kit } = await town()
    const { rule } = await kit.warmRule()
    const { version } = await app.api.ddr.update({ ...rule, title: 'Changed' })
    const [, first] = (await app.api.ddr.versions({ id: rule.id })).items
    if (!first?.rule) throw new Error('the first version is missing')
    const back = await app.api.ddr.update({ ...first.rule, id: rule.id, version })
    expect(back).toMatchObject({ title: rule.title, version: 3 })
  })

  test('of a rule that is older than its versions begin with what it was', async () => {
    const { kit } = await town()
    const { rule } = await kit.warmRule()
    await app.ctx.db.deleteFrom('rule_versions').where('rule_id', '=', rule.id).execute()
    await app.api.ddr.update({ ...rule, title: 'Changed' })
    const { items } = await app.api.ddr.versions({ id: rule.id })
    expect(items).toMatchObject([
      { version: 2, changed: ['title'] },
      { version: 1, by: null, rule: { title: rule.title } },
    ])
  })

  test('are bounded, and one that cannot be read is only named', async () => {
    const { kit } = await town()
    const { rule } = await kit.warmRule()
    await app.ctx.pool.query(
      `insert into rule_versions (rule_id, version, at, fields)
       select $1, -n, now(), '{"title": "Old", "actions": "gone"}' from generate_series(1, $2) as n`,
      [rule.id, versionsKept],
    )
    await app.api.ddr.update({ ...rule, title: 'Changed' })
    const { items, total } = await app.api.ddr.versions({ id: rule.id, limit: 100 })
    expect(total).toBe(versionsKept)
    expect(items.at(-1)).toMatchObject({ version: -(versionsKept - 2), rule: null })
  })

  test('of rules of others are not found', async () => {
    const [here, elsewhere] = [await town(), await town()]
    const { rule } = await elsewhere.kit.warmRule()
    const viewer = await createUser(app, here.account, [{ roleId: await roleNamed(app, 'Viewer') }])
    expect(await errorOf(viewer.api.ddr.versions({ id: rule.id }))).toMatchObject({ code: 'DDR_NOT_FOUND' })
  })
})

describe('figures of rules', () => {
  test('count evaluations, firings and errors; the most expensive comes first', async () => {
    const { account, kit } = await town()
    const busy = await kit.warmRule()
    const broken = await kit.warmRule(undefined, { transformer: 'return value.x.y' })
    const idle = await kit.warmRule()
    for (const [index, value] of [40, 20, 41].entries()) await kit.set(busy.temperature, value, minute(index))
    await kit.set(broken.temperature, 40, minute(0))
    const { items, total, sums } = await app.api.ddr.figures({ accountIds: [account.id], orderBy: '-fired' })
    expect(total).toBe(3)
    const of = (ruleId: number) => items.find((each) => each.ruleId === ruleId)
    expect(items[0]).toMatchObject({ ruleId: busy.rule.id, evaluations: 3, fired: 2, errors: 0 })
    expect(of(broken.rule.id)).toMatchObject({ evaluations: 1, fired: 0, errors: 1 })
    expect(of(idle.rule.id)).toMatchObject({ evaluations: 0, durationMs: 0, meanMs: null })
    expect(items[0]?.meanMs).toBeCloseTo((items[0]?.durationMs ?? 0) / 3)
    expect(sums).toMatchObject({ evaluations: 4, fired: 2, errors: 1 })
    expect(sums.durationMs).toBeGreaterThan(0)
    const other = await town()
    const theirs = await other.kit.warmRule()
    await other.kit.set(theirs.temperature, 20, minute(0))
    const both = await app.api.ddr.figures({ accountIds: [account.id, other.account.id] })
    const accounts = both.accounts.map(({ durationMs, ...rest }) => ({ ...rest, took: durationMs > 0 }))
    expect(accounts.toSorted((a, b) => a.accountId - b.accountId)).toEqual([
      {
        accountId: account.id,
        accountName: account.name,
        rules: 3,
        evaluations: 4,
        fired: 2,
        errors: 1,
        took: true,
      },
      {
        accountId: other.account.id,
        accountName: other.account.name,
        rules: 1,
        evaluations: 1,
        fired: 0,
        errors: 0,
        took: true,
      },
    ])
    expect(both.accounts[0]?.durationMs).toBeGreaterThanOrEqual(both.accounts[1]?.durationMs ?? 0)
    const byTime = await app.api.ddr.figures({ accountIds: [account.id] })
    const times = byTime.items.map(({ durationMs }) => durationMs)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    const never = await app.api.ddr.figures({ accountIds: [account.id], neverFired: true, orderBy: 'title' })
    expect(never.items.map(({ ruleId }) => ruleId).sort()).toEqual([broken.rule.id, idle.rule.id].sort())
  })

  test('are of the last days; older ones are deleted', async () => {
    const { account, kit } = await town()
    const { rule } = await kit.warmRule()
    await app.ctx.pool.query(
      `insert into rule_days select $1, current_date - n, 10, 1, 0, 1000 from unnest(array[0, 6, 7, 200]) as n`,
      [rule.id],
    )
    const evaluationsIn = async (days: number) =>
      (await app.api.ddr.figures({ accountIds: [account.id], days })).items[0]?.evaluations
    expect(await evaluationsIn(7)).toBe(20)
    expect(await evaluationsIn(8)).toBe(30)
    await app.ctx.jobs.send(app.ctx.db, 'rules.clean', {})
    await app.drain()
    const { rows } = await app.ctx.pool.query('select count(*)::int as n from rule_days where rule_id = $1', [
      rule.id,
    ])
    expect(rows).toEqual([{ n: 3 }])
  })
})

describe('executions', () => {
  test('are found by text, twin and time, failed ones as well', async () => {
    const { account, kit } = await town()
    const [one, other] = [
      await kit.warmRule(),
      await kit.warmRule(undefined, { transformer: 'return value.x.y' }),
    ]
    await app.api.ddr.update({ ...one.rule, title: 'Überhitzung' })
    await kit.set(one.temperature, 40, minute(0))
    await kit.set(other.temperature, 40, minute(1))
    const accountIds = [account.id]
    const found = async (filter: object) =>
      (await app.api.ddr.executions({ accountIds, ...filter })).items.map(({ ruleId }) => ruleId)
    expect(await found({})).toEqual([other.rule.id, one.rule.id])
    expect(await found({ search: 'ueberhitzung' })).toEqual([one.rule.id])
    expect(await found({ search: other.twin.title, dtwinId: other.twin.id })).toEqual([other.rule.id])
    expect(await found({ dtwinId: one.twin.id })).toEqual([one.rule.id])
    const [, first] = (await app.api.ddr.executions({ accountIds })).items
    const at = new Date(first?.at ?? 0).getTime()
    expect(await found({ to: new Date(at + 1).toISOString() })).toEqual([one.rule.id])
    expect(await found({ from: new Date(at + 1).toISOString() })).toEqual([other.rule.id])
    const failed = async (filter: object) =>
      (await app.api.ddr.errornousExecutions({ accountIds, ...filter })).items.map(({ ruleId }) => ruleId)
    expect(await failed({ dtwinId: other.twin.id })).toEqual([other.rule.id])
    expect(await failed({ dtwinId: one.twin.id })).toEqual([])
  })
})
