import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { fuzzing } from '../../../test/fuzz.ts'
import {
  createAccount,
  createRole,
  createUser,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { createState, createTwin } from '../../../test/pipeline.ts'
import { type SeriesValue, writeValues } from '../../../test/rollups.ts'
import { numbersOf, reduceNumbers } from '../series/index.ts'
import { reportingLimits } from './plan.ts'

const clock = new FakeClock('2026-05-04T12:00:00.000Z')
const path = '/xapi/v1/influxdb/query'
const minuteMs = 60_000
const hourMs = 60 * minuteMs
let app: TestApp

beforeAll(async () => {
  app = await startApp({ clock })
})

interface Answer {
  results: {
    statement_id: number
    error?: string
    series?: {
      name: string
      tags?: Record<string, string>
      columns: string[]
      values: (number | string | null)[][]
    }[]
  }[]
}

/** Queries like Grafana: a form by POST, with the parameters it always sends. */
async function ask(headers: Record<string, string>, q: string, epoch = 'ms'): Promise<Answer> {
  const body = new URLSearchParams({ db: 'leitstand', epoch, q })
  const response = await fetch(`${app.url}${path}`, { method: 'POST', headers, body })
  expect(response.status).toBe(200)
  return (await response.json()) as Answer
}

async function refusal(headers: Record<string, string>, q = 'SHOW DATABASES') {
  const response = await fetch(`${app.url}${path}?${new URLSearchParams({ q })}`, { headers })
  const { code, error } = (await response.json()) as { code: string; error: string }
  return { status: response.status, code, error }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function activate(account: { id: number; name: string }) {
  await app.api.tenant.activateIntegration({ id: account.id, integration: 'timeSeries', name: account.name })
}

/** An account with the integration, a user who reads there, and a twin with two states that have values. */
async function place(options: { active?: boolean; parent?: { id: number; scopeId: number } } = {}) {
  const account = await createAccount(app, options.parent ? { parent: options.parent } : {})
  if (options.active ?? true) await activate(account)
  const reader = await createUser(app, account, [{ roleId: await roleNamed(app, 'InfluxDBRead') }])
  const twin = await createTwin(app, { accountId: account.id, scopeId: account.scopeId })
  const temperature = await createState(app, twin, { key: 'temperature' })
  const door = await createState(app, twin, { key: 'door', valueType: 'text' })
  const at = (minutes: number) => new Date(Date.parse('2026-05-04T10:00:00Z') + minutes * minuteMs)
  await writeValues(app, [
    ...[10, 20, 60].map((value, index) => ({ stateId: temperature, value, time: at(index * 45) })),
    { stateId: door, value: 'open', time: at(5) },
    { stateId: door, value: 'closed', time: at(70) },
  ])
  return { account, reader, twin, temperature, door, as: bearer(reader.token) }
}

describe('who may ask', () => {
  it('only callers with InfluxDB.read where the integration is active', async () => {
    const { account, as } = await place({ active: false })
    expect(await refusal({})).toMatchObject({ status: 401, code: 'AUTH_TOKEN_NOT_FOUND' })
    expect(await refusal(as)).toMatchObject({
      status: 403,
      code: 'INFLUX_NOT_ACTIVATED',
      error: 'Influx integration not activated, activate it please',
    })
    await activate(account)
    expect((await ask(as, 'SHOW DATABASES')).results).toEqual([
      { statement_id: 0, series: [{ name: 'databases', columns: ['name'], values: [['leitstand']] }] },
    ])
    const roleId = await createRole(app, [{ subject: 'DigitalTwin', actions: ['read', 'list'] }])
    const other = await createUser(app, account, [{ roleId }])
    expect(await refusal(bearer(other.token))).toMatchObject({ status: 403, code: 'NO_PERMISSION' })
  })

  it('finds states of the own account and below, where the integration holds', async () => {
    const mine = await place()
    const below = await place({ active: false, parent: mine.account })
    const theirs = await place()
    const inactive = await place({ active: false })
    const ids = async (headers: Record<string, string>) => {
      const { results } = await ask(headers, 'SHOW TAG VALUES WITH KEY = "dtwin_id"')
      return (results[0]?.series?.[0]?.values ?? []).map(([, id]) => Number(id))
    }
    const inOrder = (all: number[]) => all.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))
    expect(await ids(mine.as)).toEqual(inOrder([mine.twin, below.twin]))
    expect(await ids(theirs.as)).toEqual([theirs.twin])
    const admin = await ids(bearer(app.token))
    expect(admin).toEqual(expect.arrayContaining([mine.twin, theirs.twin]))
    expect(admin).not.toContain(inactive.twin)
    // Naming it does not help.
    const named = `SELECT value_number FROM states_history WHERE dtwin_id = '${theirs.twin}' OR dtwin_id != ''`
    expect(
      (await ask(mine.as, `${named} GROUP BY dtwin_id`)).results[0]?.series?.map(({ tags }) => tags),
    ).toEqual(inOrder([mine.twin, below.twin]).map((id) => ({ dtwin_id: String(id) })))
  })

  it('programs by their key, wherever clients of the protocol put it', async () => {
    const { account } = await place()
    const key = await app.api.apikey.create({
      title: 'Grafana',
      scopeId: account.scopeId,
      roleId: await roleNamed(app, 'InfluxDBRead'),
      callsPerMinute: 4,
      validFrom: null,
      validUntil: null,
    })
    const basic = Buffer.from(`grafana:${key.token}`).toString('base64')
    for (const headers of [
      { 'x-api-key': key.token },
      { authorization: `Token ${key.token}` },
      { authorization: `Basic ${basic}` },
    ])
      expect((await ask(headers, 'SHOW MEASUREMENTS')).results[0]?.series?.[0]?.values).toEqual([
        ['states_history'],
      ])
    // A session cookie does not replace an unknown key.
    const cookie = `leitstand_session=${app.token}`
    expect(await refusal({ cookie, authorization: 'Token lsk_nobody' })).toMatchObject({ status: 401 })
    const last = await fetch(`${app.url}${path}?q=SHOW+DATABASES`, { headers: { 'x-api-key': key.token } })
    expect([last.status, last.headers.get('x-ratelimit-remaining')]).toEqual([200, '0'])
    expect(await refusal({ 'x-api-key': key.token })).toMatchObject({
      status: 429,
      code: 'API_LIMIT_REACHED',
    })
  })
})

describe('what is answered', () => {
  const range = `time >= '2026-05-04T10:00:00Z' AND time < '2026-05-04T12:00:00Z'`
  const from = 'FROM "states_history" WHERE'
  const ms = (time: string) => Date.parse(`2026-05-04T${time}:00Z`)

  it('values as they are, by state, newest first, with their tags', async () => {
    const { as, twin } = await place()
    const { results } = await ask(
      as,
      `SELECT value_number, "state_identifier"::tag ${from} ${range} AND state_identifier = 'temperature' ORDER BY time DESC LIMIT 2; SELECT * ${from} ${range} AND state_identifier =~ /^(door)$/ LIMIT 1 OFFSET 1`,
    )
    const title = (await app.api.digitaltwin.get({ id: twin })).title
    expect(results).toEqual([
      {
        statement_id: 0,
        series: [
          {
            name: 'states_history',
            columns: ['time', 'value_number', 'state_identifier'],
            values: [
              [ms('11:30'), 60, 'temperature'],
              [ms('10:45'), 20, 'temperature'],
            ],
          },
        ],
      },
      {
        statement_id: 1,
        series: [
          {
            name: 'states_history',
            columns: ['time', 'dtwin_id', 'dtwin_title', 'state_identifier', 'value_number', 'value_string'],
            values: [[ms('11:10'), String(twin), title, 'door', null, 'closed']],
          },
        ],
      },
    ])
  })

  it('functions by interval and tag, with gaps filled as wished', async () => {
    const { as } = await place()
    const filled = async (fill: string) => {
      const q = `SELECT last(value_number) ${from} ${range} AND state_identifier = 'temperature' GROUP BY time(30m)${fill}`
      return (await ask(as, q)).results[0]?.series?.[0]?.values.map(([, value]) => value)
    }
    expect(await filled('')).toEqual([10, 20, null, 60])
    expect(await filled(' fill(null)')).toEqual([10, 20, null, 60])
    expect(await filled(' fill(none)')).toEqual([10, 20, 60])
    expect(await filled(' fill(previous)')).toEqual([10, 20, 20, 60])
    expect(await filled(' fill(0)')).toEqual([10, 20, 0, 60])
    const { results } = await ask(
      as,
      `SELECT count(value_string), first(value_string) AS begin, mean(value_number) ${from} ${range} GROUP BY time(1h), state_identifier ORDER BY time DESC`,
      's',
    )
    expect(results[0]?.series).toEqual([
      {
        name: 'states_history',
        tags: { state_identifier: 'door' },
        columns: ['time', 'count', 'begin', 'mean'],
        values: [
          [ms('11:00') / 1000, 1, 'closed', null],
          [ms('10:00') / 1000, 1, 'open', null],
        ],
      },
      {
        name: 'states_history',
        tags: { state_identifier: 'temperature' },
        columns: ['time', 'count', 'begin', 'mean'],
        values: [
          [ms('11:00') / 1000, 0, null, 60],
          [ms('10:00') / 1000, 0, null, 15],
        ],
      },
    ])
  })

  it('one row without intervals: the last value at its own time', async () => {
    const { as } = await place()
    const of = async (columns: string, where = range) =>
      (await ask(as, `SELECT ${columns} ${from} ${where}`)).results[0]?.series?.[0]?.values
    expect(await of('last(value_number)')).toEqual([[ms('11:30'), 60]])
    expect(await of('first(value_string)')).toEqual([[ms('10:05'), 'open']])
    expect(await of('mean(value_number), median(value_number), max(value_number)')).toEqual([
      [ms('10:00'), 30, 20, 60],
    ])
    expect(await of('sum(value_number)', "dtwin_id != ''")).toEqual([[0, 90]])
    expect(await of('sum(value_number)', 'time > now()')).toBeUndefined()
  })

  it('times as the client wants them', async () => {
    const { as } = await place()
    const q = `SELECT value_number ${from} ${range} AND state_identifier = 'temperature' LIMIT 1`
    const response = await fetch(`${app.url}/api${path}?${new URLSearchParams({ q })}`, { headers: as })
    expect(await response.text()).toContain('["2026-05-04T10:00:00Z",10]')
    const exact = await fetch(`${app.url}${path}?${new URLSearchParams({ q, epoch: 'ns' })}`, { headers: as })
    expect(await exact.text()).toContain('[1777888800000000000,10]')
  })

  it('what there is to ask for', async () => {
    const { as } = await place()
    const { results } = await ask(
      as,
      'SHOW TAG KEYS FROM states_history; SHOW FIELD KEYS; SHOW RETENTION POLICIES ON leitstand; SHOW TAG VALUES FROM states_history WITH KEY = "state_identifier"; SHOW TAG VALUES WITH KEY = host; SELECT value_number FROM cpu',
    )
    expect(results.map(({ series }) => series?.[0]?.values)).toEqual([
      [['dtwin_id'], ['dtwin_title'], ['state_identifier']],
      [
        ['value_number', 'float'],
        ['value_string', 'string'],
      ],
      [['autogen', '0s', '168h0m0s', 1, true]],
      [
        ['state_identifier', 'door'],
        ['state_identifier', 'temperature'],
      ],
      ...[undefined, undefined],
    ])
  })

  it('why something cannot be answered: of the whole request, or of one statement', async () => {
    const { as } = await place()
    expect(await refusal(as, 'DROP MEASUREMENT states_history')).toEqual({
      status: 400,
      code: 'INFLUX_QUERY_INVALID',
      error: 'error parsing query: expected SELECT or SHOW at character 1, found "DROP MEASUREMENT sta"',
    })
    expect(await refusal(as, ' ')).toMatchObject({
      status: 400,
      error: expect.stringContaining('q is missing'),
    })
    const { results } = await ask(
      as,
      `SELECT mean(value_number) FROM states_history GROUP BY time(1m); SELECT mean(value_number) ${from} time > now() - 3650d GROUP BY time(10s); SHOW DATABASES`,
    )
    expect(results).toMatchObject([
      { statement_id: 0, error: expect.stringContaining('where the time begins') },
      { statement_id: 1, error: expect.stringContaining(`${reportingLimits.pointsMax} intervals`) },
      { statement_id: 2, series: [{ name: 'databases' }] },
    ])
    expect(JSON.stringify(results[1])).not.toContain('series":')
  })

  it('no more values than one answer may have', async () => {
    const { as, twin } = await place()
    const stateId = await createState(app, twin, { key: 'busy' })
    const begin = Date.parse('2026-04-01T00:00:00Z')
    const values = Array.from({ length: reportingLimits.rowsMax + 1 }, (_, index) => ({
      stateId,
      value: index,
      time: new Date(begin + index * 1000),
    }))
    await writeValues(app, values)
    const q = `SELECT value_number ${from} state_identifier = 'busy'`
    const { results } = await ask(as, `${q}; ${q} LIMIT 3`)
    expect(results[0]?.error).toContain(`more than ${reportingLimits.rowsMax} values`)
    expect(results[1]?.series?.[0]?.values.map(([, value]) => value)).toEqual([0, 1, 2])
  })
})

/** Halves, quarters and eighths can be added in any order. */
const value = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -8000, max: 8000 }).map((number) => number / 8) },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constantFrom('open', 'closed') },
)

it('answers every function as the values themselves say, from roll-ups or not', async () => {
  const { as, twin } = await place()
  const begin = Date.parse('2026-03-01T00:00:00Z')
  const names = ['mean', 'min', 'max', 'sum', 'count', 'last', 'first', 'median'] as const
  const columns = names.map((name) => `${name}(value_number)`).join(', ')
  let serial = 0
  const example = fc.record({
    values: fc.array(fc.tuple(fc.integer({ min: 0, max: 1 }), fc.integer({ min: 0, max: 72 * 60 }), value), {
      minLength: 1,
      maxLength: 60,
    }),
    length: fc.constantFrom(1, 7, 5, 30, 60, 360, 1440),
    from: fc.integer({ min: 0, max: 24 * 60 }),
    minutes: fc.integer({ min: 1, max: 48 * 60 }),
    isTogether: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(example, async ({ values, length, from, minutes, isTogether }) => {
      serial++
      const stateIds = [
        await createState(app, twin, { key: `a${serial}` }),
        await createState(app, twin, { key: `b${serial}` }),
      ]
      const stored = new Map<string, SeriesValue>()
      for (const [which, minute, one] of values) {
        const time = new Date(begin + minute * minuteMs + which)
        stored.set(`${which} ${minute}`, { stateId: stateIds[which] as number, value: one, time })
      }
      await writeValues(app, [...stored.values()])
      await app.app.series.rollUp()
      const [startMs, endMs] = [begin + from * minuteMs, begin + (from + minutes) * minuteMs]
      const { results } = await ask(
        as,
        `SELECT ${columns} FROM states_history WHERE state_identifier =~ /^(a${serial}|b${serial})$/ AND time >= ${startMs}ms AND time < ${endMs}ms GROUP BY time(${length}m)${isTogether ? '' : ', state_identifier'} fill(none)`,
      )
      const found = (results[0]?.series ?? []).map(({ values: rows }) => rows)
      const groups = isTogether ? [stateIds] : stateIds.map((id) => [id])
      const expected = groups.map((ids) =>
        plainly([...stored.values()], ids, startMs, endMs, length * minuteMs),
      )
      expect(found).toEqual(expected.filter((rows) => rows.length > 0))
    }),
    fuzzing(40),
  )

  function plainly(all: SeriesValue[], ids: number[], startMs: number, endMs: number, lengthMs: number) {
    const within = all
      .filter(
        ({ stateId, time }) => ids.includes(stateId) && time.getTime() >= startMs && time.getTime() < endMs,
      )
      .filter((each) => typeof each.value !== 'string')
      .sort((a, b) => a.time.getTime() - b.time.getTime())
    const buckets = Map.groupBy(within, ({ time }) => Math.floor(time.getTime() / lengthMs) * lengthMs)
    return [...buckets].map(([start, own]) => {
      const numbers = numbersOf(own.map((each) => each.value))
      const of = (method: 'avg' | 'min' | 'max' | 'sum' | 'median') => reduceNumbers(method, numbers)
      return [
        ...[start, of('avg'), of('min'), of('max'), of('sum'), numbers.length],
        ...[numbers.at(-1), numbers[0], of('median')],
      ]
    })
  }
})

it('gives days of a time zone', async () => {
  const { as, twin } = await place()
  const stateId = await createState(app, twin, { key: 'zone' })
  const midnight = Date.parse('2026-03-28T23:00:00Z')
  // The clocks go forward in this night: the day has 23 hours.
  const values = Array.from({ length: 48 }, (_, hour) => ({
    stateId,
    value: 1,
    time: new Date(midnight + hour * hourMs),
  }))
  await writeValues(app, values)
  const { results } = await ask(
    as,
    `SELECT count(value_number) FROM states_history WHERE state_identifier = 'zone' AND time >= ${midnight}ms AND time < ${midnight + 48 * hourMs}ms GROUP BY time(1d) tz('Europe/Berlin')`,
  )
  expect(results[0]?.series?.[0]?.values).toEqual([
    ...[
      [midnight, 23],
      [midnight + 23 * hourMs, 24],
    ],
    [midnight + 47 * hourMs, 1],
  ])
})
