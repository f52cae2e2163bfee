import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDatabase } from '../../../test/kit.ts'
import { migrationsFolder } from '../../platform/db/location.ts'
import { migrate, readMigrations } from '../../platform/db/migrate.ts'

/** The migration that makes one rule of the copies on devices. */
const name = /_rules_of_templates\.sql$/
const rule = '00000000-0000-4000-8000-000000000001'
const other = '00000000-0000-4000-8000-000000000002'
let client: pg.Client

const metrics = (stateId: number) =>
  JSON.stringify([
    { alias: 't', stateId, operation: 'avg', lastMinutes: 5, abortIfNull: true },
    { alias: 'c', operation: 'clock' },
  ])
const actions = (stateId: number) =>
  JSON.stringify([
    { kind: 'set-state', stateId, value: { value: 1 } },
    { kind: 'start-rule', ruleId: 20 },
  ])

beforeAll(async () => {
  client = new pg.Client(await createDatabase({ migrated: false }))
  await client.connect()
  const all = readMigrations(migrationsFolder)
  await migrate(
    client,
    all.slice(
      0,
      all.findIndex((each) => name.test(each.name)),
    ),
  )
  // Three devices conform to a template, the third to an earlier publication; the fourth has left it.
  await client.query(`
    insert into accounts (id, parent_id, name) overriding system value values (1, null, 'Top');
    insert into scopes (id, account_id, name) overriding system value values (1, 1, 'Top');
    insert into drivers (id, account_id, scope_id, visibility, title) overriding system value
    values (1, 1, 1, 'everyone', 'Driver');
    insert into connectors (id, account_id, scope_id, name, kind, settings) overriding system value
    values (1, 1, 1, 'In', 'mqtt', '{}');
    insert into device_templates (id, account_id, scope_id, title, publication) overriding system value
    values (7, 1, 1, 'Template', 2);
    insert into twins (id, category, account_id, scope_id, title) overriding system value
    select n, 'virtualDevice', 1, 1, 'Device ' || n from generate_series(1, 4) as n;
    insert into virtual_devices (twin_id, connector_id, external_id, driver_id, template_id, template_publication)
    values (1, 1, 'a', 1, 7, 2), (2, 1, 'b', 1, 7, 2), (3, 1, 'c', 1, 7, 1), (4, 1, 'd', 1, null, null);
    insert into states (id, twin_id, key, title, source, value_type) overriding system value
    select t * 10 + s, t, 'key' || s, 'Title', 'none', 'number' from generate_series(1, 4) as t, generate_series(1, 2) as s;`)
  for (const [id, twinId, template, title] of [
    [10, 1, rule, 'Warm'],
    [11, 2, rule, 'Warm'],
    [12, 3, rule, 'Old'],
    [13, 4, rule, 'Left'],
    [20, 1, other, 'Daily'],
    [21, 2, other, 'Daily'],
    [30, 1, null, 'Own'],
  ] as const) {
    await client.query(
      `insert into rules (id, twin_id, account_id, title, metrics, conditions, actions, triggers, template_rule)
       overriding system value values ($1, $2, 1, $3, $4, '{"op": "and", "conditions": []}', $5, $6, $7)`,
      [
        id,
        twinId,
        title,
        metrics(twinId * 10 + 1),
        template === other
          ? '[{"kind": "resolve-alarm", "ruleId": null}]'
          : template === null
            ? '[{"kind": "start-rule", "ruleId": 11}]'
            : actions(twinId * 10 + 2),
        template === other
          ? '[{"kind": "daily", "hour": 8, "minute": 0, "days": [1]}, {"kind": "silence", "metric": "t", "minutes": 5}]'
          : template === null
            ? '[{"kind": "rule", "ruleId": 11}]'
            : '[{"kind": "values"}]',
        template,
      ],
    )
    await client.query('insert into rule_triggers (rule_id, state_id) select $1, $2 where $3', [
      id,
      twinId * 10 + 1,
      template === rule,
    ])
    await client.query(`insert into uses values ('rule', $1, 'state', $2, 'reads')`, [id, twinId * 10 + 1])
  }
  await client.query(`
    insert into rule_live (rule_id, twin_id, last_fired_at, last_result, memory)
    values (10, 1, '2026-01-01', 'fired', '{"a": 1}'), (11, 2, '2026-01-02', 'fired', '{"a": 2}'), (12, 3, '2026-01-03', 'fired', null);
    insert into rule_executions (rule_id, twin_id, event_id, at, result, inputs, branch, duration_us)
    values (10, 1, 1, '2026-01-01', 'fired', '{}', '{}', 1), (11, 2, 1, '2026-01-02', 'fired', '{}', '{}', 1), (11, 2, 2, '2026-02-02', 'not_met', '{}', '{}', 1);
    insert into alarms (id, account_id, twin_id, rule_id, severity, message, raised_at) overriding system value
    values (1, 1, 1, 10, 'error', 'One', '2026-01-01'), (2, 1, 2, 11, 'error', 'Two', '2026-01-02');
    insert into rule_escalations (alarm_id, rule_id, next_at) values (2, 11, '2026-01-02');
    insert into rule_days values (10, '2026-01-01', 3, 1, 0, 100), (11, '2026-01-01', 4, 2, 1, 200), (11, '2026-01-02', 1, 0, 0, 5);
    insert into rule_due (rule_id, twin_id, trigger, due_at, state_id, silence_ms, reported) values
      (20, 1, 0, '2026-01-05 08:00Z', null, null, null), (21, 2, 0, '2026-01-05 08:00Z', null, null, null),
      (20, 1, 1, '2026-01-04', 11, 300000, '2026-01-03'), (21, 2, 1, '2026-01-04', 21, 300000, null);
    insert into rule_watches (rule_id, twin_id, kind, object_id, below) values (30, 1, 'rule', 11, false);`)
  await migrate(client, all)
})
afterAll(() => client.end())

const rows = async (sql: string) => (await client.query<Record<string, unknown>>(sql)).rows

it('makes one rule of copies with the same content, for the devices that have them', async () => {
  const one = { template_id: 7, twin_id: null }
  expect(
    await rows(`
      select r.id, r.title, r.template_id, r.twin_id, r.template_rule,
        (select array_agg(twin_id order by twin_id) from rule_members m where m.rule_id = r.id) as members
      from rules r order by r.id`),
  ).toEqual([
    { id: 10, title: 'Warm', ...one, template_rule: rule, members: [1, 2] },
    { id: 12, title: 'Old', ...one, template_rule: rule, members: [3] },
    { id: 13, title: 'Left', template_id: null, twin_id: 4, template_rule: null, members: null },
    { id: 20, title: 'Daily', ...one, template_rule: other, members: [1, 2] },
    { id: 30, title: 'Own', template_id: null, twin_id: 1, template_rule: null, members: null },
  ])
  expect(await rows('select metrics, actions, many, version from rules where id = 10')).toEqual([
    {
      metrics: [
        {
          alias: 't',
          operation: 'related',
          of: 'own',
          stateKey: 'key1',
          over: 'avg',
          lastMinutes: 5,
          abortIfNull: true,
        },
        { alias: 'c', operation: 'clock' },
      ],
      actions: [
        { kind: 'set-state', stateKey: 'key2', value: { value: 1 } },
        { kind: 'start-rule', ruleId: 20 },
      ],
      many: { query: { templateIds: [7] }, except: [] },
      version: 3,
    },
  ])
})

it('keeps the states that wake it on each device, and what it waits for', async () => {
  expect(
    await rows('select rule_id, twin_id, alias, state_id, wakes from rule_inputs order by 1, 2'),
  ).toEqual([
    { rule_id: 10, twin_id: 1, alias: 't', state_id: 11, wakes: true },
    { rule_id: 10, twin_id: 2, alias: 't', state_id: 21, wakes: true },
    { rule_id: 12, twin_id: 3, alias: 't', state_id: 31, wakes: true },
    { rule_id: 20, twin_id: 1, alias: 't', state_id: 11, wakes: false },
    { rule_id: 20, twin_id: 2, alias: 't', state_id: 21, wakes: false },
  ])
  expect(await rows('select rule_id from rule_triggers')).toEqual([{ rule_id: 13 }])
  expect(await rows('select user_id from uses order by 1')).toEqual([{ user_id: 13 }, { user_id: 30 }])
  expect(
    await rows(
      'select rule_id, twin_id, trigger, reported is not null as reported from rule_due order by 3, 2',
    ),
  ).toEqual([
    { rule_id: 20, twin_id: null, trigger: 0, reported: false },
    { rule_id: 20, twin_id: 1, trigger: 1, reported: true },
    { rule_id: 20, twin_id: 2, trigger: 1, reported: false },
  ])
})

it('keeps what it remembers and did on each device', async () => {
  const places = [
    { rule_id: 10, twin_id: 1 },
    { rule_id: 10, twin_id: 2 },
  ]
  expect(await rows('select rule_id, twin_id from rule_executions order by 2')).toEqual(places)
  expect(await rows('select rule_id, twin_id from rule_executions_2026_01 order by 2')).toEqual(places)
  expect(await rows('select rule_id, twin_id, result from rule_quiet')).toEqual([
    { rule_id: 10, twin_id: 2, result: 'not_met' },
  ])
  expect(await rows('select event_id::int from rule_history order by id')).toEqual(
    [1, 1, 2].map((event_id) => ({ event_id })),
  )
  expect(await rows('select rule_id, twin_id from alarms order by 2')).toEqual(places)
  expect(await rows('select rule_id, twin_id, memory, last_event_id::int from rule_live order by 2')).toEqual(
    [
      { rule_id: 10, twin_id: 1, memory: { a: 1 }, last_event_id: 1 },
      { rule_id: 10, twin_id: 2, memory: { a: 2 }, last_event_id: 2 },
      { rule_id: 12, twin_id: 3, memory: null, last_event_id: null },
    ],
  )
  expect(await rows('select rule_id, alarm_id from rule_escalations')).toEqual([
    { rule_id: 10, alarm_id: '2' },
  ])
  expect(
    await rows('select rule_id, evaluations, fired, errors, duration_us from rule_days order by day'),
  ).toEqual([
    { rule_id: 10, evaluations: 7, fired: 3, errors: 1, duration_us: '300' },
    { rule_id: 10, evaluations: 1, fired: 0, errors: 0, duration_us: '5' },
  ])
})

it('names it where other rules named a copy', async () => {
  expect(await rows('select actions, triggers from rules where id = 30')).toEqual([
    { actions: [{ kind: 'start-rule', ruleId: 10 }], triggers: [{ kind: 'rule', ruleId: 10 }] },
  ])
  expect(await rows('select rule_id, object_id from rule_watches')).toEqual([{ rule_id: 30, object_id: 10 }])
})
