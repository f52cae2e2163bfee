import type { BulkExport } from '@leitstand/contract/exports'
import ExcelJS from 'exceljs'
import { unzipSync } from 'fflate'
import { parquetReadObjects } from 'hyparquet'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { createConnector, createDevice } from '../../../test/pipeline.ts'
import { startSmtp } from '../../../test/smtp.ts'
import { createState, createTwin, writeValues } from '../../../test/twins.ts'

const clock = new FakeClock('2026-06-15T12:00:00.000Z')
const smtp = await startSmtp()
let app: TestApp
let city: { id: number; scopeId: number }
let operator: Api & { token?: string }
let token: string
let foreignApi: Api
const devices: Record<'hall' | 'tank' | 'silent' | 'foreign', number> = {
  hall: 0,
  tank: 0,
  silent: 0,
  foreign: 0,
}
const states: Record<string, number> = {}

beforeAll(async () => {
  app = await startApp({ clock, config: { smtpUrl: smtp.url } })
  city = await createAccount(app, { name: 'City' })
  const other = await createAccount(app, { name: 'Other' })
  const user = await createUser(app, city, [{ roleId: await roleNamed(app, 'Operator') }])
  operator = user.api
  token = user.token
  foreignApi = (await createUser(app, other, [{ roleId: await roleNamed(app, 'Account administrator') }])).api
  const connector = await createConnector(app, city.id, city.scopeId)
  const elsewhere = await createConnector(app, other.id, other.scopeId)
  devices.hall = await createDevice(app, connector, 'A1')
  devices.tank = await createDevice(app, connector, 'B2')
  devices.silent = await createDevice(app, connector, 'C3')
  devices.foreign = await createDevice(app, elsewhere, 'F9')
  const { db } = app.ctx
  await sql`update twins set title = '=Hall; "A"' where id = ${devices.hall}`.execute(db)
  await sql`update twins set title = 'Tank', tags = '{tank}' where id = ${devices.tank}`.execute(db)
  states.temp = await createState(app, devices.hall, 'temperature', {
    title: 'Temperature',
    unit: '°C',
    decimals: 1,
  })
  states.note = await createState(app, devices.hall, 'note', { title: 'Note', valueType: 'text' })
  states.level = await createState(app, devices.tank, 'level', { title: 'Level', unit: 'm' })
  states.foreign = await createState(app, devices.foreign, 'level', { title: 'Level' })
  await writeValues(app, [
    { stateId: states.temp, value: 21.25, time: '2026-06-14T22:30:00.000Z' },
    { stateId: states.note, value: 'a;b\n"c"', time: '2026-06-14T22:30:00.000Z' },
    { stateId: states.temp, value: 22, time: '2026-06-15T06:00:00.000Z' },
    { stateId: states.level, value: 3.5, time: '2026-05-20T06:00:00.000Z' },
    { stateId: states.level, value: 4.125, time: '2026-06-15T06:10:00.000Z' },
    { stateId: states.foreign, value: 9, time: '2026-06-15T06:00:00.000Z' },
  ])
})
afterAll(() => smtp[Symbol.asyncDispose]())

const june = { start: '2026-06-01T00:00:00+02:00', end: '2026-07-01T00:00:00+02:00' }
const everything = { of: 'virtualDevices' as const, filter: {} }
type Asked = Partial<Parameters<Api['exporting']['bulk']>[0]>

/** Runs an export to its end. */
async function exported(asked: Asked = {}, api = operator) {
  const { id } = await api.exporting.bulk({
    title: 'All devices',
    selection: everything,
    range: june,
    ...asked,
  })
  await app.drain()
  return api.job.get({ id })
}

async function download(id: number, as = token) {
  const answer = await fetch(`${app.url}/api/background-jobs/${id}/file`, {
    headers: { authorization: `Bearer ${as}` },
  })
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    name: answer.headers.get('content-disposition'),
    bytes: new Uint8Array(await answer.arrayBuffer()),
  }
}

async function textOf(asked: Asked = {}): Promise<string> {
  const job = await exported(asked)
  expect(job).toMatchObject({ state: 'done', error: null })
  return Buffer.from((await download(job.id)).bytes).toString()
}

const lines = (text: string) =>
  text
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split('\r\n')

describe('a file', () => {
  test('has a row for each value, as German spreadsheets read it', async () => {
    const text = await textOf({ formatting: { language: 'de', timeZone: 'Europe/Berlin' } })
    expect(text.startsWith('\uFEFFZeit (Europe/Berlin);Gerät oder Zwilling;Kennung;Datenpunkt;')).toBe(true)
    expect(text.slice(text.indexOf('\r\n') + 2)).toBe(
      [
        `2026-06-15 00:30:00;"'=Hall; ""A""";A1;Temperature;temperature;21,3;°C\r\n`,
        `2026-06-15 08:00:00;"'=Hall; ""A""";A1;Temperature;temperature;22,0;°C\r\n`,
        `2026-06-15 00:30:00;"'=Hall; ""A""";A1;Note;note;"a;b\n""c""";\r\n`,
        `2026-06-15 08:10:00;Tank;B2;Level;level;4,125;m\r\n`,
      ].join(''),
    )
  })

  test('has a row for each packet, with the columns that were chosen', async () => {
    const formatting = {
      layout: 'wide' as const,
      columns: [
        { key: 'state:temperature' as const, title: 'T' },
        { key: 'time' as const },
        { key: 'state:note' as const },
        { key: 'objectId' as const, title: 'Device' },
      ],
      separator: ',' as const,
      timeFormat: 'iso' as const,
      timeZone: 'America/New_York',
    }
    expect(lines(await textOf({ formatting }))).toEqual([
      'T,Time (America/New_York),note,Device',
      `21.25,2026-06-14T18:30:00.000-04:00,"a;b\n""c""",${devices.hall}`,
      `22,2026-06-15T02:00:00.000-04:00,,${devices.hall}`,
    ])
  })

  test.each([
    ['german', '15.06.2026 08:10:00'],
    ['milliseconds', String(Date.parse('2026-06-15T06:10:00.000Z'))],
  ] as const)('has times as %s, and no titles when none are wanted', async (timeFormat, time) => {
    const formatting = {
      timeFormat,
      header: false,
      columns: [{ key: 'time' as const }, { key: 'value' as const }],
    }
    const selection = { of: 'virtualDevices' as const, filter: { tags: ['tank'] } }
    expect(lines(await textOf({ selection, formatting }))).toEqual([`${time},4.125`])
  })

  test('has an object for each row as JSON lines, packed', async () => {
    const job = await exported({
      format: 'jsonl',
      zip: true,
      stateKeys: ['level'],
      title: '../évil\u202e:name',
    })
    const { bytes, type, name } = await download(job.id)
    expect(type).toBe('application/zip')
    expect(name).toContain(`filename*=UTF-8''${encodeURIComponent('évil name 2026-06-15.zip')}`)
    const files = unzipSync(bytes)
    expect(Object.keys(files)).toEqual(['évil name 2026-06-15.jsonl'])
    expect(JSON.parse(Buffer.from(Object.values(files)[0] as Uint8Array).toString())).toEqual({
      time: '2026-06-15T08:10:00.000+02:00',
      object: 'Tank',
      externalId: 'B2',
      state: 'Level',
      key: 'level',
      value: 4.125,
      unit: 'm',
    })
  })

  test('has real times and numbers as a spreadsheet', async () => {
    const job = await exported({ format: 'xlsx', formatting: { layout: 'wide' } })
    const book = new ExcelJS.Workbook()
    await book.xlsx.load((await download(job.id)).bytes.buffer as ArrayBuffer)
    const rows = book.worksheets[0]?.getSheetValues().slice(1) as unknown[][]
    expect(rows.map((row) => row.slice(1))).toEqual([
      ['Time (Europe/Berlin)', 'Device or twin', 'Identifier', 'level', 'note', 'temperature'],
      [new Date('2026-06-15T00:30:00.000Z'), '=Hall; "A"', 'A1', undefined, 'a;b\n"c"', 21.25],
      [new Date('2026-06-15T08:00:00.000Z'), '=Hall; "A"', 'A1', undefined, undefined, 22],
      [new Date('2026-06-15T08:10:00.000Z'), 'Tank', 'B2', 4.125],
    ])
  })

  test('has typed columns as Parquet', async () => {
    const job = await exported({ format: 'parquet' })
    const { bytes } = await download(job.id)
    const rows = await parquetReadObjects({ file: bytes.buffer as ArrayBuffer })
    expect(rows).toMatchObject([
      { key: 'temperature', value: 21.25, value_text: null, time: new Date('2026-06-14T22:30:00.000Z') },
      { key: 'temperature', value: 22 },
      { key: 'note', value: null, value_text: 'a;b\n"c"' },
      { key: 'level', value: 4.125, object: 'Tank', externalId: 'B2' },
    ])
  })

  test('has one value for each interval', async () => {
    const values = { kind: 'interval' as const, method: 'avg' as const, duration: '1d' as const }
    const formatting = {
      columns: [{ key: 'time' as const }, { key: 'key' as const }, { key: 'value' as const }],
    }
    expect(lines(await textOf({ values, formatting })).slice(1)).toEqual([
      '2026-06-15 00:00:00,temperature,21.6',
      '2026-06-15 00:00:00,level,4.125',
    ])
  })

  test('has what a meter showed at the end of each month, however old', async () => {
    const range = { start: '2026-04-01T00:00:00+02:00', end: '2026-07-01T00:00:00+02:00' }
    const formatting = {
      columns: [{ key: 'time' as const }, { key: 'value' as const }, { key: 'measuredAt' as const }],
    }
    const values = { kind: 'reading' as const, duration: '1mo' as const }
    expect(lines(await textOf({ range, values, formatting, stateKeys: ['level'] })).slice(1)).toEqual([
      '2026-06-01 00:00:00,3.5,2026-05-20 08:00:00',
      '2026-07-01 00:00:00,4.125,2026-06-15 08:10:00',
    ])
  })
})

describe('periods', () => {
  test.each([
    ['current', 'day', 2],
    ['last', 'day', 2],
    ['current', 'month', 4],
    ['last', 'month', 1],
  ] as const)('%s %s', async (which, unit, rows) => {
    const job = await exported({ range: { which, unit }, formatting: { timeZone: 'UTC' } })
    expect(job.file?.rows).toBe(rows)
  })
})

describe('many values', () => {
  const count = 48_000
  const few = 40
  let hall: { id: number }

  beforeAll(async () => {
    hall = await createTwin(app, city, { title: 'Dense' })
    const dense = await createState(app, hall.id, 'dense')
    const other = await createState(app, hall.id, 'other')
    const begin = Date.parse('2026-03-01T00:00:00.000Z')
    const at = (n: number) => new Date(begin + n * 50_000)
    const values = Array.from({ length: count }, (_, n) => ({ stateId: dense, value: n, time: at(n) }))
    for (let n = 0; n < count; n += 12_000) await writeValues(app, values.slice(n, n + 12_000))
    await writeValues(
      app,
      Array.from({ length: count / 3 }, (_, n) => ({ stateId: other, value: 0 - n, time: at(3 * n) })),
    )
    for (let n = 0; n < few; n++) {
      const twin = await createTwin(app, city, { title: `Twin ${n}`, parentId: hall.id })
      const stateId = await createState(app, twin.id, 'dense')
      await writeValues(app, [{ stateId, value: 1_000_000 + n, time: at(n) }])
    }
  })

  const spring = { start: '2026-03-01T00:00:00Z', end: '2026-04-01T00:00:00Z' }
  const within = () => ({ of: 'digitalTwins' as const, filter: {}, within: hall.id })
  const plain = { header: false, columns: [{ key: 'time' as const }, { key: 'value' as const }] }

  test('are all there once and in order, also when a page is lost in the middle', async () => {
    const { pool } = app.ctx
    await pool.query(`create function no_piece() returns trigger language plpgsql as $$
      begin raise exception 'the connection is lost'; end $$`)
    await pool.query(`create trigger no_piece before insert on export_pieces for each row
      when (new.number = 1) execute function no_piece()`)
    const { id } = await operator.exporting.bulk({
      title: 'Dense twins',
      selection: within(),
      range: spring,
      formatting: plain,
    })
    await app.drain()
    const half = await operator.job.get({ id })
    expect(half.state).toBe('inprogress')
    expect(Number(half.result.rows)).toBeGreaterThan(1_000)
    await pool.query('drop trigger no_piece on export_pieces')
    await pool.query('drop function no_piece')
    await pool.query(`update pgboss.job set start_after = now() where state = 'retry'`)
    await app.drain()
    const job = await operator.job.get({ id })
    expect(job).toMatchObject({ state: 'done', total: 41, done: 41, file: { rows: count + count / 3 + few } })
    const found = lines(Buffer.from((await download(id)).bytes).toString()).map((line) =>
      Number(line.split(',')[1]),
    )
    expect(found).toEqual([
      ...Array.from({ length: count }, (_, n) => n),
      ...Array.from({ length: count / 3 }, (_, n) => 0 - n),
      ...Array.from({ length: few }, (_, n) => 1_000_000 + n),
    ])
    expect(job.file?.size).toBe((await download(id)).bytes.length)
  })

  test('of several states share their rows', async () => {
    const job = await exported({
      selection: within(),
      range: spring,
      format: 'jsonl',
      formatting: { layout: 'wide' },
    })
    const rows = Buffer.from((await download(job.id)).bytes)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { object: string; dense: number; other: number | null })
    const dense = rows.filter(({ object }) => object === 'Dense')
    expect(rows).toHaveLength(count + few)
    expect(dense.map((row) => row.dense)).toEqual(Array.from({ length: count }, (_, n) => n))
    expect(dense.every((row, n) => row.other === (n % 3 === 0 ? 0 - n / 3 : null))).toBe(true)
  })

  test('of intervals are read in several pages', async () => {
    const values = { kind: 'interval' as const, method: 'count' as const, duration: '5m' as const }
    const job = await exported({
      selection: within(),
      range: spring,
      values,
      formatting: plain,
      stateKeys: ['other'],
    })
    const counts = lines(Buffer.from((await download(job.id)).bytes).toString()).map((line) =>
      Number(line.split(',')[1]),
    )
    expect(counts).toHaveLength(count / 6)
    expect(counts.reduce((sum, n) => sum + n, 0)).toBe(count / 3)
  })

  test('end at the limit of the account, with a word about it', async () => {
    await sql`update accounts set csv_export_limit = 100 where id = ${city.id}`.execute(app.ctx.db)
    const job = await exported({ selection: within(), range: spring, formatting: plain })
    await sql`update accounts set csv_export_limit = null where id = ${city.id}`.execute(app.ctx.db)
    expect(job.file).toMatchObject({ rows: 100, cut: true })
    const found = lines(Buffer.from((await download(job.id)).bytes).toString())
    expect(found).toHaveLength(101)
    expect(found.at(-1)).toBe('Cut after 100 rows. Narrow the selection or the period.')
  })
})

describe('who', () => {
  test('may read a device exports it alone; others do not find it', async () => {
    const asked = { objectId: devices.tank, range: june }
    const { id } = await operator.exporting.one(asked)
    await app.drain()
    expect(await operator.job.get({ id })).toMatchObject({
      title: 'Tank',
      state: 'done',
      resource: { type: 'virtualDevice', id: devices.tank },
      file: { rows: 1 },
    })
    expect(await errorOf(foreignApi.exporting.one(asked))).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
  })

  test('has no rights in an account gets nothing of it, whatever they name', async () => {
    const ids = [devices.hall, devices.tank]
    const named = { of: 'virtualDevices' as const, filter: {}, ids }
    const nothing = { title: 'Foreign', selection: named, range: june }
    expect(await errorOf(foreignApi.exporting.bulk(nothing))).toMatchObject({
      code: 'EXPORT_NOTHING_SELECTED',
    })
    const job = await exported({ selection: { ...named, ids: [...ids, devices.foreign] } })
    expect(job.file?.rows).toBe(4)
  })

  test('did not start an export cannot have its file', async () => {
    const job = await exported()
    const reader = await createUser(app, city, [{ roleId: await roleNamed(app, 'Viewer') }])
    expect(await reader.api.job.get({ id: job.id })).toMatchObject({ id: job.id })
    expect((await download(job.id, reader.token)).status).toBe(403)
    expect((await download(job.id, 'nobody')).status).toBe(401)
    expect(await errorOf(foreignApi.exporting.deleteFile({ id: job.id }))).toMatchObject({
      code: 'BACKGROUND_JOB_NOT_FOUND',
    })
    const manager = await createUser(app, city, [{ roleId: await roleNamed(app, 'Account administrator') }])
    expect((await download(job.id, manager.token)).status).toBe(200)
  })

  test('asked for it gets an email with the way to the file', async () => {
    const job = await exported({ title: 'With a mail', notify: true })
    await app.drain()
    const mail = smtp.received.find(({ subject }) => subject === 'Export ready: With a mail')
    expect(mail?.text).toContain(`/#/background-jobs?job=${job.id}`)
  })
})

describe('what cannot be exported', () => {
  test.each<[string, Asked, string]>([
    [
      'a selection without devices',
      { selection: { of: 'virtualDevices', filter: { tags: ['none'] } } },
      'EXPORT_NOTHING_SELECTED',
    ],
    [
      'a foreign smart group',
      { selection: { of: 'smartGroup', groupId: 2_147_483_647 } },
      'SMART_GROUP_NOT_FOUND',
    ],
    [
      'too many intervals',
      {
        range: { start: '2000-01-01T00:00:00Z', end: '2026-01-01T00:00:00Z' },
        values: { kind: 'interval', method: 'avg', duration: '5m' },
      },
      'EXPORT_TOO_MANY_INTERVALS',
    ],
    [
      'a period that ends before it begins',
      { range: { start: june.end, end: june.start } },
      'PARAMETER_VALIDATION_ERROR',
    ],
    ['an unknown time zone', { formatting: { timeZone: 'Moon/Crater' } }, 'PARAMETER_VALIDATION_ERROR'],
  ])('%s', async (_title, asked, code) => {
    const bulk = () =>
      operator.exporting.bulk({ title: 'Refused', selection: everything, range: june, ...asked })
    expect(await errorOf(bulk())).toMatchObject({ code })
  })

  test('more states than a row may have columns', async () => {
    const twin = await createTwin(app, city, { title: 'Many states' })
    const { db } = app.ctx
    await sql`insert into states (twin_id, key, title, unit, source, value_type)
      select ${twin.id}, 'k' || n, 'K', '', 'none', 'number' from generate_series(1, 201) as n`.execute(db)
    const wide = () =>
      operator.exporting.bulk({
        title: 'Too wide',
        selection: { of: 'digitalTwins', filter: {}, ids: [twin.id] },
        range: june,
        formatting: { layout: 'wide' },
      })
    expect(await errorOf(wide())).toMatchObject({ code: 'EXPORT_TOO_MANY_COLUMNS' })
  })
})

test('says beforehand what a selection finds', async () => {
  expect(await operator.exporting.preview({ selection: everything })).toEqual({
    objects: 3,
    keys: [
      { key: 'level', title: 'Level' },
      { key: 'note', title: 'Note' },
      { key: 'temperature', title: 'Temperature' },
    ],
  })
})

test('a file can be deleted, and is after six months', async () => {
  const one = await exported()
  const other = await exported()
  expect(one.file?.deletedAt).toBe('2026-12-15T12:00:00.000Z')
  await operator.exporting.deleteFile({ id: one.id })
  expect(await operator.job.get({ id: one.id })).toMatchObject({ state: 'deleted', file: null })
  expect((await download(one.id)).status).toBe(404)
  expect(await errorOf(operator.exporting.deleteFile({ id: one.id }))).toMatchObject({
    code: 'EXPORT_NO_FILE',
  })
  clock.set('2026-12-16T00:00:00.000Z')
  await app.ctx.db.transaction().execute((tx) => app.ctx.jobs.send(tx, 'exports.clean', {}))
  await app.drain()
  clock.set('2026-06-15T12:00:00.000Z')
  expect(await operator.job.get({ id: other.id })).toMatchObject({ state: 'deleted', file: null })
  const left = await sql`select from export_pieces where job_id = any(${[one.id, other.id]}::int[])`.execute(
    app.ctx.db,
  )
  expect(left.rows).toHaveLength(0)
})

describe('a saved export', () => {
  const request: BulkExport | Asked = {
    title: 'Monthly',
    selection: everything,
    range: { which: 'current', unit: 'month' },
  }
  const wanted = { title: 'Every month', request: request as Parameters<Api['exporting']['bulk']>[0] }

  test('is run, switched off, changed and deleted', async () => {
    const made = await operator.exporting.createDefinition(wanted)
    expect(made).toMatchObject({ title: 'Every month', active: true, accountName: 'City', lastRunAt: null })
    const { id } = await operator.exporting.runDefinition({ id: made.id })
    await app.drain()
    expect((await operator.job.get({ id })).file?.rows).toBe(4)
    expect((await operator.exporting.definitions({ search: 'month' })).items).toMatchObject([
      { id: made.id, lastRunAt: '2026-06-15T12:00:00.000Z' },
    ])
    await operator.exporting.activateDefinition({ id: made.id, active: false })
    expect(await errorOf(operator.exporting.runDefinition({ id: made.id }))).toMatchObject({
      code: 'EXPORT_NOT_ACTIVE',
    })
    const changed = await operator.exporting.updateDefinition({
      id: made.id,
      version: 2,
      ...wanted,
      title: 'New',
    })
    expect(changed).toMatchObject({ title: 'New', version: 3 })
    const again = () => operator.exporting.updateDefinition({ id: made.id, version: 2, ...wanted })
    expect(await errorOf(again())).toMatchObject({ code: 'VERSION_CONFLICT' })
    await operator.exporting.deleteDefinition({ id: made.id })
    expect(await errorOf(operator.exporting.definition({ id: made.id }))).toMatchObject({
      code: 'EXPORT_NOT_FOUND',
    })
  })

  test('is seen by those who may read in its account, and changed by few', async () => {
    const made = await operator.exporting.createDefinition(wanted)
    const reader = await createUser(app, city, [{ roleId: await roleNamed(app, 'Viewer') }])
    expect(await reader.api.exporting.definition({ id: made.id })).toMatchObject({ id: made.id })
    expect(await errorOf(reader.api.exporting.deleteDefinition({ id: made.id }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
    expect(await errorOf(foreignApi.exporting.definition({ id: made.id }))).toMatchObject({
      code: 'EXPORT_NOT_FOUND',
    })
    const elsewhere = () => foreignApi.exporting.createDefinition({ ...wanted, accountId: city.id })
    expect(await errorOf(elsewhere())).toMatchObject({ code: 'TENANT_NOT_FOUND' })
  })

  test('keeps the smart group whose devices it exports', async () => {
    const group = await app.api.smartGroup.create({ title: 'Exported', accountId: city.id })
    const made = await operator.exporting.createDefinition({
      ...wanted,
      request: { ...wanted.request, selection: { of: 'smartGroup', groupId: group.id } },
    })
    const { id: jobId } = await operator.exporting.runDefinition({ id: made.id })
    await app.drain()
    expect((await operator.job.get({ id: jobId })).file?.rows).toBe(4)
    expect(await errorOf(app.api.smartGroup.delete({ id: group.id }))).toMatchObject({
      code: 'SMART_GROUP_IN_USE',
      data: { items: [{ kind: 'savedExport', id: made.id, title: 'Every month', notes: ['exports'] }] },
    })
    await operator.exporting.deleteDefinition({ id: made.id })
    await app.api.smartGroup.delete({ id: group.id })
  })

  test('there are not too many of', async () => {
    await sql`insert into export_definitions
      (account_id, scope_id, title, request, created_name, created_at, updated_at)
      select ${city.id}, ${city.scopeId}, 'E' || n, ${JSON.stringify(request)}::jsonb, 'x', now(), now()
      from generate_series(1, 200) as n`.execute(app.ctx.db)
    expect(await errorOf(operator.exporting.createDefinition(wanted))).toMatchObject({
      code: 'EXPORT_TOO_MANY',
    })
  })
})
