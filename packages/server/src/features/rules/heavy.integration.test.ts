import { beforeAll, describe, expect, test } from 'vitest'
import { createAccount, startApp, type TestApp } from '../../../test/kit.ts'
import { minute, ruleKit } from '../../../test/rules.ts'
import { writeValues } from '../../../test/twins.ts'
import { HeavyRules } from './heavy.ts'
import { readCells } from './metrics/read.ts'
import type { Wake } from './wakes.ts'

let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
let kit: ReturnType<typeof ruleKit>

beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app, { name: 'City' })
  kit = ruleKit(app, account)
  // Handled events are deleted.
  await app.ctx.pool.query(`
    create table deferred_seen (payload jsonb);
    create function note_deferred() returns trigger language plpgsql as $$ begin
      insert into deferred_seen values (new.payload);
      return new;
    end $$;
    create trigger note_deferred before insert on outbox for each row when (new.topic = 'rule.deferred')
      execute function note_deferred()`)
})

/** A transformer that keeps a processor busy for as long. */
const busy = (ms: number) => `const end = Date.now() + ${ms}; while (Date.now() < end); return value`

const waiting = () => app.ctx.db.selectFrom('rule_deferred').select('rule_id').execute()
/** Evaluations that went into the queue. */
const deferred = async () => {
  const { rows } = await app.ctx.pool.query<{ count: number }>(
    "select coalesce(sum(jsonb_array_length(payload -> 'wakes')), 0)::int as count from deferred_seen",
  )
  return rows[0]?.count ?? 0
}
const historyOf = async (id: number) =>
  (await app.api.ddr.executionHistory({ id, limit: 100 })).items
    .filter(({ result }) => result === 'fired')
    .map(({ at, inputs }) => [at, inputs])
    .toReversed()

describe('a rule with slow scripts', () => {
  test('waits in a queue of its own and gives the same answers in the same order', async () => {
    const { twin, temperature, rule: slow } = await kit.warmRule(undefined, { transformer: busy(30) })
    const quick = await app.api.ddr.create({
      dtwinId: twin.id,
      title: 'Warmest of three',
      metrics: [
        { alias: 'temperature', stateId: temperature },
        { alias: 'warmest', stateId: temperature, lastValues: 3, operation: 'max' },
      ],
      conditions: { op: 'gt', left: { metric: 'temperature' }, right: { value: 30 } },
      actions: [{ kind: 'alarm', severity: 'warning', message: '{{temperature}}' }],
    })
    const { id, version, metrics } = await app.api.ddr.get({ id: slow.id })
    await app.api.ddr.update({
      ...slow,
      id,
      version,
      metrics: [...metrics, { alias: 'warmest', stateId: temperature, lastValues: 3, operation: 'max' }],
    })
    await kit.set(temperature, 20, minute(-30))
    const before = await deferred()
    const values = Array.from({ length: 20 }, (_, index) => 25 + ((index * 7) % 11))
    await writeValues(
      app,
      values.map((value, index) => ({ stateId: temperature, value, time: minute(index) })),
    )
    await app.drain()
    expect((await deferred()) - before).toBe(values.length)
    const [ofSlow, ofQuick] = [await historyOf(slow.id), await historyOf(quick.id)]
    expect(ofSlow.map(([, inputs]) => (inputs as { temperature: number }).temperature)).toEqual(
      values.filter((value) => value > 30),
    )
    expect(ofSlow).toEqual(ofQuick)
    expect(await waiting()).toEqual([])
  })

  test('comes back when its scripts are quick again', async () => {
    const { temperature, rule } = await kit.warmRule(undefined, { transformer: busy(60) })
    await kit.set(temperature, 20, minute(-30))
    const before = await deferred()
    const set = async (count: number, from: number) => {
      await writeValues(
        app,
        Array.from({ length: count }, (_, index) => ({
          stateId: temperature,
          value: 10,
          time: minute(from + index / 10),
        })),
      )
      await app.drain()
    }
    await set(10, 1)
    expect((await deferred()) - before).toBe(10)
    const { version } = await app.api.ddr.get({ id: rule.id })
    await app.api.ddr.update({ ...rule, version, metrics: [{ alias: 'temperature', stateId: temperature }] })
    // What it is expected to take falls with each call.
    for (let round = 0; round < 15; round++) await set(2, 10 + round)
    const after = await deferred()
    await set(10, 40)
    expect(await deferred()).toBe(after)
  })

  test('goes on behind what waited when the server started', async () => {
    const { twin, temperature, rule } = await kit.warmRule()
    await app.ctx.db.insertInto('rule_deferred').values({ rule_id: rule.id }).execute()
    const reading = {
      accountId: account.id,
      version: rule.version,
      read: new Map([['temperature', { value: 40, error: null }]]),
    }
    const started = new HeavyRules(app.ctx, {
      run: async () => undefined,
      read: async (wakes) => new Map(wakes.map((each) => [each, reading])),
    })
    const wake: Wake = {
      ruleId: rule.id,
      twinId: twin.id,
      eventId: 9_900_001,
      at: minute(1),
      until: minute(1),
      values: new Map([[temperature, 40]]),
      cause: null,
      depth: 0,
    }
    expect(await started.sift([wake])).toEqual([])
    await app.drain()
    expect(await historyOf(rule.id)).toEqual([[minute(1).toISOString(), { temperature: 40 }]])
  })

  test('that was deleted leaves nothing in the queue', async () => {
    const { twin, temperature, rule } = await kit.warmRule(undefined, { transformer: busy(60) })
    const heavy = new HeavyRules(app.ctx, { run: async () => undefined, read: async () => new Map() })
    heavy.measured([{ ruleId: rule.id, readingUs: 0, scriptsUs: 60_000 }])
    await app.ctx.db.deleteFrom('rules').where('id', '=', rule.id).execute()
    const wakes = Array.from(
      { length: 10 },
      (_, index): Wake => ({
        ruleId: rule.id,
        twinId: twin.id,
        eventId: 9_910_001 + index,
        at: minute(1),
        until: minute(1),
        values: new Map([[temperature, 40]]),
        cause: null,
        depth: 0,
      }),
    )
    expect(await heavy.sift(wakes)).toEqual([])
    await app.drain()
    expect((await waiting()).map(({ rule_id }) => rule_id)).not.toContain(rule.id)
  })
})

describe('a rule that takes long to read', () => {
  test('reads when its turn in the queue comes, as it was at the moment that woke it', async () => {
    const { twin, temperature, rule } = await kit.warmRule()
    const { version, metrics } = await app.api.ddr.get({ id: rule.id })
    await app.api.ddr.update({
      ...rule,
      version,
      metrics: [...metrics, { alias: 'middle', stateId: temperature, lastMinutes: 15, operation: 'median' }],
    })
    const values = [31, 35, 33, 39]
    await app.ctx.db.updateTable('rules').set({ active: false }).where('id', '=', rule.id).execute()
    await writeValues(
      app,
      values.map((value, index) => ({ stateId: temperature, value, time: minute(index) })),
    )
    await app.drain()
    await app.ctx.db.updateTable('rules').set({ active: true }).where('id', '=', rule.id).execute()
    const heavy = new HeavyRules(app.ctx, {
      run: async () => undefined,
      read: async (wakes) => {
        expect(wakes).toEqual([])
        // Meanwhile another evaluation turns out to be quick.
        for (let times = 0; times < 20; times++) heavy.measured([quick])
        return new Map()
      },
    })
    const quick = { ruleId: rule.id, readingUs: 0, scriptsUs: 0 }
    const slow = { ...quick, readingUs: 30_000 }
    const becomeSlow = () => {
      for (let times = 0; times < 20; times++) heavy.measured([slow])
    }
    const wakeAt = (index: number): Wake => ({
      ruleId: rule.id,
      twinId: twin.id,
      eventId: 9_920_001 + index,
      at: minute(index),
      until: minute(index),
      values: new Map([[temperature, values[index] as number]]),
      cause: null,
      depth: 0,
    })
    heavy.measured([slow])
    expect(await heavy.sift([wakeAt(0)])).toEqual([wakeAt(0)])
    becomeSlow()
    expect(await heavy.sift([wakeAt(1), wakeAt(2)])).toEqual([])
    becomeSlow()
    // Something waits, so that even a single evaluation has to.
    expect(await heavy.sift([wakeAt(3)])).toEqual([])
    await app.drain()
    expect(await historyOf(rule.id)).toEqual([
      [minute(1).toISOString(), { temperature: 35, middle: 33 }],
      [minute(2).toISOString(), { temperature: 33, middle: 33 }],
      [minute(3).toISOString(), { temperature: 39, middle: 34 }],
    ])
  })

  test('is told how long reading took, and not when the window is in memory', async () => {
    const { temperature, rule } = await kit.warmRule(undefined, { lastMinutes: 15, operation: 'median' })
    const { metrics } = await app.api.ddr.get({ id: rule.id })
    await kit.set(temperature, 20, new Date(Date.now() - 2_000))
    await kit.set(temperature, 21, new Date(Date.now() - 1_000))
    const { series, rules } = app.app
    const until = new Date()
    const readingOf = async (isInTurn: boolean) => {
      let tookUs = 0
      await readCells(
        {
          db: app.ctx.db,
          series,
          windows: rules.windows,
          spent: (_request, on, durationUs) => {
            if (on === 'reading') tookUs += durationUs
          },
        },
        [
          {
            rule: { id: `rule:${rule.id}`, accountId: account.id, twinId: rule.dtwinId, metrics },
            until,
            values: new Map([[temperature, 21]]),
            isInTurn,
          },
        ],
      )
      return tookUs
    }
    expect(await readingOf(false)).toBeGreaterThan(0)
    expect(await readingOf(true)).toBe(0)
  })
})
