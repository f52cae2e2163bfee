import type { RuleConditions } from '@leitstand/contract/rules'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { createAccount, errorOf, startApp, type TestApp } from '../../../../test/kit.ts'
import { alarmAction, minute, ruleKit, storedEvent } from '../../../../test/rules.ts'

let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
let kit: ReturnType<typeof ruleKit>
let lastEvent = 9_000_000
/** Ahead of the clock: nothing that a condition waits for is due, so that only values wake the rules. */
const at = new Date(Date.now() + 3_600_000)

beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app, { name: 'City' })
  kit = ruleKit(app, account)
})

const warm = { op: 'gt', left: { metric: 'temperature' }, right: { value: 30 } } as const
const after = (minutes: number) => new Date(at.getTime() + minutes * 60_000)

/** A rule with these conditions on a temperature. */
async function ruleWith(conditions: RuleConditions) {
  const made = await kit.warmRule()
  const change = async (fields: object) => {
    const { id, version, title, metrics, actions } = await app.api.ddr.get({ id: made.rule.id })
    return app.api.ddr.update({ id, version, title, metrics, actions, conditions, ...fields })
  }
  await change({})
  const set = (minutes: number, value: number) => {
    lastEvent++
    const event = storedEvent(lastEvent, after(minutes), made.temperature, made.twin.id, value)
    return app.app.rules.handle([event])
  }
  const live = async () => {
    const { rows } = await sql<{ memory: unknown; due_at: Date | null }>`
      select memory, due_at from rule_live where rule_id = ${made.rule.id}`.execute(app.ctx.db)
    return rows[0]
  }
  const newest = async () => (await app.api.ddr.executionHistory({ id: made.rule.id })).items[0]
  return { ...made, change, set, live, newest }
}

describe('what conditions remember', () => {
  it('lasts until the next value, with the time at which they are due', async () => {
    const rule = await ruleWith({ op: 'for', minutes: 10, condition: warm })
    await rule.set(0, 31)
    expect((await rule.live())?.due_at).toEqual(after(10))
    await rule.set(4, 32)
    expect(await rule.newest()).toMatchObject({
      result: 'not_met',
      branch: { since: after(0).toISOString() },
    })
    await rule.set(10, 33)
    expect(await rule.newest()).toMatchObject({
      result: 'fired',
      branch: { op: 'for', met: true, minutes: 10, since: after(0).toISOString() },
    })
    expect((await rule.live())?.due_at).toBeNull()
    await rule.set(11, 20)
    expect(await rule.live()).toEqual({ memory: null, due_at: null })
  })

  it('is kept when only the duration changes, and dropped with another condition', async () => {
    const rule = await ruleWith({ op: 'for', minutes: 10, condition: warm })
    await rule.set(0, 31)
    await rule.change({ conditions: { op: 'for', minutes: 5, condition: warm } })
    await rule.set(6, 31)
    expect((await rule.newest())?.result).toBe('fired')
    const other = { ...warm, right: { value: 25 } }
    await rule.change({ conditions: { op: 'for', minutes: 5, condition: other } })
    await rule.set(12, 31)
    expect(await rule.newest()).toMatchObject({
      result: 'not_met',
      branch: { since: after(12).toISOString() },
    })
  })

  it('is forgotten by a rule that no longer runs', async () => {
    const rule = await ruleWith({ op: 'for', minutes: 10, condition: warm })
    await rule.set(0, 31)
    await rule.change({ active: false })
    expect(await rule.live()).toEqual({ memory: null, due_at: null })
    await rule.change({ active: true })
    await rule.set(20, 31)
    expect((await rule.newest())?.result).toBe('not_met')
  })

  it('holds an alarm until the value is back by the margin', async () => {
    const rule = await ruleWith({
      op: 'hysteresis',
      input: { metric: 'temperature' },
      direction: 'above',
      limit: 30,
      release: 28,
    })
    const open = async () => (await app.api.alarmLogs.list({ originId: rule.twin.id })).unresolved
    await rule.set(0, 31)
    await rule.set(1, 29)
    expect(await open()).toBe(1)
    await rule.set(2, 27)
    expect(await open()).toBe(0)
  })

  it('counts the last values', async () => {
    const rule = await ruleWith({ op: 'times', count: 2, of: 3, condition: warm })
    for (const [index, value] of [31, 20, 31].entries()) await rule.set(index, value)
    expect(await rule.newest()).toMatchObject({ result: 'fired', branch: { count: 2, seen: 3 } })
  })

  it('is refused where it makes no sense', async () => {
    const rule = await ruleWith(warm)
    const issuesOf = async (conditions: RuleConditions) => {
      const { code, data } = await errorOf(rule.change({ conditions }))
      return [code, JSON.stringify(data)]
    }
    const times = { op: 'times', count: 4, of: 3, condition: warm } as const
    const margin = {
      op: 'hysteresis',
      input: { metric: 'temperature' },
      direction: 'above',
      limit: 30,
      release: 31,
    } as const
    expect(await issuesOf(times)).toEqual(['VALIDATION_ERROR', expect.stringContaining('timesTooMany')])
    expect(await issuesOf(margin)).toEqual(['VALIDATION_ERROR', expect.stringContaining('releaseBeyond')])
    const many = Array(21).fill({ op: 'for', minutes: 1, condition: warm })
    expect(await issuesOf({ op: 'and', conditions: many })).toEqual([
      'VALIDATION_ERROR',
      expect.stringContaining('at most 20 that look back'),
    ])
  })
})

describe('conditions that are a script', () => {
  it('have a variable for each metric, and all of them', async () => {
    const rule = await ruleWith({
      op: 'script',
      script: 'return temperature > 30 && metrics.temperature === temperature',
    })
    await rule.set(0, 29)
    expect(await rule.newest()).toMatchObject({ result: 'not_met', branch: { op: 'script', met: false } })
    await rule.set(1, 31)
    expect(await rule.newest()).toMatchObject({ result: 'fired', branch: { op: 'script', met: true } })
  })

  it('that fail are an execution with an error, and others go on', async () => {
    const broken = await ruleWith({ op: 'script', script: 'return temperature.missing.field > 30' })
    await broken.set(0, 31)
    const failed = await broken.newest()
    expect(failed).toMatchObject({ result: 'error', branch: null })
    expect(failed?.error).toMatch(/^conditions: /)
    const { items } = await app.api.ddr.errornousExecutions({ accountIds: [account.id] })
    expect(items.map(({ ruleId }) => ruleId)).toContain(broken.rule.id)
  })

  it('are compiled when they are saved', async () => {
    const rule = await ruleWith(warm)
    expect(await errorOf(rule.change({ conditions: { op: 'script', script: 'return (' } }))).toMatchObject({
      code: 'SCRIPT_SYNTAX',
      data: { field: 'conditions' },
    })
  })

  it('are tried on values', async () => {
    const { temperature } = await kit.warmRule()
    const metrics = [{ alias: 'temperature', stateId: temperature }]
    const test = (script: string, inputs: Record<string, number>) =>
      app.api.ddr.testConditions({ metrics, conditions: { op: 'script', script }, inputs })
    const found = await test('return temperature > 30', { temperature: 31 })
    expect(found).toMatchObject({ met: true, branch: { op: 'script', met: true }, dueAt: null })
    expect(await test('return temperature > 30', {})).toMatchObject({ met: false, aborted: true })
    expect(await errorOf(test('throw new Error("boom")', { temperature: 1 }))).toMatchObject({
      code: 'SCRIPT_ERROR',
    })
  })

  it('are converted to a tree and back', async () => {
    const { conditions } = await app.api.ddr.convertConditions({ conditions: warm })
    expect(conditions.op).toBe('script')
    expect(await app.api.ddr.convertConditions({ conditions })).toEqual({ conditions: warm })
    const other = { op: 'script', script: 'return temperature > 30' } as const
    expect(await errorOf(app.api.ddr.convertConditions({ conditions: other }))).toMatchObject({
      code: 'DDR_CONDITIONS_NOT_CONVERTIBLE',
      data: { reason: 'otherForm', line: 1 },
    })
  })
})

it('a draft that must last says when it is due', async () => {
  const { temperature } = await kit.warmRule()
  await kit.set(temperature, 31, minute(0))
  const answer = await app.api.ddr.testConditions({
    metrics: [{ alias: 'temperature', stateId: temperature }],
    conditions: { op: 'for', minutes: 10, condition: warm },
  })
  expect(answer).toMatchObject({ met: false, branch: { op: 'for', children: [{ met: true }] } })
  expect(answer.dueAt).not.toBeNull()
})

it('the alarm of a rule with a script says what was measured', async () => {
  const rule = await ruleWith({ op: 'script', script: 'return temperature > 30' })
  await rule.change({ actions: [alarmAction], conditions: { op: 'script', script: 'return true' } })
  await rule.set(0, 31.5)
  expect((await app.api.alarmLogs.list({ originId: rule.twin.id })).items[0]?.message).toBe('31.5 °C')
})
