import type { RuleTrigger } from '@leitstand/contract/rules'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, errorOf, startApp, type TestApp } from '../../../../test/kit.ts'
import { alarmAction, ruleKit } from '../../../../test/rules.ts'
import { createState, createTwin, writeValues } from '../../../../test/twins.ts'

const start = Date.parse('2026-06-01T10:00:00.000Z')
const dayMs = 24 * 3_600_000
let nowMs = start
let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
let kit: ReturnType<typeof ruleKit>

beforeAll(async () => {
  app = await startApp({ clock: { now: () => new Date(nowMs) } })
  account = await createAccount(app)
  kit = ruleKit(app, account)
})

beforeEach(() => {
  // The next day at 12:00 in Berlin.
  nowMs = start + (Math.floor((nowMs - start) / dayMs) + 1) * dayMs
})

/** Moves the clock, and does everything that is due. */
async function wait(minutes: number): Promise<void> {
  nowMs += minutes * 60_000
  await app.drain()
}

/** A twin with a level, and a rule that is always met. */
async function always(triggers: RuleTrigger[], more: { dtwinId?: number; pausedUntil?: string } = {}) {
  const twin = more.dtwinId === undefined ? await createTwin(app, account) : { id: more.dtwinId }
  const level = await createState(app, twin.id, `level${nowMs}${Math.trunc(Math.random() * 1e6)}`)
  const rule = await app.api.ddr.create({
    dtwinId: twin.id,
    title: `Rule ${level}`,
    triggers,
    metrics: [{ alias: 'level', stateId: level, operation: 'latest', abortIfNull: false }],
    conditions: { op: 'eq', left: { value: 1 }, right: { value: 1 } },
    actions: [{ ...alarmAction, message: 'level' } as typeof alarmAction],
    ...more,
  })
  return { twinId: twin.id, level, rule }
}

async function causes(ruleId: number) {
  const { items } = await app.api.ddr.executionHistory({ id: ruleId })
  return items.map(({ cause }) => cause)
}

const set = async (stateId: number, value: number) => {
  await writeValues(app, [{ stateId, value, time: new Date(nowMs) }])
  await app.drain()
}

describe('changes', () => {
  it('wake a rule, equal values do not, not even after it was stored again', async () => {
    const { level, rule } = await always([{ kind: 'changes' }])
    for (const value of [1, 1, 2, 2, 2, 1]) {
      nowMs += 1000
      await set(level, value)
    }
    const { items } = await app.api.ddr.executionHistory({ id: rule.id })
    expect(items.map(({ inputs }) => inputs.level)).toEqual([1, 2, 1])
  })
})

describe('silence', () => {
  it('wakes a rule once when it has lasted long enough, and ends with the next value', async () => {
    const { level, rule } = await always([{ kind: 'silence', metric: 'level', minutes: 30 }])
    await set(level, 1)
    await wait(29)
    expect(await causes(rule.id)).toEqual([{ kind: 'values' }])
    await wait(1)
    expect(await causes(rule.id)).toEqual([{ kind: 'silence', metric: 'level' }, { kind: 'values' }])
    // It goes on.
    await wait(45)
    expect(await causes(rule.id)).toHaveLength(2)
    await set(level, 2)
    await wait(31)
    expect((await causes(rule.id)).map(({ kind }) => kind)).toEqual([
      'silence',
      'values',
      'silence',
      'values',
    ])
  })

  it('counts from when the rule was stored, also for a state that never had a value', async () => {
    const { rule } = await always([{ kind: 'silence', metric: 'level', minutes: 5 }])
    await wait(4)
    expect(await causes(rule.id)).toEqual([])
    await wait(1)
    expect(await causes(rule.id)).toEqual([{ kind: 'silence', metric: 'level' }])
    await wait(60)
    expect(await causes(rule.id)).toHaveLength(1)
  })

  it('of many states is noticed in one round', async () => {
    const twin = await createTwin(app, account)
    const rules = []
    for (let count = 0; count < 3; count++)
      rules.push(await always([{ kind: 'silence', metric: 'level', minutes: 5 }], { dtwinId: twin.id }))
    await wait(5)
    for (const { rule } of rules) expect(await causes(rule.id)).toHaveLength(1)
  })
})

describe('the clock', () => {
  it('wakes a rule at a time of day in the zone of the account, and once for several that were missed', async () => {
    const days = [1, 2, 3, 4, 5, 6, 7]
    const { rule } = await always([{ kind: 'daily', hour: 14, minute: 30, days }])
    await wait(149)
    expect(await causes(rule.id)).toEqual([])
    await wait(1)
    expect(await causes(rule.id)).toEqual([{ kind: 'time' }])
    await wait(2 * 1440)
    expect(await causes(rule.id)).toHaveLength(2)
  })

  it('wakes neither an inactive nor a paused rule, nor one that has another trigger by now', async () => {
    const interval: RuleTrigger = { kind: 'interval', hours: 1 }
    const { rule } = await always([interval])
    const pausedUntil = new Date(nowMs + 90 * 60_000).toISOString()
    const { rule: paused } = await always([interval], { pausedUntil })
    const { rule: other } = await always([interval])
    await app.api.ddr.update({ ...rule, active: false })
    await app.api.ddr.update({ ...other, triggers: [{ kind: 'manual' }] })
    await wait(61)
    expect([...(await causes(rule.id)), ...(await causes(paused.id)), ...(await causes(other.id))]).toEqual(
      [],
    )
    await wait(60)
    expect(await causes(paused.id)).toEqual([{ kind: 'time' }])
  })
})

describe('conditions that last', () => {
  it('wake their rule when they are due, without another value, and are due again if it was too early', async () => {
    const { rule, temperature } = await kit.warmRule()
    const warm = { op: 'gt', left: { metric: 'temperature' }, right: { value: 30 } } as const
    await app.api.ddr.update({ ...rule, conditions: { op: 'for', minutes: 10, condition: warm } })
    await set(temperature, 40)
    const due = () =>
      app.ctx.db
        .selectFrom('rule_live')
        .select('due_at')
        .where('rule_id', '=', rule.id)
        .executeTakeFirstOrThrow()
    const { due_at: dueAt } = await due()
    expect(dueAt).not.toBeNull()
    // Evaluations have the time of the database, which is months ahead of this clock.
    await app.ctx.db
      .updateTable('rule_live')
      .set({ due_at: new Date(nowMs - 1000) })
      .where('rule_id', '=', rule.id)
      .execute()
    await app.drain()
    const { items } = await app.api.ddr.executionHistory({ id: rule.id })
    expect(items).toMatchObject([{ cause: { kind: 'conditions' }, result: 'not_met' }])
    expect(await due()).toEqual({ due_at: dueAt })
  })
})

describe('alarms', () => {
  it('of the twin or of those below it wake a rule, but not its own', async () => {
    const above = await createTwin(app, account)
    const { twin, temperature } = await kit.warmRule()
    const read = await app.api.digitaltwin.get({ id: twin.id })
    await app.api.digitaltwin.update({ ...read, parentId: above.id })
    const { rule: own } = await always([{ kind: 'alarm', on: 'raised', below: false }], { dtwinId: above.id })
    const { rule: below } = await always([{ kind: 'alarm', on: 'both', below: true }], { dtwinId: above.id })
    await set(temperature, 40)
    nowMs += 1000
    await set(temperature, 20)
    const raised = { kind: 'alarm', twinId: twin.id, message: '40 °C', resolved: false }
    const ownAlarm = { kind: 'alarm', twinId: above.id, message: 'level', resolved: false }
    // The rule for those below raised an alarm itself, which woke the other one, whose alarm woke it once more.
    expect(await causes(below.id)).toEqual([{ ...raised, resolved: true }, ownAlarm, raised])
    expect(await causes(own.id)).toEqual([ownAlarm])
  })
})

describe('another rule', () => {
  it('wakes a rule when it fires or its conditions cease to be met', async () => {
    const { temperature, rule: watched } = await kit.warmRule()
    const { rule: fired } = await always([{ kind: 'rule', ruleId: watched.id, on: 'fired' }])
    const { rule: unmet } = await always([{ kind: 'rule', ruleId: watched.id, on: 'unmet' }])
    for (const value of [40, 41, 20, 19]) {
      nowMs += 1000
      await set(temperature, value)
    }
    const cause = { kind: 'rule', ruleId: watched.id }
    expect(await causes(fired.id)).toEqual([cause, cause])
    expect(await causes(unmet.id)).toEqual([cause])
  })

  it('cannot wake a rule that wakes it', async () => {
    const { rule: first, level } = await always([{ kind: 'manual' }])
    const { rule: second } = await always([{ kind: 'rule', ruleId: first.id, on: 'fired' }])
    const circle = app.api.ddr.update({
      ...first,
      triggers: [{ kind: 'rule', ruleId: second.id, on: 'met' }],
    })
    expect(await errorOf(circle)).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { issues: [{ path: ['actions'], text: 'rulesLoop' }] },
    })
    // Through a state that the second one sets.
    await app.api.ddr.update({
      ...second,
      actions: [{ kind: 'set-state', stateId: level, value: { value: 1 } }],
    })
    const through = app.api.ddr.update({ ...first, triggers: [{ kind: 'values' }] })
    expect(await errorOf(through)).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { issues: [{ text: 'ruleLoop' }] },
    })
  })

  it('must be known to who watches it', async () => {
    const watching = always([{ kind: 'rule', ruleId: 2_000_000_000, on: 'fired' }])
    expect(await errorOf(watching)).toMatchObject({ code: 'DDR_NOT_FOUND' })
  })
})

describe('a person', () => {
  it('runs a rule that can be run by hand', async () => {
    const { rule } = await always([{ kind: 'manual' }])
    await app.api.ddr.run({ id: rule.id })
    await app.drain()
    expect(await causes(rule.id)).toEqual([{ kind: 'manual', name: expect.any(String) }])
    const { rule: other } = await always([{ kind: 'values' }])
    expect(await errorOf(app.api.ddr.run({ id: other.id }))).toMatchObject({ code: 'DDR_NOT_RUNNABLE' })
  })
})
