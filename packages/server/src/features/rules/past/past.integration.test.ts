import type { JsonValue } from '@leitstand/contract/common'
import type { Condition, RuleAction } from '@leitstand/contract/rules'
import type { PastResult, PastRule } from '@leitstand/contract/rules/past'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beforeItStarts } from '../../../../test/jobs.ts'
import {
  createAccount,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { heldBy, heldMsMax } from '../../../../test/loopWatch.ts'
import { ruleKit, storedEvent } from '../../../../test/rules.ts'
import { createState, createTwin, setScope, writeValues } from '../../../../test/twins.ts'
import { apart } from '../../../platform/scripts/index.ts'
import { readInputs } from '../metrics/read.ts'
import { History } from './history.ts'
import { type PastStep, Simulation } from './simulation.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const start = Date.UTC(2026, 5, 1)
const at = (minute: number) => new Date(start + minute * minuteMs)
const clock = new FakeClock(at(0))
let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
beforeAll(async () => {
  app = await startApp({ clock })
  account = await createAccount(app)
})
afterAll(() => app[Symbol.asyncDispose]())

/** A temperature with values every few minutes, as if they had come late and in another order. */
async function history(seed: number, count: number) {
  const twin = await createTwin(app, account)
  const temperature = await createState(app, twin.id, 'temperature')
  const [steps] = fc.sample(
    fc.array(fc.tuple(fc.integer({ min: 1, max: 25 }), fc.integer({ min: 20, max: 40 })), {
      minLength: count,
      maxLength: count,
    }),
    { seed, numRuns: 1 },
  ) as [[number, number][]]
  let minute = 0
  const values = steps.map(([wait, value]) => {
    minute += wait
    return { stateId: temperature, value, time: at(minute) }
  })
  clock.set(at(minute + 60))
  await writeValues(app, values.toReversed())
  await app.drain()
  return { twin, temperature, values, endMs: at(minute + 60).getTime() }
}

type Kit = Awaited<ReturnType<typeof history>>

const quiet: RuleAction = { kind: 'alarm', severity: 'warning', message: 'x' }
const above = { op: 'gt', left: { metric: 'a' }, right: { value: 30 } } as const

/** Rules that look back, wait, run scripts and follow changes. */
const rules: Record<string, (stateId: number) => Omit<PastRule, 'title'>> = {
  'with a window and a throttle': (stateId) => ({
    triggers: [{ kind: 'values' }],
    metrics: [{ alias: 'a', stateId, operation: 'avg', lastMinutes: 45, abortIfNull: true }],
    conditions: above,
    executionTimes: null,
    throttleHours: 2,
  }),
  'that must last, with a transformer': (stateId) => ({
    triggers: [{ kind: 'values' }],
    metrics: [
      { alias: 'a', stateId, operation: 'latest', abortIfNull: true, transformer: 'return value + 1' },
      { alias: 'b', stateId, operation: 'median', lastValues: 5, abortIfNull: true },
    ],
    conditions: { op: 'for', minutes: 20, condition: above },
    executionTimes: null,
    throttleHours: 0,
  }),
  'with a script and execution times': (stateId) => ({
    triggers: [{ kind: 'changes' }],
    metrics: [{ alias: 'a', stateId, operation: 'difference', lastMinutes: 30, abortIfNull: true }],
    conditions: { op: 'script', script: 'return a > 3' },
    executionTimes: {
      windows: [{ days: [1, 2, 3, 4, 5, 6, 7], from: '06:00', to: '22:00' }],
      dates: [],
      holidays: null,
    },
    throttleHours: 0,
  }),
}

async function runOnPast(input: Parameters<TestApp['api']['ddr']['runOnPast']>[0], api = app.api) {
  const job = await api.ddr.runOnPast(input)
  await app.drain()
  expect(await api.job.get({ id: job.id })).toMatchObject({ state: 'done', error: null })
  const run = await api.ddr.pastRun({ jobId: job.id })
  return { job, run, result: run.result as PastResult }
}

/** Lets the rules run on values as if they came now, and what waits in between. */
async function live(ruleId: number, { twin, temperature, values, endMs }: Kit): Promise<void> {
  let eventId = 5_000_000 + ruleId * 10_000
  const takeDue = async (untilMs: number) => {
    for (;;) {
      const row = await app.ctx.db
        .selectFrom('rule_live')
        .select('due_at')
        .where('rule_id', '=', ruleId)
        .executeTakeFirst()
      const due = row?.due_at ?? null
      if (due === null || due.getTime() >= untilMs) return
      await app.ctx.db.updateTable('rule_live').set({ due_at: null }).where('rule_id', '=', ruleId).execute()
      const payload = { ruleId, cause: { kind: 'conditions' }, depth: 0, dueMs: due.getTime() } as const
      await app.app.rules.handle([
        { id: eventId++, topic: 'rule.woken', accountId: account.id, payload, at: due },
      ])
    }
  }
  for (const { value, time } of values) {
    await takeDue(time.getTime())
    await app.app.rules.handle([storedEvent(eventId++, time, temperature, twin.id, value)])
  }
  await takeDue(endMs)
}

describe('a rule that is run on the past', () => {
  for (const [index, [name, ruleOf]] of Object.entries(rules).entries()) {
    it(`fires when it did on the values as they came: ${name}`, async () => {
      const kit = await history(100 + index, 150)
      // What the rule waits for is not due yet, whatever its values are.
      clock.set(at(0))
      const rule = await app.api.ddr.create({
        dtwinId: kit.twin.id,
        title: 'Rule',
        ...ruleOf(kit.temperature),
        actions: [quiet],
      })
      await live(rule.id, kit)
      const page = { id: rule.id, results: ['fired', 'throttled'] as ('fired' | 'throttled')[], limit: 200 }
      const { items } = await app.api.ddr.executionHistory(page)
      expect(items.length).toBeGreaterThan(3)

      clock.set(new Date(kit.endMs))
      const draft = { title: 'Rule', ...ruleOf(kit.temperature) }
      const days = Math.ceil((kit.endMs - start) / dayMs)
      const { result } = await runOnPast({ dtwinId: kit.twin.id, ruleId: rule.id, days, rule: draft })
      const fired = items.filter((item) => item.result === 'fired').toReversed()
      expect(result.draft.moments.map(({ at: time, inputs }) => ({ time, inputs }))).toEqual(
        fired.map(({ at: time, inputs }) => ({ time, inputs })),
      )
      expect(result.stored).toEqual(result.draft)
      expect(result.real).toMatchObject({
        fired: result.draft.results.fired,
        throttled: result.draft.results.throttled,
        firedStretches: result.draft.fired,
      })
      expect(result.stopped).toBeNull()
    })
  }

  it('has the inputs that the pipeline reads from the database, for every value', async () => {
    const kit = await history(7, 120)
    const rule: PastRule = {
      title: 'All',
      triggers: [{ kind: 'values' }],
      metrics: (
        ['avg', 'min', 'max', 'sum', 'median', 'count', 'first', 'difference', 'latest'] as const
      ).flatMap((operation) => [
        {
          alias: `${operation}_minutes`,
          stateId: kit.temperature,
          operation,
          lastMinutes: 90,
          abortIfNull: false,
        },
        {
          alias: `${operation}_values`,
          stateId: kit.temperature,
          operation,
          lastValues: 7,
          abortIfNull: false,
        },
        {
          alias: `${operation}_both`,
          stateId: kit.temperature,
          operation,
          lastMinutes: 60,
          lastValues: 3,
          abortIfNull: false,
        },
      ]),
      conditions: { op: 'gt', left: { metric: 'avg_minutes' }, right: { value: 30 } },
      executionTimes: null,
      throttleHours: 0,
    }
    const own = new History()
    const steps: PastStep[] = []
    const scripts = apart(app.ctx.scripts)
    const simulation = new Simulation(rule, {
      histories: new Map([[kit.temperature, own]]),
      place: { timeZone: 'UTC', keyValues: {}, latitude: null, longitude: null },
      scripts,
      fromMs: start,
      record: (step) => steps.push(step),
    })
    const moments = kit.values.map(({ time, value }) => {
      own.add(time.getTime(), value)
      return { timeMs: time.getTime(), values: new Map<number, JsonValue>([[kit.temperature, value]]) }
    })
    await simulation.run(moments, kit.endMs, () => Promise.resolve())
    const read = await readInputs(
      { db: app.ctx.db, scripts, series: app.app.series },
      kit.values.map(({ time }) => ({
        rule: { id: 'rule', accountId: null, twinId: kit.twin.id, metrics: rule.metrics },
        until: time,
        values: new Map(),
      })),
    )
    const rounded = (inputs: object) =>
      Object.fromEntries(
        Object.entries(inputs).map(([key, value]) => [
          key,
          typeof value === 'number' ? Number(value.toPrecision(12)) : value,
        ]),
      )
    expect(steps.map(({ inputs }) => rounded(inputs))).toEqual(read.map(({ inputs }) => rounded(inputs)))
  })

  it('reads more values than are read at once, compares with the stored rule, and charts its metrics', async () => {
    const twin = await createTwin(app, account)
    const level = await createState(app, twin.id, 'level')
    const count = 12_000
    const end = start + 9 * dayMs
    clock.set(new Date(end))
    await writeValues(
      app,
      Array.from({ length: count }, (_, n) => ({
        stateId: level,
        value: n % 100,
        time: new Date(end - (count - n) * minuteMs),
      })),
    )
    const ruleOf = (value: number) => ({
      title: 'Level',
      metrics: [{ alias: 'level', stateId: level, operation: 'latest' as const }],
      conditions: { op: 'gte' as const, left: { metric: 'level' }, right: { value } },
    })
    const rule = await app.api.ddr.create({
      dtwinId: twin.id,
      ...ruleOf(99),
      actions: [quiet],
    })
    const { job, result } = await runOnPast({ dtwinId: twin.id, ruleId: rule.id, days: 8, rule: ruleOf(90) })
    // 8 days are 11 520 minutes, the first of which begins with the value 80.
    expect(result.draft.results).toMatchObject({ fired: 1_160, not_met: 10_360 })
    expect(result.stored?.results).toMatchObject({ fired: 116, not_met: 11_404 })
    expect(result.draft.moments).toHaveLength(500)
    expect(result.draft.fired.reduce((sum, each) => sum + each, 0)).toBe(1_160)
    expect(result.draft.moments.at(-1)).toMatchObject({
      cause: { kind: 'values' },
      inputs: { level: 99 },
      branch: { op: 'gte', met: true, left: 99, right: 90 },
    })
    const [chart] = result.charts
    expect(chart?.alias).toBe('level')
    expect(chart?.points.length).toBeLessThanOrEqual(2_000)
    expect(Math.max(...(chart?.points.map(([, value]) => value) ?? []))).toBe(99)
    const done = await app.api.job.get({ id: job.id })
    expect(done).toMatchObject({ total: 192, done: 192, result: { fired: 1_160 } })
  })

  it('is one for many on one of its twins, with the states that it names by key', async () => {
    const kit = await history(9, 40)
    const parent = await createTwin(app, account)
    const rule = (metric: object): PastRule =>
      ({
        title: 'Warm',
        triggers: [{ kind: 'values' }],
        metrics: [{ alias: 'a', abortIfNull: true, ...metric }],
        conditions: above,
        executionTimes: null,
        throttleHours: 0,
      }) as PastRule
    const byKey = (of: string, stateKey = 'temperature') =>
      rule({
        operation: 'related',
        of,
        stateKey,
        over: 'latest',
        ...(of === 'children' ? { across: 'avg' } : {}),
      })
    const byId = rule({ operation: 'latest', stateId: kit.temperature })
    const stored = await app.api.ddr.create({
      dtwinId: parent.id,
      ...byKey('own'),
      many: { query: { tags: ['past-many'] }, except: [] },
      actions: [quiet],
    })
    const on = { dtwinId: kit.twin.id, days: 7 }
    const wish = { ...on, ruleId: stored.id, rule: byKey('own') }
    expect(await errorOf(app.api.ddr.runOnPast(wish))).toMatchObject({ code: 'DDR_NOT_FOUND' })
    const { version, title, parentId } = await app.api.digitaltwin.get({ id: kit.twin.id })
    await app.api.digitaltwin.update({ id: kit.twin.id, version, title, parentId, tags: ['past-many'] })
    await app.drain()
    const { result } = await runOnPast(wish)
    expect(result.draft.results.fired).toBeGreaterThan(0)
    expect(result.draft).toEqual((await runOnPast({ ...on, rule: byId })).result.draft)
    expect(result.stored?.results).toEqual(result.draft.results)
    for (const [of, key] of [
      ['own', 'unknown'],
      ['parent', 'temperature'],
    ] as const)
      expect(await errorOf(app.api.ddr.runOnPast({ ...on, rule: byKey(of, key) }))).toMatchObject({
        code: 'VALIDATION_ERROR',
      })
  })

  it('over all children fires when a simple model says so, with the children the twin has now', async () => {
    const parent = await createTwin(app, account)
    const children = await Promise.all(
      [1, 2, 3].map(async () => {
        const { id } = await createTwin(app, account, { parentId: parent.id })
        return createState(app, id, 'temperature')
      }),
    )
    const elsewhere = await createTwin(app, account)
    await createState(app, elsewhere.id, 'temperature')
    const [steps] = fc.sample(
      fc.array(
        fc.record({
          child: fc.nat(2),
          wait: fc.integer({ min: 0, max: 20 }),
          value: fc.integer({ min: 20, max: 40 }),
        }),
        { minLength: 120, maxLength: 120 },
      ),
      { seed: 31, numRuns: 1 },
    ) as [{ child: number; wait: number; value: number }[]]
    let minute = 0
    // Two children may have a value at the same time, one child has one of them.
    const values = new Map<string, { stateId: number; value: number; time: Date }>()
    for (const { child, wait, value } of steps) {
      minute += wait
      values.set(`${child} ${minute}`, { stateId: children[child] ?? 0, value, time: at(minute) })
    }
    clock.set(at(minute + 60))
    await writeValues(app, [...values.values()])
    await app.drain()
    const moments = [...new Set([...values.values()].map(({ time }) => time.getTime()))]
    const newest = (stateId: number, untilMs: number) =>
      [...values.values()]
        .filter((each) => each.stateId === stateId && each.time.getTime() <= untilMs)
        .toSorted((one, other) => one.time.getTime() - other.time.getTime())
        .at(-1)?.value
    for (const [across, of] of [
      ['max', (all: number[]) => Math.max(...all)],
      ['avg', (all: number[]) => all.reduce((sum, each) => sum + each, 0) / all.length],
    ] as const) {
      const { run, result } = await runOnPast({
        dtwinId: parent.id,
        days: 7,
        rule: {
          title: 'Warm',
          triggers: [{ kind: 'values' }],
          metrics: [
            {
              alias: 'a',
              operation: 'related',
              of: 'children',
              stateKey: 'temperature',
              over: 'latest',
              across,
            },
          ],
          conditions: above,
        },
      })
      const expected = moments.filter(
        (ms) => of(children.flatMap((stateId) => newest(stateId, ms) ?? [])) > 30,
      )
      expect(result.draft.results).toMatchObject({
        fired: expected.length,
        not_met: moments.length - expected.length,
        error: 0,
      })
      expect(run.notReplayed.tree).toEqual(['a'])
    }
  })

  it('over children compares with the stored rule, and only those who see all of them read it', async () => {
    const parent = await createTwin(app, account)
    const child = await createTwin(app, account, { parentId: parent.id })
    const stranger = await createAccount(app)
    const other = await createTwin(app, account, { parentId: parent.id })
    const outside = await createTwin(app, account, { parentId: parent.id })
    const [temperature, second, beyond] = [
      await createState(app, child.id, 'temperature'),
      await createState(app, other.id, 'temperature'),
      await createState(app, outside.id, 'temperature'),
    ]
    // Its scope is not below that of the rule.
    await setScope(app, outside.id, stranger.scopeId)
    clock.set(at(600))
    await writeValues(app, [
      { stateId: temperature, value: 25, time: at(10) },
      { stateId: second, value: 39, time: at(20) },
      { stateId: beyond, value: 50, time: at(5) },
      { stateId: temperature, value: 31, time: at(30) },
    ])
    await app.drain()
    const rule: PastRule = {
      title: 'Warm',
      triggers: [{ kind: 'values' }],
      metrics: [
        {
          alias: 'a',
          operation: 'related',
          of: 'children',
          stateKey: 'temperature',
          over: 'latest',
          across: 'max',
          abortIfNull: true,
        },
      ],
      conditions: above,
      executionTimes: null,
      throttleHours: 0,
    }
    const stored = await app.api.ddr.create({ dtwinId: parent.id, ...rule, actions: [quiet] })
    const wish = { dtwinId: parent.id, ruleId: stored.id, days: 1, rule }
    const whole = await runOnPast(wish)
    expect(whole.result.draft.results).toMatchObject({ fired: 2, not_met: 1 })
    expect(whole.result.stored?.results).toEqual(whole.result.draft.results)
    const viewer = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    expect((await viewer.api.ddr.pastRun({ jobId: whole.job.id })).result).toEqual(whole.result)
    await setScope(app, other.id, stranger.scopeId)
    expect(await errorOf(viewer.api.ddr.pastRun({ jobId: whole.job.id }))).toMatchObject({
      code: 'BACKGROUND_JOB_NOT_FOUND',
    })
    const seen = await runOnPast(wish, viewer.api)
    expect(seen.result.draft.results).toMatchObject({ fired: 1, not_met: 1 })
  })

  it('over more children than a metric can have is refused', async () => {
    const parent = await createTwin(app, account)
    await sql`
      with made as (
        insert into twins (category, account_id, scope_id, parent_id, title)
        select 'digitalTwin', account_id, scope_id, id, 'Child ' || n from twins, generate_series(1, 1001) as n
        where id = ${parent.id} returning id)
      insert into states (twin_id, key, title, source) select id, 'temperature', 'temperature', 'none' from made`.execute(
      app.ctx.db,
    )
    const refused = app.api.ddr.runOnPast({
      dtwinId: parent.id,
      days: 1,
      rule: {
        title: 'Warm',
        metrics: [
          {
            alias: 'a',
            operation: 'related',
            of: 'children',
            stateKey: 'temperature',
            over: 'latest',
            across: 'max',
          },
        ],
        conditions: above,
      },
    })
    expect(await errorOf(refused)).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: {
        issues: [{ path: ['metrics', '0', 'of'], text: 'pastChildren', params: { max: '1000' } }],
      },
    })
  })

  it('sends nothing, sets nothing and raises nothing', async () => {
    const kit = await history(55, 60)
    const { result } = await runOnPast({
      dtwinId: kit.twin.id,
      days: 2,
      rule: {
        title: 'Warm',
        ...rules['with a window and a throttle']?.(kit.temperature),
        throttleHours: 0,
      } as PastRule,
    })
    expect(result.draft.results.fired).toBeGreaterThan(0)
    expect((await app.api.alarmLogs.list({ originId: kit.twin.id })).total).toBe(0)
    expect((await app.api.ddr.list({ dtwinId: kit.twin.id })).total).toBe(0)
    const { items } = await app.api.activityLog.list({ accountIds: [account.id], limit: 1 })
    expect(items[0]).toMatchObject({ action: 'rule-past', subject: 'DigitalTwin', objectId: kit.twin.id })
  })
})

describe('who may run a rule on the past', () => {
  const ruleOn = (stateId: number): PastRule => ({
    title: 'Warm',
    triggers: [{ kind: 'values' }],
    metrics: [{ alias: 'a', stateId, operation: 'latest', abortIfNull: true }],
    conditions: above,
    executionTimes: null,
    throttleHours: 0,
  })

  it('those who see the twin and the states, now and when they read the result', async () => {
    const kit = await history(3, 20)
    const stranger = await createAccount(app)
    const hidden = await createTwin(app, stranger)
    const hiddenState = await createState(app, hidden.id, 'secret')
    const viewer = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    const wish = { dtwinId: kit.twin.id, days: 1 }
    const foreign = { ...wish, rule: ruleOn(hiddenState) }
    expect(await errorOf(viewer.api.ddr.runOnPast(foreign))).toMatchObject({ code: 'DTWIN_STATE_NOT_FOUND' })
    const elsewhere = { ...foreign, dtwinId: hidden.id, rule: ruleOn(kit.temperature) }
    expect(await errorOf(viewer.api.ddr.runOnPast(elsewhere))).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
    const { rule: other } = await ruleKit(app, account).warmRule()
    const mixed = { ...wish, ruleId: other.id, rule: ruleOn(kit.temperature) }
    expect(await errorOf(viewer.api.ddr.runOnPast(mixed))).toMatchObject({ code: 'DDR_NOT_FOUND' })

    // The administrator sees both states; a viewer of the one account only sees runs and comparisons without the other.
    const secret = await runOnPast(foreign)
    expect(await errorOf(viewer.api.ddr.pastRun({ jobId: secret.job.id }))).toMatchObject({
      code: 'BACKGROUND_JOB_NOT_FOUND',
    })
    const stored = await app.api.ddr.create({
      dtwinId: kit.twin.id,
      ...ruleOn(hiddenState),
      actions: [quiet],
    })
    const compared = { ...wish, ruleId: stored.id, rule: ruleOn(kit.temperature) }
    const whole = await runOnPast(compared)
    expect(whole.result.stored).not.toBeNull()
    expect((await viewer.api.ddr.pastRun({ jobId: whole.job.id })).result?.stored).toBeNull()
    expect((await runOnPast(compared, viewer.api)).result.stored).toBeNull()
  })

  it('not those whose access has ended by the time it begins', async () => {
    const kit = await history(7, 20)
    const viewer = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    const job = await beforeItStarts(
      app,
      () => viewer.api.ddr.runOnPast({ dtwinId: kit.twin.id, days: 1, rule: ruleOn(kit.temperature) }),
      () => sql`delete from user_access where user_id = ${viewer.id}`.execute(app.ctx.db),
    )
    expect(await app.api.job.get({ id: job.id })).toMatchObject({
      state: 'failed',
      error: { code: 'BACKGROUND_JOB_REVOKED' },
    })
    expect(await app.api.ddr.pastRun({ jobId: job.id })).toMatchObject({ result: null })
  })

  it('one at once for each user: DDR_PAST_RUNNING', async () => {
    const kit = await history(4, 20)
    const viewer = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    const wish = { dtwinId: kit.twin.id, days: 1, rule: ruleOn(kit.temperature) }
    const [first, second] = await Promise.allSettled([
      viewer.api.ddr.runOnPast(wish),
      viewer.api.ddr.runOnPast(wish),
    ])
    const started = [first, second].find(({ status }) => status === 'fulfilled')
    const refused = [first, second].find(({ status }) => status === 'rejected')
    if (started?.status !== 'fulfilled' || refused?.status !== 'rejected')
      throw new Error('one must be refused')
    expect(refused.reason).toMatchObject({ code: 'DDR_PAST_RUNNING', data: { jobId: started.value.id } })
    await app.drain()
    expect((await viewer.api.ddr.runOnPast(wish)).state).toBe('created')
    await app.drain()
    const list = await viewer.api.ddr.pastRuns({ dtwinId: kit.twin.id, limit: 1 })
    expect(list).toMatchObject({ total: 2, items: [{ title: 'Warm', state: 'done', ruleId: null }] })
  })

  it('a script that does not compile, and a rule that is not valid, are refused at once', async () => {
    const kit = await history(5, 20)
    const wish = (rule: PastRule) => ({ dtwinId: kit.twin.id, days: 1, rule })
    const fine = ruleOn(kit.temperature)
    const broken = wish({ ...fine, conditions: { op: 'script', script: 'return (' } })
    expect(await errorOf(app.api.ddr.runOnPast(broken))).toMatchObject({ code: 'SCRIPT_SYNTAX' })
    const unknown = wish({ ...fine, conditions: { ...above, left: { metric: 'gone' } } })
    expect(await errorOf(app.api.ddr.runOnPast(unknown))).toMatchObject({ code: 'VALIDATION_ERROR' })
  })
})

it('does not hold up the process, however much a rule asks for', async () => {
  const twin = await createTwin(app, account)
  const level = await createState(app, twin.id, 'level')
  const name = await createState(app, twin.id, 'name', { valueType: 'text' })
  const end = start + 3 * dayMs
  clock.set(new Date(end))
  const times = Array.from({ length: 1_500 }, (_, n) => new Date(end - (1_500 - n) * minuteMs * 0.9))
  await writeValues(
    app,
    times.map((time, n) => ({ stateId: level, value: n % 50, time })),
  )
  await writeValues(
    app,
    times.slice(0, 20).map((time) => ({ stateId: name, value: 'x'.repeat(60_000), time })),
  )
  const metrics = Array.from({ length: 50 }, (_, n) => ({
    alias: `m${n}`,
    stateId: n === 49 ? name : level,
    operation: n === 49 ? ('latest' as const) : ('median' as const),
    ...(n === 49 ? {} : { lastMinutes: 1_440 }),
    abortIfNull: false,
  }))
  const conditions: Condition = {
    op: 'or',
    conditions: Array.from({ length: 19 }, (_, n): Condition => {
      const compared = (value: number): Condition => ({
        ...above,
        left: { metric: `m${n}` },
        right: { value },
      })
      return {
        op: 'for',
        minutes: n + 1,
        condition: { op: 'or', conditions: Array.from({ length: 8 }, (__, value) => compared(value)) },
      }
    }),
  }
  const rule: PastRule = {
    title: 'Heavy',
    triggers: [{ kind: 'values' }, { kind: 'cron', expression: '* * * * *' }],
    metrics,
    conditions,
    executionTimes: null,
    throttleHours: 0,
  }
  let result: Awaited<ReturnType<typeof runOnPast>>['result'] | undefined
  const run = async () => {
    const ran = await runOnPast({ dtwinId: twin.id, days: 1, rule })
    await app.api.ddr.pastRun({ jobId: ran.job.id })
    result = ran.result
  }
  expect(await heldBy(run)).toBeLessThan(heldMsMax)
  expect(result?.draft.results.fired).toBeGreaterThan(1_000)
  expect(result?.draft.moments).toHaveLength(500)
})

it('a run that was cancelled begins again when it is resumed', async () => {
  const kit = await history(6, 40)
  const rule = { title: 'Warm', ...rules['with a window and a throttle']?.(kit.temperature) } as PastRule
  const { id: jobId } = await beforeItStarts(
    app,
    () => app.api.ddr.runOnPast({ dtwinId: kit.twin.id, days: 1, rule }),
    ({ id }) => app.api.job.cancel({ id }),
  )
  expect(await app.api.ddr.pastRun({ jobId })).toMatchObject({ result: null, rule })
  await app.api.job.retry({ id: jobId })
  await app.drain()
  const { result } = await app.api.ddr.pastRun({ jobId })
  const again = await runOnPast({ dtwinId: kit.twin.id, days: 1, rule })
  expect(result).toEqual(again.result)
})
