import type { RuleAction } from '@leitstand/contract/rules'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createUser, roleNamed, startApp, type TestApp } from '../../../test/kit.ts'
import { alarmAction, minute, ruleKit, storedEvent } from '../../../test/rules.ts'
import { startSmtp, type TestSmtp } from '../../../test/smtp.ts'
import { createState, createTwin, writeValues } from '../../../test/twins.ts'
import { MonthPartitions } from '../../platform/db/months.ts'

let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
let kit: ReturnType<typeof ruleKit>
let smtp: TestSmtp

beforeAll(async () => {
  smtp = await startSmtp()
  app = await startApp({ config: { smtpUrl: smtp.url } })
  account = await createAccount(app, { name: 'City' })
  kit = ruleKit(app, account)
  // Users of the account need not be asked whether mails may be sent.
  const roleId = await roleNamed(app, 'Viewer')
  for (const username of ['care', 'night', 'twice'])
    await createUser(app, account, [{ roleId }], { username })
  return () => smtp[Symbol.asyncDispose]()
})

describe('a rule', () => {
  it('fires, sends a real mail, sets a state, raises an alarm and resolves it', async () => {
    const { twin, temperature, fan, rule } = await kit.warmRule(({ fan }) => [
      {
        kind: 'email',
        recipients: ['care@example.org', 'night@example.org'],
        subject: '{{twin.title}}: {{temperature}} °C',
        body: '{{rule.title}} in {{twin.title}}',
      },
      { kind: 'set-state', stateId: fan, value: { value: true } },
      alarmAction,
    ])
    await kit.set(temperature, 29, minute(0))
    expect(await kit.history(rule.id)).toEqual(['not_met'])
    expect((await app.api.alarmLogs.list({ originId: twin.id })).total).toBe(0)

    await kit.set(temperature, 31.5, minute(1))
    const { items: executions } = await app.api.ddr.executionHistory({ id: rule.id })
    expect(executions[0]).toMatchObject({
      result: 'fired',
      inputs: { temperature: 31.5 },
      branch: { op: 'gt', met: true, left: 31.5, right: 30 },
      actions: [
        { kind: 'alarm', ok: true, detail: '31.5 °C' },
        { kind: 'email', ok: true, detail: 'care@example.org, night@example.org' },
        { kind: 'set-state', ok: true, detail: 'true' },
      ],
      error: null,
    })
    const [mail] = smtp.received
    expect(smtp.received).toHaveLength(1)
    expect(mail?.to?.map(({ address }) => address)).toEqual(['care@example.org', 'night@example.org'])
    expect(mail?.subject).toBe(`${twin.title}: 31.5 °C`)
    expect(mail?.text?.trim()).toBe(`Too warm in ${twin.title}`)
    expect((await app.app.series.current(app.ctx.db, [fan])).get(fan)?.value).toBe(true)
    const open = await app.api.alarmLogs.list({ originId: twin.id })
    expect(open).toMatchObject({ total: 1, unresolved: 1 })
    expect(open.items[0]).toMatchObject({
      message: '31.5 °C',
      severity: 'warning',
      ruleId: rule.id,
      ruleTitle: 'Too warm',
      originTitle: twin.title,
      accountName: 'City',
      resolvedAt: null,
    })

    await kit.set(temperature, 20, minute(2))
    const resolved = await app.api.alarmLogs.list({ originId: twin.id })
    expect(resolved).toMatchObject({ total: 1, unresolved: 0 })
    expect(resolved.items[0]?.resolvedAt).not.toBeNull()
    expect(await app.api.ddr.get({ id: rule.id })).toMatchObject({ lastResult: 'not_met' })
    expect((await app.api.ddr.get({ id: rule.id })).lastFiredAt).not.toBeNull()
  })

  it('keeps one record of evaluations that did nothing, and all that did something', async () => {
    const { temperature, rule } = await kit.warmRule()
    for (const [index, value] of [1, 2, 40, 3, 41, 4, 5].entries())
      await kit.set(temperature, value, minute(index))
    expect(await kit.history(rule.id)).toEqual(['not_met', 'fired', 'fired'])
    const { items } = await app.api.ddr.executionHistory({ id: rule.id, results: ['not_met'] })
    expect(items[0]?.inputs).toEqual({ temperature: 5 })
  })

  it('stays silent while it is throttled', async () => {
    const { twin, temperature, rule } = await kit.warmRule(undefined, { throttleHours: 1 })
    const at = new Date('2026-06-01T10:00:00.000Z')
    const later = (minutes: number) => new Date(at.getTime() + minutes * 60_000)
    await app.app.rules.handle([
      storedEvent(9_000_001, at, temperature, twin.id, 40),
      storedEvent(9_000_002, later(30), temperature, twin.id, 41),
    ])
    await app.app.rules.handle([storedEvent(9_000_003, later(61), temperature, twin.id, 42)])
    expect(await kit.history(rule.id)).toEqual(['fired', 'throttled', 'fired'])
  })

  it('is not woken by late data, but sees it in its history', async () => {
    const twin = await createTwin(app, account)
    const level = await createState(app, twin.id, 'level')
    const rule = await app.api.ddr.create({
      dtwinId: twin.id,
      title: 'Average',
      metrics: [{ alias: 'level', stateId: level, operation: 'avg', lastValues: 3 }],
      conditions: { op: 'gte', left: { metric: 'level' }, right: { value: 20 } },
      actions: [alarmAction].map((action) => ({ ...action, message: '{{level}}' })) as RuleAction[],
    })
    await kit.set(level, 10, minute(5))
    const before = (await app.api.ddr.executionHistory({ id: rule.id })).items[0]
    await kit.set(level, 40, minute(3))
    expect((await app.api.ddr.executionHistory({ id: rule.id })).items).toEqual([before])
    await kit.set(level, 13, minute(6))
    const { items } = await app.api.ddr.executionHistory({ id: rule.id })
    expect(items[0]).toMatchObject({ result: 'fired', inputs: { level: 21 } })
  })

  it('follows every value of a state that was the newest in its turn, also when they are stored together', async () => {
    const { twin, temperature, rule } = await kit.warmRule()
    const value = (minutes: number, value: number) => ({ stateId: temperature, value, time: minute(minutes) })
    await kit.set(temperature, 20, minute(0))
    // A peak, and late data on both sides of it.
    await writeValues(app, [value(-5, 60), value(1, 21), value(2, 45), value(0.5, 70), value(3, 22)])
    await app.drain()
    const { items } = await app.api.ddr.executionHistory({ id: rule.id })
    expect(items.map(({ result, inputs }) => [result, inputs])).toEqual([
      ['not_met', { temperature: 22 }],
      ['fired', { temperature: 45 }],
    ])
    const { items: alarms } = await app.api.alarmLogs.list({ originId: twin.id })
    expect(alarms).toMatchObject([{ message: '45 °C', resolvedAt: expect.anything() }])
  })

  it('shows values in texts with the decimals that a state has by now', async () => {
    const { twin, temperature } = await kit.warmRule()
    const { items } = await app.api.digitaltwin.states({ id: twin.id })
    const state = items.find(({ id }) => id === temperature)
    if (state === undefined) throw new Error('the twin has no temperature')
    const { value: _, time: __, twinId: ___, position: ____, ...fields } = state
    await app.api.state.update({ ...fields, decimals: 1 })
    await kit.set(temperature, 45.678, minute(0))
    const { items: alarms } = await app.api.alarmLogs.list({ originId: twin.id })
    expect(alarms).toMatchObject([{ message: '45.7 °C' }])
  })

  it('stops when a metric has no value, unless it is told otherwise', async () => {
    const twin = await createTwin(app, account)
    const a = await createState(app, twin.id, 'a')
    const b = await createState(app, twin.id, 'b')
    const create = (title: string, abortIfNull: boolean) =>
      app.api.ddr.create({
        dtwinId: twin.id,
        title,
        metrics: [
          { alias: 'a', stateId: a },
          { alias: 'b', stateId: b, abortIfNull },
        ],
        conditions: {
          op: 'and',
          conditions: [
            { op: 'gt', left: { metric: 'a' }, right: { value: 0 } },
            { op: 'eq', left: { metric: 'b' }, right: { value: null } },
          ],
        },
        actions: [{ kind: 'alarm', severity: 'error', message: 'b is silent' }],
      })
    const aborts = await create('aborts', true)
    const asks = await create('asks', false)
    await kit.set(a, 1, minute(0))
    expect(await kit.history(aborts.id)).toEqual(['aborted'])
    expect(await kit.history(asks.id)).toEqual(['fired'])
    const { items } = await app.api.ddr.executionHistory({ id: aborts.id })
    expect(items[0]).toMatchObject({ error: 'no value for b', branch: null })
  })

  it('that fails does not stop the others', async () => {
    const { twin, temperature, rule } = await kit.warmRule(undefined, {
      transformer: 'throw new Error("broken")',
    })
    const other = await app.api.ddr.create({
      dtwinId: twin.id,
      title: 'Fahrenheit',
      metrics: [{ alias: 'f', stateId: temperature, transformer: 'return value * 1.8 + 32' }],
      conditions: { op: 'gt', left: { metric: 'f' }, right: { value: 86 } },
      actions: [{ kind: 'alarm', severity: 'error', message: '{{f}} °F' }],
    })
    await kit.set(temperature, 40, minute(0))
    expect(await kit.history(rule.id)).toEqual(['error'])
    expect((await app.api.ddr.executionHistory({ id: rule.id })).items[0]?.error).toContain('broken')
    expect((await app.api.ddr.executionHistory({ id: other.id })).items[0]).toMatchObject({
      result: 'fired',
      inputs: { f: 104 },
    })
    const { items } = await app.api.ddr.errornousExecutions({ accountIds: [account.id] })
    expect(items.map(({ ruleId }) => ruleId)).toContain(rule.id)
  })

  it('that this version cannot read does not stop the others, either', async () => {
    const broken = await kit.warmRule()
    const good = await kit.warmRule()
    await app.ctx.db
      .updateTable('rules')
      .set({ conditions: sql`'{"op":"xor"}'::jsonb` })
      .where('id', '=', broken.rule.id)
      .execute()
    await app.drain()
    await writeValues(app, [
      { stateId: broken.temperature, value: 40, time: minute(0) },
      { stateId: good.temperature, value: 40, time: minute(0) },
    ])
    await app.drain()
    expect(await kit.history(good.rule.id)).toEqual(['fired'])
    await app.ctx.db.deleteFrom('rules').where('id', '=', broken.rule.id).execute()
  })

  it('notes a state it could not set', async () => {
    const { temperature, fan, rule } = await kit.warmRule(({ fan }) => [
      { kind: 'set-state', stateId: fan, value: { metric: 'temperature' } },
    ])
    await kit.set(temperature, 40, minute(0))
    expect((await app.api.ddr.executionHistory({ id: rule.id })).items[0]?.actions).toEqual([
      { kind: 'set-state', ok: false, detail: expect.stringContaining('VALUE_WRONG_TYPE') },
    ])
    expect((await app.app.series.current(app.ctx.db, [fan])).size).toBe(0)
  })

  it('of a disabled twin rests, and an inactive one too', async () => {
    const { twin, temperature, rule } = await kit.warmRule()
    await app.ctx.db.updateTable('twins').set({ disabled: true }).where('id', '=', twin.id).execute()
    await app.drain()
    await kit.set(temperature, 40, minute(0))
    expect(await kit.history(rule.id)).toEqual([])
    await app.ctx.db.updateTable('twins').set({ disabled: false }).where('id', '=', twin.id).execute()
    await app.drain()
    await kit.set(temperature, 41, minute(1))
    expect(await kit.history(rule.id)).toEqual(['fired'])
    const { id, dtwinId: _, ...fields } = { ...rule, version: rule.version }
    await app.api.ddr.update({ ...fields, id, active: false })
    expect((await app.api.alarmLogs.list({ originId: twin.id })).unresolved).toBe(0)
    await kit.set(temperature, 42, minute(2))
    expect(await kit.history(rule.id)).toEqual(['fired'])
  })
})

describe('an event that comes again', () => {
  const at = new Date('2026-06-01T12:00:00.000Z')
  const later = (minutes: number) => new Date(at.getTime() + minutes * 60_000)

  it('doubles nothing', async () => {
    const { twin, temperature, fan, rule } = await kit.warmRule(({ fan }) => [
      { kind: 'email', recipients: ['twice@example.org'], subject: 'once', body: '' },
      { kind: 'set-state', stateId: fan, value: { value: true } },
      alarmAction,
    ])
    const events = [
      storedEvent(9_100_001, at, temperature, twin.id, 40),
      storedEvent(9_100_002, later(1), temperature, twin.id, 20),
      storedEvent(9_100_003, later(2), temperature, twin.id, 41),
    ]
    await app.app.rules.handle(events)
    await app.app.rules.handle(events)
    expect(await kit.history(rule.id)).toEqual(['fired', 'not_met', 'fired'])
    const alarms = await app.api.alarmLogs.list({ originId: twin.id })
    expect(alarms).toMatchObject({ total: 2, unresolved: 1 })
    const queued = await app.ctx.db
      .selectFrom('mails')
      .select('id')
      .where(sql`origin ->> 'ruleId'`, '=', String(rule.id))
      .execute()
    expect(queued).toHaveLength(2)
    const stored = await app.ctx.db
      .selectFrom('state_values')
      .select('time')
      .where('state_id', '=', fan)
      .execute()
    expect(stored.map(({ time }) => time)).toEqual([at, later(2)])
  })

  it('handles what was not handled before, even where the quiet ones left no record', async () => {
    const { twin, temperature, rule } = await kit.warmRule()
    const quiet = [
      storedEvent(9_200_001, at, temperature, twin.id, 40),
      storedEvent(9_200_002, later(1), temperature, twin.id, 1),
      storedEvent(9_200_003, later(2), temperature, twin.id, 2),
    ]
    await app.app.rules.handle(quiet)
    await app.app.rules.handle([...quiet, storedEvent(9_200_004, later(3), temperature, twin.id, 42)])
    expect(await kit.history(rule.id)).toEqual(['fired', 'not_met', 'fired'])
    expect(await app.api.alarmLogs.list({ originId: twin.id })).toMatchObject({ total: 2, unresolved: 1 })
  })

  it('sets a state and notes it at once, so that a failure between the two wakes nobody twice', async () => {
    const { temperature, fan } = await kit.warmRule(({ fan }) => [
      { kind: 'set-state', stateId: fan, value: { value: true } },
    ])
    const follower = await createTwin(app, account)
    const echo = await app.api.state.create({
      dtwinId: follower.id,
      key: 'fan',
      title: 'Fan',
      valueType: 'boolean',
      source: 'virtual-device-aggregate',
      sourceSettings: { stateIds: [fan], method: 'latest' },
    })
    const second = await app.api.ddr.create({
      dtwinId: follower.id,
      title: 'Fan runs',
      metrics: [{ alias: 'fan', stateId: echo.id }],
      conditions: { op: 'eq', left: { metric: 'fan' }, right: { value: true } },
      actions: [{ kind: 'alarm', severity: 'warning', message: 'It runs' }],
    })
    await app.ctx.pool.query(`
      create sequence note_attempts;
      create function fail_first_note() returns trigger language plpgsql as $$ begin
        if nextval('note_attempts') = 1 then raise 'the first note fails'; end if;
        return new;
      end $$;
      create trigger fail_first_note before update on rule_executions
        for each row when (old.actions is distinct from new.actions) execute function fail_first_note()`)
    try {
      await kit.set(temperature, 31, minute(0))
    } finally {
      await app.ctx.pool.query(`
        drop trigger fail_first_note on rule_executions; drop function fail_first_note; drop sequence note_attempts`)
    }
    expect((await app.app.series.current(app.ctx.db, [fan])).get(fan)?.value).toBe(true)
    expect(await kit.history(second.id)).toEqual(['fired'])
  })

  it('sets a state that a crash has left unset', async () => {
    const { twin, temperature, fan, rule } = await kit.warmRule(({ fan }) => [
      { kind: 'set-state', stateId: fan, value: { value: true } },
    ])
    const events = [storedEvent(9_300_001, at, temperature, twin.id, 40)]
    await app.app.rules.handle(events)
    // The state after a process dies between the commit and setting the state.
    await app.ctx.db.deleteFrom('state_values').where('state_id', '=', fan).execute()
    await app.ctx.db.deleteFrom('state_current').where('state_id', '=', fan).execute()
    const actions = [
      { kind: 'set-state', ok: false, detail: 'waiting', stateId: fan, value: true, pending: true },
    ]
    await sql`update rule_executions set actions = ${JSON.stringify(actions)}::jsonb where rule_id = ${rule.id}`.execute(
      app.ctx.db,
    )
    await app.app.rules.handle(events)
    expect((await app.app.series.current(app.ctx.db, [fan])).get(fan)).toEqual({ value: true, time: at })
    expect((await app.api.ddr.executionHistory({ id: rule.id })).items[0]?.actions).toEqual([
      { kind: 'set-state', ok: true, detail: 'true' },
    ])
  })
})

describe('the clean-up', () => {
  it('keeps the newest executions of every rule', async () => {
    const first = await kit.warmRule()
    const second = await kit.warmRule()
    await new MonthPartitions(app.ctx.db).prepare('rule_executions', [new Date()])
    await sql`insert into rule_executions (rule_id, twin_id, event_id, at, result, inputs, branch, duration_us)
      select ${first.rule.id}, ${first.rule.dtwinId}, 8000000 + n, now(), 'fired', '{}', '{}', 1 from generate_series(1, 1003) as n`.execute(
      app.ctx.db,
    )
    await kit.set(second.temperature, 40, minute(0))
    await app.ctx.jobs.send(app.ctx.db, 'rules.clean', {})
    await app.drain()
    const { total, items } = await app.api.ddr.executionHistory({ id: first.rule.id, limit: 1000 })
    expect(total).toBe(1000)
    const left = await app.ctx.db
      .selectFrom('rule_executions')
      .select(({ fn }) => fn.min('event_id').as('oldest'))
      .where('rule_id', '=', first.rule.id)
      .executeTakeFirstOrThrow()
    expect(left.oldest).toBe(8_000_004)
    expect(items).toHaveLength(1000)
    expect(await kit.history(second.rule.id)).toEqual(['fired'])
  })
})
