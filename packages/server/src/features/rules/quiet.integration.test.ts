import { beforeAll, describe, expect, test } from 'vitest'
import { createAccount, startApp, type TestApp } from '../../../test/kit.ts'
import { minute, ruleKit, storedEvent } from '../../../test/rules.ts'

let app: TestApp
let kit: ReturnType<typeof ruleKit>

beforeAll(async () => {
  app = await startApp()
  kit = ruleKit(app, await createAccount(app, { name: 'City' }))
})

const stored = () =>
  app.ctx.db.selectFrom('rule_quiet').select(['rule_id', 'result', 'event_id']).orderBy('rule_id').execute()
const historyOf = async (id: number) =>
  (await app.api.ddr.executionHistory({ id })).items.map(({ result, at }) => [result, at])

describe('evaluations that did nothing', () => {
  test('are in the history at once, the last of each kind, in the order of their times', async () => {
    const { twin, temperature, rule } = await kit.warmRule()
    const event = (id: number, value: number) =>
      storedEvent(id, minute(id % 100), temperature, twin.id, value)
    await app.app.rules.handle([event(9_500_001, 10), event(9_500_002, 11)])
    await app.app.rules.handle([event(9_500_003, 12), event(9_500_004, 40)])
    const shown = [
      ['fired', minute(4).toISOString()],
      ['not_met', minute(3).toISOString()],
    ]
    expect(await historyOf(rule.id)).toEqual(shown)
    await app.app.rules.handle([event(9_500_005, 13)])
    expect(await historyOf(rule.id)).toEqual([['not_met', minute(5).toISOString()], shown[0]])
    expect(await stored()).toEqual([{ rule_id: rule.id, result: 'not_met', event_id: 9_500_005 }])
  })

  test('do not happen again when their events do, although they are not stored yet', async () => {
    const { twin, temperature, rule } = await kit.warmRule()
    const events = [10, 11].map((value, index) =>
      storedEvent(9_600_001 + index, minute(index), temperature, twin.id, value),
    )
    const evaluations = async () => {
      await app.drain()
      const { items } = await app.api.ddr.figures({ days: 1, offset: 0, limit: 100 })
      return items.find(({ ruleId }) => ruleId === rule.id)?.evaluations
    }
    await app.app.rules.handle(events)
    await app.app.rules.handle(events)
    expect(await evaluations()).toBe(2)
    await app.app.rules.handle([...events, storedEvent(9_600_003, minute(2), temperature, twin.id, 12)])
    expect(await evaluations()).toBe(3)
  })

  test('of a rule or a twin that was deleted meanwhile are left out, and the others are written', async () => {
    const [kept, gone, empty] = [await kit.warmRule(), await kit.warmRule(), await kit.warmRule()]
    const events = [kept, gone, empty].map(({ twin, temperature }, index) =>
      storedEvent(9_700_001 + index, minute(index), temperature, twin.id, 10),
    )
    await app.app.rules.handle(events)
    await app.ctx.db.deleteFrom('rules').where('id', '=', gone.rule.id).execute()
    await app.ctx.db.deleteFrom('twins').where('id', '=', empty.twin.id).execute()
    await app.app.rules.writeQuiet()
    const ids = [kept.rule.id, gone.rule.id, empty.rule.id]
    expect((await stored()).filter(({ rule_id }) => ids.includes(rule_id))).toEqual([
      { rule_id: kept.rule.id, result: 'not_met', event_id: 9_700_001 },
    ])
  })

  test('are kept until they can be written', async () => {
    const { twin, temperature, rule } = await kit.warmRule()
    await app.ctx.pool.query('alter table rule_quiet rename to rule_quiet_away')
    try {
      await app.app.rules.handle([storedEvent(9_800_001, minute(1), temperature, twin.id, 10)])
      await expect(app.app.rules.writeQuiet()).rejects.toThrow('rule_quiet')
    } finally {
      await app.ctx.pool.query('alter table rule_quiet_away rename to rule_quiet')
    }
    expect(await historyOf(rule.id)).toEqual([['not_met', minute(1).toISOString()]])
  })
})
