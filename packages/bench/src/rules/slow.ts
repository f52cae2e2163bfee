import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Options } from '../arguments.ts'
import type { Api } from '../client.ts'
import { followUp } from '../database.ts'
import { createAccount } from '../fleet.ts'
import { LiveReaders } from '../load/liveReader.ts'
import type { Platform } from '../platform.ts'
import { cell, rounded, table } from '../report/table.ts'
import type { Say } from '../subjects/report.ts'
import type { Part } from './part.ts'

/** Rooms of the slow rule. */
const slowRooms = 12
/** Values of a room that the slow rule takes the median of, each time: too many to be kept in memory. */
const windowValues = 48_000
const windowMinutes = 40 * 1_440
/** Time between two values of each room. */
const everyMs = 100
const patienceMs = 10_000

const slowNames = Array.from({ length: slowRooms }, (_, index) => `slow ${index}`)

interface Made {
  key: string
  slowRule: number
  quickTwin: number
}

interface Measured {
  name: string
  sent: number
  delaysMs: readonly number[]
  behindMs: number | null
}

/**
 * A rule for several rooms that reads a month of values each time, beside one of the same account that only looks at its value:
 * how long the quick one takes from a value that is sent to a state that it sets.
 */
export async function slowRule(
  tools: { options: Options; platform: Platform; database: pg.Client; api: Api; say: Say },
  signal: AbortSignal,
): Promise<Part> {
  const { options, platform, database, api, say } = tools
  say(`making a rule over ${windowValues} values and a quick one`)
  const made = await make(api, database)
  const url = `${platform.url}/api/hooks/${made.key}`
  const sentAt = new Map<number, number>()
  const delays = new Map<number, number>()
  await using _readers = await LiveReaders.open(platform.url, platform.token, [made.quickTwin], (values) => {
    for (const { key, value } of values) {
      if (key !== 'echo') continue
      // Of several values of one moment, the newest is sent.
      for (let each = value as number; sentAt.has(each) && !delays.has(each); each--)
        delays.set(each, performance.now() - (sentAt.get(each) as number))
    }
  })
  let sequence = 0
  const measure = async (name: string): Promise<Measured> => {
    say(`${name}: ${options.seconds} s`)
    const first = sequence + 1
    const start = performance.now()
    const running: Promise<void>[] = []
    for (let turn = 0; turn * everyMs < options.seconds * 1_000; turn++) {
      const dueMs = start + turn * everyMs
      if (performance.now() < dueMs) await delay(dueMs - performance.now(), undefined, { signal })
      sequence++
      sentAt.set(sequence, performance.now())
      running.push(
        send(url, { ...Object.fromEntries(slowNames.map((name) => [name, turn % 80])), quick: sequence }),
      )
    }
    await Promise.all(running)
    const behindMs = await followUp(database, signal)
    const giveUpMs = performance.now() + patienceMs
    while (!delays.has(sequence) && performance.now() < giveUpMs) await delay(everyMs, undefined, { signal })
    const last = sequence
    const seen = [...delays].filter(([each]) => each >= first && each <= last).map(([, ms]) => ms)
    return { name, sent: last - first + 1, delaysMs: seen.toSorted((a, b) => a - b), behindMs }
  }
  await measure('warming up')
  const without = await measure('the quick rule alone')
  const { version, ...rule } = await api.ddr.get({ id: made.slowRule })
  await api.ddr.update({ ...rule, id: made.slowRule, version, active: true })
  const beside = await measure('beside the slow rule')
  return report([without, beside], await evaluationsOf(database, made.slowRule))
}

async function evaluationsOf(database: pg.Client, ruleId: number) {
  const { rows } = await database.query<{ count: number; meanMs: number | null }>(
    `select count(*)::int as count, (avg(duration_us) / 1000)::float8 as "meanMs" from rule_executions where rule_id = $1`,
    [ruleId],
  )
  return rows[0] ?? { count: 0, meanMs: null }
}

async function make(api: Api, database: pg.Client): Promise<Made> {
  const { id: accountId } = await createAccount(api)
  const { key } = await api.bridge.create({ accountId, kind: 'webhook-in', name: 'Rooms', settings: {} })
  if (key === null) throw new Error('a new webhook has a key')
  const room = async (name: string) => {
    const { id } = await api.digitaltwin.create({
      title: name,
      accountId,
      type: name === 'quick' ? 'building' : 'room',
      referenceIds: [{ name: 'room', value: name }],
    })
    const { id: stateId } = await api.state.create({
      dtwinId: id,
      key: 'level',
      title: 'Level',
      source: 'datarouting',
    })
    return { id, stateId }
  }
  const quick = await room('quick')
  const echo = await api.state.create({ dtwinId: quick.id, key: 'echo', title: 'Echo', source: 'none' })
  const always = { op: 'gte' as const, left: { metric: 'level' }, right: { value: 0 } }
  await api.ddr.create({
    dtwinId: quick.id,
    title: 'Quick',
    metrics: [{ alias: 'level', stateId: quick.stateId }],
    conditions: always,
    actions: [{ kind: 'set-state', stateId: echo.id, value: { metric: 'level' } }],
  })
  const slow = await Promise.all(slowNames.map(room))
  const { id: slowRule } = await api.ddr.create({
    dtwinId: (slow[0] as (typeof slow)[number]).id,
    title: 'Slow',
    metrics: [
      {
        alias: 'level',
        operation: 'related',
        of: 'own',
        stateKey: 'level',
        over: 'median',
        lastMinutes: windowMinutes,
      },
    ],
    conditions: always,
    actions: [{ kind: 'alarm', severity: 'warning', message: '{{level}}' }],
    many: { query: { types: ['room'] }, except: [] },
    active: false,
  })
  await fill(
    database,
    slow.map(({ stateId }) => stateId),
  )
  return { key, slowRule, quickTwin: quick.id }
}

async function fill(database: pg.Client, stateIds: readonly number[]): Promise<void> {
  for (const days of [34, 0])
    await database.query(
      `select ensure_month_partition('state_values', date_trunc('month', now() - $1 * interval '1 day')::date)`,
      [days],
    )
  await database.query(
    `insert into state_values (state_id, time, num)
    select id, now() - n * interval '1 minute', n % 80 from unnest($1::int[]) as id, generate_series(1, $2::int) as n`,
    [stateIds, windowValues],
  )
  await database.query('vacuum analyze state_values')
}

async function send(url: string, values: Record<string, number>): Promise<void> {
  const packets = Object.entries(values).map(([room, value]) => ({
    routing: { room },
    variable: 'level',
    data: { value },
  }))
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(packets) })
  if (!reply.ok) throw new Error(`the webhook answered ${reply.status}: ${await reply.text()}`)
}

function report(phases: readonly Measured[], slow: { count: number; meanMs: number | null }): Part {
  const shown = phases.map(({ name, sent, delaysMs, behindMs }) => {
    const at = (share: number) => rounded(delaysMs[Math.floor((delaysMs.length - 1) * share)] ?? null)
    return { name, sent, seen: delaysMs.length, p50Ms: at(0.5), p99Ms: at(0.99), behindMs: rounded(behindMs) }
  })
  return {
    json: { part: 'slow', windowValues, phases: shown, slow },
    lines: [
      ...table([
        ['the quick rule', 'values', 'p50 ms', 'p99 ms', 'behind ms'],
        ...shown.map((each) => [
          each.name,
          cell(each.seen),
          cell(each.p50Ms),
          cell(each.p99Ms),
          cell(each.behindMs),
        ]),
      ]),
      '',
      `${slow.count} evaluations of the slow rule, ${cell(rounded(slow.meanMs))} ms each`,
    ],
    isClean: slow.count > 0 && shown.every(({ sent, seen }) => seen === sent),
  }
}
