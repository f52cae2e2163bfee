import type { StateOperation } from '@leitstand/contract/rules'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Api,
  createAccount,
  createRole,
  createUser,
  errorOf,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { openLive } from '../../../test/live.ts'
import { alarmAction, minute, ruleKit } from '../../../test/rules.ts'
import { createState, createTwin, writeValues } from '../../../test/twins.ts'

let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
let kit: ReturnType<typeof ruleKit>

beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app, { name: 'City' })
  kit = ruleKit(app, account)
})

describe('windows', () => {
  it.each([
    ['avg', { lastMinutes: 10 }, 20],
    ['min', { lastMinutes: 10 }, 10],
    ['max', { lastValues: 2 }, 30],
    ['sum', { lastValues: 2 }, 50],
    ['median', { lastMinutes: 10 }, 20],
    ['count', { lastMinutes: 10 }, 3],
    ['first', { lastMinutes: 10 }, 10],
    ['difference', { lastMinutes: 10 }, 20],
    ['latest', { lastMinutes: 10 }, 30],
    ['latest', {}, 30],
    ['first', { lastValues: 100 }, 5],
  ] as const)('%s of %o is %d', async (operation, window, expected) => {
    const twin = await createTwin(app, account)
    const state = await createState(app, twin.id, 'level')
    const now = Date.now()
    const values = [
      [5, 20],
      [10, 5],
      [20, 3],
      [30, 0.1],
    ] as const
    await writeValues(
      app,
      values.map(([value, minutesAgo]) => ({
        stateId: state,
        value,
        time: new Date(now - minutesAgo * 60_000),
      })),
    )
    const answer = await app.api.ddr.testConditions({
      metrics: [{ alias: 'x', stateId: state, operation, ...window }],
      conditions: { op: 'eq', left: { metric: 'x' }, right: { value: expected } },
    })
    expect(answer).toMatchObject({ met: true, aborted: false, inputs: { x: expected } })
  })
})

describe('windows of more than a day', () => {
  it('are the same from roll-ups as from values, also while these are out of date', async () => {
    const twin = await createTwin(app, account)
    const state = await createState(app, twin.id, 'level')
    const now = Date.now()
    const minutes = 3 * 24 * 60
    const valueAt = (minute: number) => ((minute * 37) % 101) - 50
    const all = Array.from({ length: minutes / 5 }, (_, index) => {
      const minutesAgo = minutes + 100 - index * 5
      return {
        stateId: state,
        value: valueAt(minutesAgo),
        time: new Date(now - minutesAgo * 60_000 + 150_000),
      }
    })
    const late = { stateId: state, value: 1_000, time: new Date(now - 1_500 * 60_000) }
    const of = async (operation: StateOperation) => {
      const answer = await app.api.ddr.testConditions({
        metrics: [{ alias: 'x', stateId: state, operation, lastMinutes: minutes }],
        conditions: { op: 'eq', left: { metric: 'x' }, right: { value: 0 } },
      })
      return answer.inputs.x
    }
    const check = async (values: readonly { value: number; time: Date }[]) => {
      const within = values
        .filter(({ time }) => time.getTime() > now - minutes * 60_000)
        .sort((a, b) => a.time.getTime() - b.time.getTime())
      const numbers = within.map(({ value }) => value)
      const sum = numbers.reduce((total, each) => total + each, 0)
      expect(await of('sum')).toBe(sum)
      expect(await of('avg')).toBeCloseTo(sum / numbers.length, 9)
      expect(await of('min')).toBe(Math.min(...numbers))
      expect(await of('max')).toBe(Math.max(...numbers))
      expect(await of('count')).toBe(within.length)
      expect(await of('difference')).toBe((numbers.at(-1) ?? 0) - (numbers[0] ?? 0))
      expect(await of('first')).toBe(within[0]?.value)
      expect(await of('latest')).toBe(within.at(-1)?.value)
    }
    await writeValues(app, all)
    await app.app.series.rollUp()
    await check(all)
    await writeValues(app, [late])
    await check([...all, late])
  })
})

describe('drafts', () => {
  it('are tried on given values, too', async () => {
    const twin = await createTwin(app, account)
    const state = await createState(app, twin.id, 'level')
    const draft = {
      metrics: [{ alias: 'x', stateId: state }],
      conditions: { op: 'gt' as const, left: { metric: 'x' }, right: { value: 1 } },
    }
    expect(await app.api.ddr.testConditions(draft)).toMatchObject({
      met: false,
      aborted: true,
      inputs: { x: null },
    })
    expect(await app.api.ddr.testConditions({ ...draft, inputs: { x: 2 } })).toEqual({
      met: true,
      aborted: false,
      inputs: { x: 2 },
      branch: { op: 'gt', met: true, left: 2, right: 1 },
      dueAt: null,
    })
  })

  it('are refused with the reason', async () => {
    const { twin, temperature, rule } = await kit.warmRule()
    const computed = await createState(app, twin.id, 'sum', { source: 'aggregate' })
    const free = await createState(app, twin.id, 'free')
    const draft = {
      dtwinId: twin.id,
      title: 'Draft',
      metrics: [{ alias: 'x', stateId: temperature }],
      conditions: { op: 'gt' as const, left: { metric: 'x' }, right: { value: 1 } },
      actions: [{ kind: 'alarm' as const, severity: 'error' as const, message: 'x' }],
    }
    const refused = (changes: object) => errorOf(app.api.ddr.create({ ...draft, ...changes }))
    expect(await refused({ title: 'Too warm' })).toMatchObject({ code: 'DDR_DUPLICATE_NAME' })
    expect(await refused({ dtwinId: 999_999 })).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
    expect(await refused({ metrics: [{ alias: 'x', stateId: 999_999 }] })).toMatchObject({
      code: 'DTWIN_STATE_NOT_FOUND',
    })
    expect(
      await refused({ metrics: [{ alias: 'x', stateId: temperature, transformer: 'return (' }] }),
    ).toMatchObject({ code: 'SCRIPT_SYNTAX', data: { alias: 'x' } })
    const setState = (stateId: number, value: string | number) => ({
      actions: [{ kind: 'set-state', stateId, value: { value } }],
    })
    const paths = async (changes: object) => {
      const { code, data } = await refused(changes)
      expect(code).toBe('VALIDATION_ERROR')
      return (data as { issues: { path: string[] }[] }).issues.map(({ path }) => path.join('.'))
    }
    expect(await paths(setState(computed, 1))).toEqual(['actions.0.stateId'])
    expect(await paths(setState(free, 'text'))).toEqual(['actions.0.value'])
    expect(await paths(setState(temperature, 1))).toEqual(['actions.0.stateId'])
    // free → temperature by a second rule, temperature → free by the draft: together they form a loop.
    await app.api.ddr.create({
      ...draft,
      title: 'Back',
      metrics: [{ alias: 'x', stateId: free }],
      actions: [{ kind: 'set-state', stateId: temperature, value: { metric: 'x' } }],
    })
    expect(await paths(setState(free, 1))).toEqual(['actions'])
    const { id, version, dtwinId: _, ...fields } = { ...rule }
    await app.api.ddr.update({ ...fields, id, version })
    expect(await errorOf(app.api.ddr.update({ ...fields, id, version }))).toMatchObject({
      code: 'VERSION_CONFLICT',
    })
  })
})

it('no state is computed from what a rule sets that is woken by it', async () => {
  const twin = await createTwin(app, account)
  const [set, other] = [await createState(app, twin.id, 'set'), await createState(app, twin.id, 'other')]
  const of = (stateId: number) => ({ source: 'aggregate' as const, sourceSettings: { stateIds: [stateId] } })
  const sum = await app.api.state.create({ dtwinId: twin.id, key: 'sum', title: 'Sum', ...of(other) })
  const twice = await app.api.state.create({ dtwinId: twin.id, key: 'twice', title: 'Twice', ...of(sum.id) })
  await app.api.ddr.create({
    dtwinId: twin.id,
    title: 'Feeds back',
    metrics: [{ alias: 'x', stateId: twice.id }],
    conditions: { op: 'gt', left: { metric: 'x' }, right: { value: 1 } },
    actions: [{ kind: 'set-state', stateId: set, value: { metric: 'x' } }],
  })
  const { version } = await app.api.state.get({ id: sum.id })
  const loop = { id: sum.id, version, title: 'Sum', ...of(set) }
  expect(await errorOf(app.api.state.update(loop))).toMatchObject({ code: 'AGGREGATE_LOOP' })
  expect(await app.api.state.checkForAggregateLoop({ stateId: sum.id, stateIds: [set] })).toEqual({
    loop: true,
  })
  expect(await app.api.state.get({ id: sum.id })).toMatchObject({
    version,
    sourceSettings: { stateIds: [other] },
  })
})

describe('two departments', () => {
  let mine: Api
  let other: Awaited<ReturnType<typeof createAccount>>

  beforeAll(async () => {
    other = await createAccount(app, { name: 'Elsewhere' })
    const role = await createRole(app, [
      { subject: 'DigitalTwin', actions: ['read', 'write'] },
      { subject: 'VirtualDevice', actions: ['read'] },
    ])
    mine = (await createUser(app, other, [{ roleId: role }])).api
  })

  it('see nothing of each other', async () => {
    const { twin, temperature, rule } = await kit.warmRule()
    await kit.set(temperature, 40, minute(0))
    expect((await mine.ddr.list({ dtwinId: twin.id })).total).toBe(0)
    expect((await mine.ddr.overviewList({})).total).toBe(0)
    expect((await mine.ddr.executions({})).total).toBe(0)
    expect((await mine.ddr.errornousExecutions({})).total).toBe(0)
    expect(await mine.alarmLogs.list({})).toMatchObject({ total: 0, unresolved: 0 })
    const { id, version, dtwinId: _, ...fields } = { ...rule }
    const calls: [() => Promise<unknown>, string][] = [
      [() => mine.ddr.get({ id }), 'DDR_NOT_FOUND'],
      [() => mine.ddr.executionHistory({ id }), 'DDR_NOT_FOUND'],
      [() => mine.ddr.update({ ...fields, id, version }), 'DDR_NOT_FOUND'],
      [() => mine.ddr.delete({ id }), 'DDR_NOT_FOUND'],
      [
        () => mine.ddr.testConditions({ metrics: rule.metrics, conditions: rule.conditions }),
        'DTWIN_STATE_NOT_FOUND',
      ],
    ]
    for (const [call, code] of calls) expect(await errorOf(call())).toMatchObject({ code })
    const own = await createTwin(app, other)
    const foreign = mine.ddr.create({
      dtwinId: own.id,
      title: 'Spy',
      metrics: [{ alias: 'temperature', stateId: temperature }],
      conditions: rule.conditions,
      actions: [alarmAction],
    })
    expect(await errorOf(foreign)).toMatchObject({ code: 'DTWIN_STATE_NOT_FOUND' })
  })

  it('a reader changes nothing', async () => {
    const role = await createRole(app, [{ subject: 'DigitalTwin', actions: ['read'] }])
    const writer = await createRole(app, [{ subject: 'DigitalTwin', actions: ['write'] }])
    const reader = await createUser(app, account, [
      { roleId: role },
      { roleId: writer, scopeId: other.scopeId },
    ])
    const { twin, rule } = await kit.warmRule()
    expect((await reader.api.ddr.get({ id: rule.id })).title).toBe('Too warm')
    expect(await errorOf(reader.api.ddr.delete({ id: rule.id }))).toMatchObject({ code: 'NO_PERMISSION' })
    const { id: _, version: __, ...fields } = { ...rule }
    const create = reader.api.ddr.create({ ...fields, dtwinId: twin.id, title: 'Mine' })
    expect(await errorOf(create)).toMatchObject({ code: 'NO_PERMISSION' })
  })
})

describe('a deleted rule', () => {
  it('leaves no alarm open, and says who deleted it', async () => {
    const { twin, temperature, rule } = await kit.warmRule()
    await kit.set(temperature, 40, minute(0))
    await app.api.ddr.delete({ id: rule.id })
    const { items, unresolved } = await app.api.alarmLogs.list({ originId: twin.id })
    expect(unresolved).toBe(0)
    expect(items[0]).toMatchObject({ ruleId: null, ruleTitle: null })
    await kit.set(temperature, 41, minute(1))
    const log = await app.api.activityLog.list({ subject: 'Rule', objectId: rule.id })
    expect(log.items.map(({ action }) => action)).toEqual(['delete', 'create'])
  })
})

describe('live', () => {
  it('tells executions of a rule and alarms to those who may see them', async () => {
    const { temperature, rule } = await kit.warmRule()
    const role = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'] }])
    const elsewhere = await createAccount(app)
    const stranger = await createUser(app, elsewhere, [{ roleId: role }])
    using mine = await openLive(app, app.token)
    using other = await openLive(app, stranger.token)
    await mine.follow(`rule:${rule.id}`)
    await mine.follow('alarms')
    expect(await other.follow(`rule:${rule.id}`)).toMatchObject([{ kind: 'refused', code: 'NO_PERMISSION' }])
    expect(await other.follow('alarms')).toMatchObject([{ kind: 'subscribed' }])
    await kit.set(temperature, 40, minute(0))
    await kit.set(temperature, 20, minute(1))
    const received = await mine.received()
    expect(received.filter(({ kind }) => kind === 'alarm')).toMatchObject([
      { severity: 'warning', resolved: false },
      { severity: 'warning', resolved: true },
    ])
    expect(received.filter(({ kind }) => kind === 'execution')).toMatchObject([
      { ruleId: rule.id, result: 'fired' },
      { ruleId: rule.id, result: 'not_met' },
    ])
    expect(await other.received()).toEqual([])
    using back = await openLive(app, app.token)
    const missed = await back.follow(`rule:${rule.id}`, Date.now() - 60_000)
    expect(missed.map((message) => ('result' in message ? message.result : message.kind))).toEqual([
      'fired',
      'not_met',
      'subscribed',
    ])
  })
})

it('a condition nested too deeply is refused with a reason, however deeply', async () => {
  const { temperature } = await kit.warmRule()
  const leaf = '{"op":"gt","left":{"metric":"x"},"right":{"value":1}}'
  const refusal = async (depth: number) => {
    const conditions = `${'{"op":"not","condition":'.repeat(depth)}${leaf}${'}'.repeat(depth)}`
    const response = await fetch(`${app.url}/api/digitaltwin/ddr/test-conditions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${app.token}` },
      body: `{"metrics":[{"alias":"x","stateId":${temperature}}],"conditions":${conditions}}`,
    })
    return { status: response.status, code: ((await response.json()) as { code: string }).code }
  }
  expect(await refusal(20)).toEqual({ status: 422, code: 'VALIDATION_ERROR' })
  expect(await refusal(10_000)).toEqual({ status: 400, code: 'PARAMETER_VALIDATION_ERROR' })
})
