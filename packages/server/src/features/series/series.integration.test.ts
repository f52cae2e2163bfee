import { parquetReadObjects } from 'hyparquet'
import { readSheet } from 'read-excel-file/node'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createAccount,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { createState, createTwin, currentOf, historyOf } from '../../../test/pipeline.ts'

const clock = new FakeClock('2026-10-27T12:00:00.000Z')
let app: TestApp
let twin: number

beforeAll(async () => {
  app = await startApp({ clock })
  twin = await createTwin(app, { accountId: app.rootAccountId, scopeId: app.rootScopeId })
})

const at = (iso: string) => new Date(iso)
const write = (stateId: number, values: [string, number | string | boolean][]) =>
  app.app.series.write(values.map(([time, value]) => ({ stateId, value, time: at(time) })))

const objectsIn = async (body: unknown): Promise<unknown[]> =>
  (await (body as Blob).text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('writing values', () => {
  it('keeps the newest as current and stores a repetition once', async () => {
    const id = await createState(app, twin, { key: 'a' })
    await write(id, [
      ['2026-10-27T11:00:00Z', 2],
      ['2026-10-27T10:00:00Z', 1],
    ])
    await write(id, [['2026-10-27T11:00:00Z', 2]])
    expect(await currentOf(app, twin)).toMatchObject({ a: 2 })
    expect(await historyOf(app, id)).toHaveLength(2)
  })
  it('stores nothing of a call in which one value is wrong', async () => {
    const [good, bad] = [
      await createState(app, twin, { key: 'good' }),
      await createState(app, twin, { key: 'bad' }),
    ]
    const time = at('2026-10-27T11:00:00Z')
    const call = app.app.series.write([
      { stateId: good, value: 1, time },
      { stateId: bad, value: 'one', time },
    ])
    await expect(call).rejects.toMatchObject({ code: 'VALUE_WRONG_TYPE' })
    expect(await historyOf(app, good)).toEqual([])
  })
  it('refuses the far future and states that do not exist', async () => {
    const id = await createState(app, twin, { key: 'future' })
    await expect(write(id, [['2026-10-29T12:00:00Z', 1]])).rejects.toMatchObject({
      code: 'PACKET_TOO_FAR_AHEAD',
    })
    await expect(write(999_999, [['2026-10-27T11:00:00Z', 1]])).rejects.toMatchObject({
      code: 'DTWIN_STATE_NOT_FOUND',
    })
  })
  it('computes a new aggregate from what is there', async () => {
    const sources = [await createState(app, twin, { key: 's1' }), await createState(app, twin, { key: 's2' })]
    await write(sources[0] as number, [['2026-10-27T11:00:00Z', 10]])
    await write(sources[1] as number, [['2026-10-27T11:30:00Z', 20]])
    const sum = await createState(app, twin, { key: 'sum', of: { stateIds: sources, method: 'sum' } })
    await app.app.series.recompute([sum])
    expect(await historyOf(app, sum)).toEqual([['2026-10-27T11:30:00.000Z', 30]])
  })
  it('gives random states a value at the multiples of their interval', async () => {
    const id = await createState(app, twin, { key: 'random', source: 'random' })
    const settings = JSON.stringify({ min: 5, max: 6, everySeconds: 60 })
    await app.ctx.db
      .updateTable('states')
      .set({ source_settings: settings as never })
      .where('id', '=', id)
      .execute()
    clock.set('2026-10-27T12:01:00.000Z')
    await app.app.series.tickRandom(clock.now())
    await app.app.series.tickRandom(new Date(clock.now().getTime() + 1000))
    expect(await historyOf(app, id)).toHaveLength(1)
    const [[time, value] = []] = await historyOf(app, id)
    expect(time).toBe('2026-10-27T12:01:00.000Z')
    expect(value).toBeGreaterThanOrEqual(5)
    expect(value).toBeLessThanOrEqual(6)
  })
})

describe('reading values', () => {
  const day = { startDate: '2026-10-24T22:00:00Z', endDate: '2026-10-26T23:00:00Z' }
  let id: number
  beforeAll(async () => {
    id = await createState(app, twin, { key: 'hourly' })
    // Every half hour over the weekend on which the clocks go back: the number is the hour since its beginning.
    const first = Date.parse(day.startDate)
    await write(
      id,
      Array.from({ length: 98 }, (_, index) => [
        new Date(first + index * 1_800_000).toISOString(),
        Math.floor(index / 2),
      ]),
    )
  })

  it('answers raw values in order', async () => {
    const { series } = await app.api.series.search({ stateIds: [id], ...day, limit: 2000 })
    expect(series[0]).toMatchObject({ stateId: id, truncated: false })
    expect(series[0]?.points.map(([, value]) => value)).toEqual(
      Array.from({ length: 98 }, (_, index) => Math.floor(index / 2)),
    )
  })
  it('thins what is more than asked for and keeps the peaks', async () => {
    const { series } = await app.api.series.search({ stateIds: [id], ...day, limit: 10 })
    const values = series[0]?.points.map(([, value]) => value) ?? []
    expect(series[0]?.truncated).toBe(true)
    expect(values.length).toBeLessThanOrEqual(10)
    expect([values[0], values.at(-1)]).toEqual([0, 48])
  })
  it.each([
    ['avg', 12],
    ['min', 0],
    ['max', 24],
    ['sum', 600],
    ['median', 12],
    ['count', 50],
    ['latest', 24],
  ] as const)('gives the day of 25 hours as one interval: %s is %d', async (method, expected) => {
    const { series } = await app.api.series.searchAggregated({
      stateIds: [id],
      ...day,
      method,
      duration: '1d',
    })
    expect(series[0]?.points).toEqual([
      [Date.parse('2026-10-24T22:00:00Z'), expected],
      [Date.parse('2026-10-25T23:00:00Z'), expect.any(Number)],
    ])
  })
  it.each([
    ['5m', 98],
    ['15m', 98],
    ['1h', 49],
    ['6h', 8],
    ['1w', 2],
    ['1mo', 1],
  ] as const)('cuts into intervals of %s as the wall clock does', async (duration, count) => {
    const { series } = await app.api.series.searchAggregated({
      stateIds: [id],
      ...day,
      method: 'count',
      duration,
    })
    const values = (series[0]?.points ?? []).map(([, value]) => value).filter((value) => value !== null)
    expect(values).toHaveLength(count)
    expect(values.reduce<number>((total, value) => total + (value as number), 0)).toBe(98)
  })
  it('leaves intervals without values as gaps and adds companions', async () => {
    const gap = await createState(app, twin, { key: 'gap' })
    await write(gap, [
      ['2026-10-26T10:00:00Z', 1],
      ['2026-10-26T10:10:00Z', 3],
      ['2026-10-26T13:00:00Z', 5],
    ])
    const { series } = await app.api.series.searchAggregated({
      stateIds: [gap],
      startDate: '2026-10-26T09:00:00Z',
      endDate: '2026-10-26T15:00:00Z',
      duration: '1h',
      min: true,
      max: true,
      latest: true,
    })
    expect(series[0]?.points.map(([, value]) => value)).toEqual([2, null, null, 5])
    expect(series[0]?.min?.map(([, value]) => value)).toEqual([1, null, null, 5])
    expect(series[0]?.max?.map(([, value]) => value)).toEqual([3, null, null, 5])
    expect(series[0]?.latest?.map(([, value]) => value)).toEqual([3, null, null, 5])
  })
  it('does not tear a series apart whose rhythm is slower than the interval', async () => {
    const slow = await createState(app, twin, { key: 'slow' })
    const start = Date.parse('2026-10-26T00:00:00Z')
    const halfHours = [0, 1, 2, 3, 4, 5, 30, 31, 32, 33, 34]
    await write(
      slow,
      halfHours.map((index) => [new Date(start + index * 1_800_000).toISOString(), index]),
    )
    const range = { startDate: '2026-10-26T00:00:00Z', endDate: '2026-10-26T20:00:00Z' }
    const { series } = await app.api.series.searchAggregated({ stateIds: [slow], ...range, duration: '5m' })
    expect(series[0]?.points.map(([, value]) => value)).toEqual([0, 1, 2, 3, 4, 5, null, 30, 31, 32, 33, 34])
  })
  it('answers the last 50 raw values and rows for a table', async () => {
    const { series } = await app.api.series.searchAggregated({ stateIds: [id], ...day, rawData: true })
    expect(series[0]?.points).toHaveLength(50)
    const { rows, more } = await app.api.series.postgresFetch({ stateIds: [id], limit: 3 })
    expect(rows.map(({ value }) => value)).toEqual([48, 48, 47])
    expect(more).toBe(true)
  })
  it('are searched page by page, several states at the same time too', async () => {
    const states = [await createState(app, twin, { key: 'h1' }), await createState(app, twin, { key: 'h2' })]
    for (const stateId of states)
      await write(stateId, [
        ['2026-10-27T09:00:00Z', 1],
        ['2026-10-27T10:00:00Z', 2],
        ['2026-10-27T11:00:00Z', 3],
      ])
    const read = async (options: object) => {
      const rows: [number, unknown][] = []
      let before: { time: string; stateId: number } | null | undefined
      for (let page = 0; page < 10 && before !== null; page++) {
        const found = await app.api.series.searchHistory({
          stateIds: states,
          limit: 2,
          ...(before ? { before } : {}),
          ...options,
        })
        rows.push(
          ...found.rows.map(({ stateId, value }): [number, unknown] => [states.indexOf(stateId), value]),
        )
        before = found.next
      }
      return rows
    }
    expect(await read({})).toEqual([
      [1, 3],
      [0, 3],
      [1, 2],
      [0, 2],
      [1, 1],
      [0, 1],
    ])
    expect(await read({ min: 2, max: 2 })).toEqual([
      [1, 2],
      [0, 2],
    ])
    expect(await read({ startDate: '2026-10-27T10:00:00Z', endDate: '2026-10-27T11:00:00Z' })).toHaveLength(2)
    const backwards = { stateIds: states, startDate: '2026-10-27T11:00:00Z', endDate: '2026-10-27T10:00:00Z' }
    expect(await errorOf(app.api.series.searchHistory(backwards))).toMatchObject({
      code: 'INVALID_DATE_RANGE',
    })
  })
  it('are a file in the time of the account, with the device and the decimals of the state', async () => {
    const account = await createAccount(app)
    const place = await createTwin(app, { accountId: account.id, scopeId: account.scopeId })
    const state = await createState(app, place, { key: 'mean' })
    await app.ctx.db.updateTable('states').set({ decimals: 1 }).where('id', '=', state).execute()
    await write(state, [
      ['2026-07-01T22:30:05Z', 1793.1666666666667],
      ['2026-07-01T22:31:05Z', -2],
    ])
    const { title } = await app.api.digitaltwin.get({ id: place })
    const get = (query: string) =>
      fetch(`${app.url}/api/digitaltwin/states/${state}/csv-export?${query}`, {
        headers: { authorization: `Bearer ${app.token}` },
      })
    const reply = await get('language=de')
    expect(reply.headers.get('content-disposition')).toContain(`filename="${title} `)
    expect((await reply.text()).split('\r\n').slice(1)).toEqual([
      `2026-07-02 00:31:05;${title};-2,0`,
      `2026-07-02 00:30:05;${title};1793,2`,
      '',
    ])
    const later = await get('language=en&startDate=2026-07-01T22:31:00Z')
    expect((await later.text()).split('\r\n').slice(1)).toEqual([`2026-07-02 00:31:05,${title},-2.0`, ''])
  })
  it('are read to the end of a long history, page by page', async () => {
    const many = await createState(app, twin, { key: 'many' })
    const start = Date.parse('2026-10-01T00:00:00Z')
    const count = 2_345
    await app.ctx.pool.query(
      `insert into state_values (state_id, time, num)
       select $1, to_timestamp($2 + n), n from generate_series(0, $3 - 1) n`,
      [many, start / 1000, count],
    )
    const { body } = await app.api.series.exportCsv({ stateId: many })
    const lines = (await (body as Blob).text()).trimEnd().split('\r\n')
    expect(lines).toHaveLength(count + 1)
    expect(new Set(lines).size).toBe(count + 1)
  })
  it('of several states are one file, as CSV or as XLSX with times and numbers', async () => {
    const account = await createAccount(app)
    const place = await createTwin(app, { accountId: account.id, scopeId: account.scopeId })
    const first = await createState(app, place, { key: 'first' })
    const second = await createState(app, place, { key: 'second', valueType: 'text' })
    await write(first, [
      ['2026-07-01T22:30:05Z', 0.1],
      ['2026-07-01T22:31:05Z', -2],
    ])
    await write(second, [['2026-02-01T22:30:00Z', '=open']])
    const ask = { stateIds: [first, second], language: 'en' } as const
    const { body } = await app.api.series.exportFile(ask)
    const [header, ...lines] = (await (body as Blob).text()).trimEnd().split('\r\n')
    expect(header).toMatch(/Time \(Europe\/Berlin\),Device or twin,State,Key,Value,Unit$/)
    const cells = lines.map((line) => line.split(','))
    expect(cells.map((line) => [line[0], line[3], line[4]])).toEqual([
      ['2026-07-02 00:31:05', 'first', '-2'],
      ['2026-07-02 00:30:05', 'first', '0.1'],
      ['2026-02-01 23:30:00', 'second', "'=open"],
    ])
    const file = await app.api.series.exportFile({ ...ask, format: 'xlsx' })
    const sheet = await readSheet(Buffer.from(await (file.body as Blob).arrayBuffer()))
    expect(sheet.slice(1).map((row) => [row[0], row[3], row[4]])).toEqual([
      [new Date('2026-07-02T00:31:05Z'), 'first', -2],
      [new Date('2026-07-02T00:30:05Z'), 'first', 0.1],
      [new Date('2026-02-01T23:30:00Z'), 'second', '=open'],
    ])
    const jsonl = await app.api.series.exportFile({ ...ask, format: 'jsonl' })
    const { title } = await app.api.digitaltwin.get({ id: place })
    expect(jsonl.headers['content-disposition']).toContain(`filename="${title}.jsonl"`)
    expect(await objectsIn(jsonl.body)).toMatchObject([
      { time: '2026-07-01T22:31:05.000Z', object: title, stateId: first, key: 'first', value: -2 },
      { key: 'first', value: 0.1 },
      { stateId: second, key: 'second', value: '=open' },
    ])
    const parquet = await app.api.series.exportFile({ ...ask, format: 'parquet' })
    expect(await parquetReadObjects({ file: await (parquet.body as Blob).arrayBuffer() })).toMatchObject([
      { time: new Date('2026-07-01T22:31:05Z'), stateId: first, value: -2, value_text: null },
      { key: 'first', value: 0.1 },
      { key: 'second', value: null, value_text: '=open' },
    ])
    const one = await app.api.series.exportFile({ stateIds: [first], format: 'xlsx' })
    const columns = await readSheet(Buffer.from(await (one.body as Blob).arrayBuffer()))
    expect(columns.map((row) => row.length)).toEqual([3, 3, 3])
  })
  it('of more rows than the account may export are cut, in every format, and the answer says so', async () => {
    const account = await createAccount(app)
    const place = await createTwin(app, { accountId: account.id, scopeId: account.scopeId })
    const state = await createState(app, place, { key: 'level' })
    await write(state, [
      ['2026-07-01T22:30:05Z', 1],
      ['2026-07-01T22:31:05Z', 2],
      ['2026-07-01T22:32:05Z', 3],
    ])
    const { api } = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    const get = async (format: 'csv' | 'xlsx' | 'jsonl' | 'parquet') => {
      const { headers, body } = await api.series.exportFile({ stateIds: [state], format })
      return [headers['x-rows-left-out'], body as Blob] as const
    }
    const limitTo = (rows: number) =>
      app.ctx.db
        .updateTable('accounts')
        .set({ csv_export_limit: rows })
        .where('id', '=', account.id)
        .execute()
    await limitTo(3)
    expect((await get('jsonl'))[0]).toBeUndefined()
    await limitTo(2)
    const [isCsvCut, csv] = await get('csv')
    expect((await csv.text()).split('\r\n').slice(3)).toEqual(['Cut after 2 rows. Narrow the period.', ''])
    const [isXlsxCut] = await get('xlsx')
    const [isJsonlCut, jsonl] = await get('jsonl')
    expect(await objectsIn(jsonl)).toMatchObject([{ value: 3 }, { value: 2 }])
    const [isParquetCut, parquet] = await get('parquet')
    expect(await parquetReadObjects({ file: await parquet.arrayBuffer() })).toHaveLength(2)
    expect([isCsvCut, isXlsxCut, isJsonlCut, isParquetCut]).toEqual(['true', 'true', 'true', 'true'])
  })
  it('counts texts and answers the latest of them', async () => {
    const text = await createState(app, twin, { key: 'text', valueType: 'text' })
    await write(text, [
      ['2026-10-26T10:00:00Z', 'open'],
      ['2026-10-26T11:00:00Z', 'closed'],
    ])
    const ask = { stateIds: [text], ...day, duration: '1mo' as const }
    const latest = await app.api.series.searchAggregated({ ...ask, method: 'latest' })
    expect(latest.series[0]?.points.map(([, value]) => value)).toEqual(['closed'])
    const count = await app.api.series.searchAggregated({ ...ask, method: 'count' })
    expect(count.series[0]?.points.map(([, value]) => value)).toEqual([2])
  })
  it('refuses a range that ends before it starts and a time zone that is none', async () => {
    const turned = { startDate: day.endDate, endDate: day.startDate }
    expect(await errorOf(app.api.series.search({ stateIds: [id], ...turned }))).toMatchObject({
      code: 'INVALID_DATE_RANGE',
    })
    const call = app.api.series.searchAggregated({ stateIds: [id], ...day, timeZone: 'Mars/Base' })
    expect(await errorOf(call)).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
  })
  it('shows nobody the values of another account', async () => {
    const [own, other] = [await createAccount(app), await createAccount(app)]
    const viewer = await createUser(app, own, [{ roleId: await roleNamed(app, 'Viewer') }])
    const theirs = await createState(
      app,
      await createTwin(app, { accountId: other.id, scopeId: other.scopeId }),
      { key: 'x' },
    )
    const mine = await createState(app, await createTwin(app, { accountId: own.id, scopeId: own.scopeId }), {
      key: 'x',
    })
    await write(mine, [['2026-10-26T10:00:00Z', 1]])
    expect((await viewer.api.series.search({ stateIds: [mine], ...day })).series[0]?.points).toHaveLength(1)
    expect(await errorOf(viewer.api.series.search({ stateIds: [mine, theirs], ...day }))).toMatchObject({
      code: 'DTWIN_STATE_NOT_FOUND',
    })
  })
})
