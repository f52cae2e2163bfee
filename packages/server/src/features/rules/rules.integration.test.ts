import type { RuleAction } from '@leitstand/contract/rules'
import { sql } from 'kysely'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
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
import { createState, createTwin, writeValues } from '../../../test/twins.ts'
import type { OutboxEvent } from '../../platform/events/index.ts'

let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
let mails: { to: string[]; subject: string; text: string }[]

/** A real mail server that keeps what it gets. */
async function startMailServer(): Promise<{ url: string; close(): Promise<void> }> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
          const to = session.envelope.rcptTo.map(({ address }) => address)
          mails.push({ to, subject: mail.subject ?? '', text: (mail.text ?? '').trim() })
          done()
        }, done)
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port')
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

beforeAll(async () => {
  mails = []
  const mailServer = await startMailServer()
  app = await startApp({ config: { smtpUrl: mailServer.url } })
  account = await createAccount(app, { name: 'City' })
  return () => mailServer.close()
})

/** A twin with a temperature and a switch, and a rule that watches the temperature. */
async function warmRule(
  actions: (ids: { temperature: number; fan: number }) => RuleAction[],
  fields: { throttleHours?: number; transformer?: string } = {},
) {
  const twin = await createTwin(app, account)
  const temperature = await createState(app, twin.id, 'temperature', { unit: '°C' })
  const fan = await createState(app, twin.id, 'fan', { valueType: 'boolean' })
  const rule = await app.api.ddr.create({
    dtwinId: twin.id,
    title: 'Too warm',
    metrics: [
      {
        alias: 'temperature',
        stateId: temperature,
        ...(fields.transformer ? { transformer: fields.transformer } : {}),
      },
    ],
    conditions: { op: 'gt', left: { metric: 'temperature' }, right: { value: 30 } },
    throttleHours: fields.throttleHours ?? 0,
    actions: actions({ temperature, fan }),
  })
  return { twin, temperature, fan, rule }
}

const alarm: RuleAction = { kind: 'alarm', severity: 'warning', message: '{{temperature}} °C' }

/** Times in the test's own past, a minute apart. */
const start = Date.now() - 3_600_000
const minute = (n: number) => new Date(start + n * 60_000)

async function set(stateId: number, value: number | boolean | string, time: Date) {
  await writeValues(app, [{ stateId, value, time }])
  await app.drain()
}

async function history(ruleId: number) {
  const { items } = await app.api.ddr.executionHistory({ id: ruleId })
  return items.map(({ result }) => result)
}

/** What a consumer of the outbox would get for one stored value. */
function event(id: number, at: Date, stateId: number, twinId: number, value: number): OutboxEvent {
  const payload = { values: [[stateId, twinId, at.getTime(), value, true]] }
  return { id, topic: 'values.stored', accountId: null, payload, at } as OutboxEvent
}

describe('a rule', () => {
  it('fires, sends a real mail, sets a state, raises an alarm and resolves it', async () => {
    const { twin, temperature, fan, rule } = await warmRule(({ fan }) => [
      {
        kind: 'email',
        recipients: ['care@example.org', 'night@example.org'],
        subject: '{{twin.title}}: {{temperature}} °C',
        body: '{{rule.title}} in {{twin.title}}',
      },
      { kind: 'set-state', stateId: fan, value: { value: true } },
      alarm,
    ])
    await set(temperature, 29, minute(0))
    expect(await history(rule.id)).toEqual(['not_met'])
    expect((await app.api.alarmLogs.list({ originId: twin.id })).total).toBe(0)

    await set(temperature, 31.5, minute(1))
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
    expect(mails).toEqual([
      {
        to: ['care@example.org', 'night@example.org'],
        subject: `${twin.title}: 31.5 °C`,
        text: `Too warm in ${twin.title}`,
      },
    ])
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

    await set(temperature, 20, minute(2))
    const resolved = await app.api.alarmLogs.list({ originId: twin.id })
    expect(resolved).toMatchObject({ total: 1, unresolved: 0 })
    expect(resolved.items[0]?.resolvedAt).not.toBeNull()
    expect(await app.api.ddr.get({ id: rule.id })).toMatchObject({ lastResult: 'not_met' })
    expect((await app.api.ddr.get({ id: rule.id })).lastFiredAt).not.toBeNull()
  })

  it('keeps one record of evaluations that did nothing, and all that did something', async () => {
    const { temperature, rule } = await warmRule(() => [alarm])
    for (const [index, value] of [1, 2, 40, 3, 41, 4, 5].entries())
      await set(temperature, value, minute(index))
    expect(await history(rule.id)).toEqual(['not_met', 'fired', 'fired'])
    const { items } = await app.api.ddr.executionHistory({ id: rule.id, results: ['not_met'] })
    expect(items[0]?.inputs).toEqual({ temperature: 5 })
  })

  it('stays silent while it is throttled', async () => {
    const { twin, temperature, rule } = await warmRule(() => [alarm], { throttleHours: 1 })
    const at = new Date('2026-06-01T10:00:00.000Z')
    const later = (minutes: number) => new Date(at.getTime() + minutes * 60_000)
    await app.app.rules.handle([
      event(9_000_001, at, temperature, twin.id, 40),
      event(9_000_002, later(30), temperature, twin.id, 41),
    ])
    await app.app.rules.handle([event(9_000_003, later(61), temperature, twin.id, 42)])
    expect(await history(rule.id)).toEqual(['fired', 'throttled', 'fired'])
  })

  it('is not woken by late data, but sees it in its history', async () => {
    const twin = await createTwin(app, account)
    const level = await createState(app, twin.id, 'level')
    const rule = await app.api.ddr.create({
      dtwinId: twin.id,
      title: 'Average',
      metrics: [{ alias: 'level', stateId: level, operation: 'avg', lastValues: 3 }],
      conditions: { op: 'gte', left: { metric: 'level' }, right: { value: 20 } },
      actions: [alarm].map((action) => ({ ...action, message: '{{level}}' })) as RuleAction[],
    })
    await set(level, 10, minute(5))
    const before = (await app.api.ddr.executionHistory({ id: rule.id })).items[0]
    await set(level, 40, minute(3))
    expect((await app.api.ddr.executionHistory({ id: rule.id })).items).toEqual([before])
    await set(level, 13, minute(6))
    const { items } = await app.api.ddr.executionHistory({ id: rule.id })
    expect(items[0]).toMatchObject({ result: 'fired', inputs: { level: 21 } })
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
    await set(a, 1, minute(0))
    expect(await history(aborts.id)).toEqual(['aborted'])
    expect(await history(asks.id)).toEqual(['fired'])
    const { items } = await app.api.ddr.executionHistory({ id: aborts.id })
    expect(items[0]).toMatchObject({ error: 'no value for b', branch: null })
  })

  it('that fails does not stop the others', async () => {
    const { twin, temperature, rule } = await warmRule(() => [alarm], {
      transformer: 'throw new Error("broken")',
    })
    const other = await app.api.ddr.create({
      dtwinId: twin.id,
      title: 'Fahrenheit',
      metrics: [{ alias: 'f', stateId: temperature, transformer: 'return value * 1.8 + 32' }],
      conditions: { op: 'gt', left: { metric: 'f' }, right: { value: 86 } },
      actions: [{ kind: 'alarm', severity: 'error', message: '{{f}} °F' }],
    })
    await set(temperature, 40, minute(0))
    expect(await history(rule.id)).toEqual(['error'])
    expect((await app.api.ddr.executionHistory({ id: rule.id })).items[0]?.error).toContain('broken')
    expect((await app.api.ddr.executionHistory({ id: other.id })).items[0]).toMatchObject({
      result: 'fired',
      inputs: { f: 104 },
    })
    const { items } = await app.api.ddr.errornousExecutions({ accountIds: [account.id] })
    expect(items.map(({ ruleId }) => ruleId)).toContain(rule.id)
  })

  it('notes a state it could not set', async () => {
    const { temperature, fan, rule } = await warmRule(({ fan }) => [
      { kind: 'set-state', stateId: fan, value: { metric: 'temperature' } },
    ])
    await set(temperature, 40, minute(0))
    expect((await app.api.ddr.executionHistory({ id: rule.id })).items[0]?.actions).toEqual([
      { kind: 'set-state', ok: false, detail: expect.stringContaining('VALUE_WRONG_TYPE') },
    ])
    expect((await app.app.series.current(app.ctx.db, [fan])).size).toBe(0)
  })

  it('of a disabled twin rests, and an inactive one too', async () => {
    const { twin, temperature, rule } = await warmRule(() => [alarm])
    await app.ctx.db.updateTable('twins').set({ disabled: true }).where('id', '=', twin.id).execute()
    await app.drain()
    await set(temperature, 40, minute(0))
    expect(await history(rule.id)).toEqual([])
    await app.ctx.db.updateTable('twins').set({ disabled: false }).where('id', '=', twin.id).execute()
    await app.drain()
    await set(temperature, 41, minute(1))
    expect(await history(rule.id)).toEqual(['fired'])
    const { id, dtwinId: _, ...fields } = { ...rule, version: rule.version }
    await app.api.ddr.update({ ...fields, id, active: false })
    expect((await app.api.alarmLogs.list({ originId: twin.id })).unresolved).toBe(0)
    await set(temperature, 42, minute(2))
    expect(await history(rule.id)).toEqual(['fired'])
  })
})

describe('an event that comes again', () => {
  const at = new Date('2026-06-01T12:00:00.000Z')
  const later = (minutes: number) => new Date(at.getTime() + minutes * 60_000)

  it('doubles nothing', async () => {
    const { twin, temperature, fan, rule } = await warmRule(({ fan }) => [
      { kind: 'email', recipients: ['twice@example.org'], subject: 'once', body: '' },
      { kind: 'set-state', stateId: fan, value: { value: true } },
      alarm,
    ])
    const events = [
      event(9_100_001, at, temperature, twin.id, 40),
      event(9_100_002, later(1), temperature, twin.id, 20),
      event(9_100_003, later(2), temperature, twin.id, 41),
    ]
    await app.app.rules.handle(events)
    await app.app.rules.handle(events)
    expect(await history(rule.id)).toEqual(['fired', 'not_met', 'fired'])
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
    const { twin, temperature, rule } = await warmRule(() => [alarm])
    const quiet = [
      event(9_200_001, at, temperature, twin.id, 40),
      event(9_200_002, later(1), temperature, twin.id, 1),
      event(9_200_003, later(2), temperature, twin.id, 2),
    ]
    await app.app.rules.handle(quiet)
    await app.app.rules.handle([...quiet, event(9_200_004, later(3), temperature, twin.id, 42)])
    expect(await history(rule.id)).toEqual(['fired', 'not_met', 'fired'])
    expect(await app.api.alarmLogs.list({ originId: twin.id })).toMatchObject({ total: 2, unresolved: 1 })
  })

  it('sets a state that a crash has left unset', async () => {
    const { twin, temperature, fan, rule } = await warmRule(({ fan }) => [
      { kind: 'set-state', stateId: fan, value: { value: true } },
    ])
    const events = [event(9_300_001, at, temperature, twin.id, 40)]
    await app.app.rules.handle(events)
    // As a process leaves it that dies after the commit and before the state is set.
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
    })
  })

  it('are refused with the reason', async () => {
    const { twin, temperature, rule } = await warmRule(() => [alarm])
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
    // free → temperature by a second rule, temperature → free by the draft: they would chase each other.
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
    const { twin, temperature, rule } = await warmRule(() => [alarm])
    await set(temperature, 40, minute(0))
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
      actions: [alarm],
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
    const { twin, rule } = await warmRule(() => [alarm])
    expect((await reader.api.ddr.get({ id: rule.id })).title).toBe('Too warm')
    expect(await errorOf(reader.api.ddr.delete({ id: rule.id }))).toMatchObject({ code: 'NO_PERMISSION' })
    const { id: _, version: __, ...fields } = { ...rule }
    const create = reader.api.ddr.create({ ...fields, dtwinId: twin.id, title: 'Mine' })
    expect(await errorOf(create)).toMatchObject({ code: 'NO_PERMISSION' })
  })
})

describe('a deleted rule', () => {
  it('leaves no alarm open, and says who deleted it', async () => {
    const { twin, temperature, rule } = await warmRule(() => [alarm])
    await set(temperature, 40, minute(0))
    await app.api.ddr.delete({ id: rule.id })
    const { items, unresolved } = await app.api.alarmLogs.list({ originId: twin.id })
    expect(unresolved).toBe(0)
    expect(items[0]).toMatchObject({ ruleId: null, ruleTitle: null })
    await set(temperature, 41, minute(1))
    const log = await app.api.activityLog.list({ subject: 'Rule', objectId: rule.id })
    expect(log.items.map(({ action }) => action)).toEqual(['delete', 'create'])
  })
})

describe('live', () => {
  it('tells executions of a rule and alarms to those who may see them', async () => {
    const { temperature, rule } = await warmRule(() => [alarm])
    const role = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'] }])
    const elsewhere = await createAccount(app)
    const stranger = await createUser(app, elsewhere, [{ roleId: role }])
    using mine = await openLive(app, app.token)
    using other = await openLive(app, stranger.token)
    await mine.follow(`rule:${rule.id}`)
    await mine.follow('alarms')
    expect(await other.follow(`rule:${rule.id}`)).toMatchObject([{ kind: 'refused', code: 'NO_PERMISSION' }])
    expect(await other.follow('alarms', 0)).toMatchObject([{ kind: 'subscribed' }])
    await set(temperature, 40, minute(0))
    await set(temperature, 20, minute(1))
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

describe('the clean-up', () => {
  it('keeps the newest executions of every rule', async () => {
    const first = await warmRule(() => [alarm])
    const second = await warmRule(() => [alarm])
    await sql`insert into rule_executions (rule_id, event_id, at, result, inputs, branch, duration_us)
      select ${first.rule.id}, 8000000 + n, now(), 'fired', '{}', '{}', 1 from generate_series(1, 1003) as n`.execute(
      app.ctx.db,
    )
    await set(second.temperature, 40, minute(0))
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
    expect(await history(second.rule.id)).toEqual(['fired'])
  })
})
