import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { valueLimits } from './pages.ts'

const clock = new FakeClock(new Date('2026-11-24T12:00:00Z'))
let app: TestApp
let account: { id: number; scopeId: number }
let api: Api
let viewer: Api
let twinId: number

beforeAll(async () => {
  app = await startApp({ clock })
  account = await createAccount(app, { name: 'Values' })
  api = (await createUser(app, account, [{ roleId: await roleNamed(app, 'Operator') }])).api
  viewer = (await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])).api
  twinId = (await api.digitaltwin.create({ title: 'Hall', accountId: account.id })).id
})

let serial = 0
async function newState(changes: object = {}) {
  const key = `value_${++serial}`
  const { id } = await api.state.create({ dtwinId: twinId, key, title: key, source: 'none', ...changes })
  return id
}

/** A time so many minutes after midnight. */
const at = (minutes: number) => new Date(Date.UTC(2026, 10, 24, 0, minutes)).toISOString()

async function write(stateId: number, values: readonly number[]): Promise<void> {
  await app.app.series.write(
    values.map((value, minutes) => ({ stateId, value, time: new Date(at(minutes)) })),
  )
  await settled()
}

async function settled(): Promise<void> {
  await app.app.series.settle()
  await app.drain()
  await app.app.series.rollUp()
}

/** Values from the oldest to the newest. */
async function historyOf(id: number) {
  const { rows } = await api.series.postgresFetch({ stateIds: [id] })
  return rows.map(({ value }) => value).reverse()
}

async function edit(id: number, changes: object) {
  const state = await api.state.get({ id })
  return api.state.update({ ...state, ...changes })
}

const dayOf = async (id: number, method: 'sum' | 'count' = 'sum') => {
  const { series } = await api.series.searchAggregated({
    stateIds: [id],
    startDate: '2026-11-24T00:00:00.000Z',
    endDate: '2026-11-25T00:00:00.000Z',
    method,
    duration: '1d',
    timeZone: 'UTC',
  })
  return series[0]?.points.find(([, value]) => value !== null)?.[1]
}

const activitiesOf = async (objectId: number) =>
  (await app.api.activityLog.list({ subject: 'State', objectId, limit: 100 })).items

describe('a new unit', () => {
  test('as a label leaves the values as they are', async () => {
    const id = await newState({ unit: 'F' })
    await write(id, [20, 21])
    await edit(id, { unit: '°C' })
    expect(await historyOf(id)).toEqual([20, 21])
    expect(await api.state.get({ id })).toMatchObject({ unit: '°C', value: 21 })
  })

  test('with the values converts history, current value, roll-ups and copies with their limits', async () => {
    const id = await newState({ unit: '°C', upperBound: 40 })
    const copy = await newState({
      unit: '°C',
      source: 'aggregate',
      sourceSettings: { stateIds: [id], method: 'latest' },
      upperBound: 30,
      visualization: { kind: 'value', upperThreshold: 25 },
    })
    const other = await newState({
      unit: '°C',
      source: 'aggregate',
      sourceSettings: { stateIds: [id, await newState()], method: 'max' },
    })
    await write(id, [20, 21.5])
    const before = await api.state.get({ id })
    await edit(id, { unit: '°F', unitChange: 'values', upperBound: 104 })
    await settled()
    expect(await historyOf(id)).toEqual([68, 70.7])
    expect(await historyOf(copy)).toEqual([68, 70.7])
    expect(await historyOf(other)).toEqual([68, 70.7])
    expect(await api.state.get({ id })).toMatchObject({ unit: '°F', value: 70.7, upperBound: 104 })
    expect(await api.state.get({ id: copy })).toMatchObject({
      unit: '°F',
      value: 70.7,
      upperBound: 86,
      visualization: { upperThreshold: 77 },
    })
    // Not a copy: its unit is for people to decide.
    expect(await api.state.get({ id: other })).toMatchObject({ unit: '°C', value: 70.7 })
    expect(await dayOf(id)).toBeCloseTo(138.7)
    const actions = (await activitiesOf(id)).map(({ action }) => action)
    expect(actions).toEqual(expect.arrayContaining(['update', 'convertValues']))

    await edit(id, { unit: before.unit, unitChange: 'values', upperBound: before.upperBound })
    await settled()
    expect(await historyOf(id)).toEqual([20, 21.5])
    expect(await api.state.get({ id })).toMatchObject({ unit: '°C', value: 21.5 })
  })

  test('converts a long history in the background; nothing is corrected meanwhile', async () => {
    const id = await newState({ unit: 'kWh' })
    const count = valueLimits.pageMax + 5
    const values = Array.from({ length: count }, (_, n) => n)
    await app.app.series.write(
      values.map((value, n) => ({ stateId: id, value, time: new Date(Date.UTC(2026, 10, 20, 0, 0, n)) })),
    )
    await edit(id, { unit: 'MJ', unitChange: 'values' })
    expect(await api.state.get({ id })).toMatchObject({ unit: 'MJ', value: 7214.4 })
    await settled()
    const [job] = (await api.job.list({ types: ['state-values-convert'], resourceId: twinId })).items
    expect(job).toMatchObject({ state: 'done', total: 5, done: 5, result: { valuesChanged: 4 } })
    const { rows } = await api.series.searchHistory({ stateIds: [id], max: 20, limit: 10 })
    expect(rows.map(({ value }) => value)).toEqual([18, 14.4, 10.8, 7.2, 3.6, 0])

    const setJob = (state: string) =>
      app.ctx.db
        .updateTable('background_jobs')
        .set({ state })
        .where('id', '=', job?.id ?? 0)
        .execute()
    await setJob('canceled')
    const time = new Date(Date.UTC(2026, 10, 20)).toISOString()
    const correction = { id, time, value: 1, reason: 'Meter was read wrongly' }
    expect(await errorOf(api.stateValue.correct(correction))).toMatchObject({
      code: 'DTWIN_STATE_CONVERTING',
    })
    expect(await errorOf(edit(id, { unit: 'kWh', unitChange: 'values' }))).toMatchObject({
      code: 'DTWIN_STATE_CONVERTING',
    })
    await setJob('done')
    expect(await api.stateValue.correct(correction)).toEqual({ job: null })
  })

  test('is refused when values cannot be converted', async () => {
    const id = await newState({ unit: '°C' })
    expect(await errorOf(edit(id, { unit: 'Pa', unitChange: 'values' }))).toMatchObject({
      code: 'DTWIN_STATE_UNITS',
    })
    expect(await errorOf(edit(id, { unit: 'pieces', unitChange: 'values' }))).toMatchObject({
      code: 'DTWIN_STATE_UNITS',
    })
    const computed = await newState({
      unit: '°C',
      source: 'aggregate',
      sourceSettings: { stateIds: [id], method: 'latest' },
    })
    expect(await errorOf(edit(computed, { unit: '°F', unitChange: 'values' }))).toMatchObject({
      code: 'DTWIN_STATE_COMPUTED',
    })
    expect(await api.state.get({ id: computed })).toMatchObject({ unit: '°C' })
  })
})

describe('a stored value', () => {
  test('is corrected with a reason; current value, roll-ups and aggregates follow', async () => {
    const id = await newState()
    const sum = await newState({
      source: 'aggregate',
      sourceSettings: { stateIds: [id, await newState()], method: 'sum' },
    })
    await write(id, [1, 2, 900])
    const { job } = await api.stateValue.correct({ id, time: at(2), value: 3, reason: 'Typing error' })
    expect(job).toMatchObject({ type: 'state-values-correct' })
    await settled()
    expect(await historyOf(id)).toEqual([1, 2, 3])
    expect(await historyOf(sum)).toEqual([1, 2, 3])
    expect(await api.state.get({ id })).toMatchObject({ value: 3 })
    expect(await dayOf(id)).toBe(6)
    const [entry] = (await activitiesOf(id)).filter(({ action }) => action === 'correctValue')
    expect(entry?.changes).toMatchObject({
      value: { before: 900, after: 3 },
      time: at(2),
      reason: 'Typing error',
    })
  })

  test('needs a reason, a stored value and one that fits', async () => {
    const id = await newState()
    await write(id, [1])
    const correct = (changes: object) =>
      errorOf(api.stateValue.correct({ id, time: at(0), value: 2, reason: 'Reason', ...changes }))
    expect(await correct({ reason: '  ' })).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
    expect(await correct({ time: at(7) })).toMatchObject({ code: 'DTWIN_STATE_VALUE_NOT_FOUND' })
    expect(await correct({ value: 'warm' })).toMatchObject({ code: 'VALUE_WRONG_TYPE' })
    expect(
      await errorOf(viewer.stateValue.correct({ id, time: at(0), value: 2, reason: 'Reason' })),
    ).toMatchObject({
      code: 'NO_PERMISSION',
    })
    expect(await historyOf(id)).toEqual([1])
  })
})

describe('a period', () => {
  test('is deleted with a reason, up to its end', async () => {
    const id = await newState()
    await write(id, [1, 2, 3, 4])
    const period = { id, startDate: at(1), endDate: at(3), reason: 'Sensor was removed' }
    expect(await api.stateValue.delete(period)).toEqual({ deleted: 2, job: null })
    await settled()
    expect(await historyOf(id)).toEqual([1, 4])
    expect(await dayOf(id, 'count')).toBe(2)
    await api.stateValue.delete({ ...period, startDate: at(0), endDate: at(60) })
    expect(await api.state.get({ id })).toMatchObject({ value: null, time: null })
    const entries = (await activitiesOf(id)).filter(({ action }) => action === 'deleteValues')
    expect(entries.map(({ changes }) => changes)).toMatchObject([
      { values: 2 },
      { values: 2, reason: 'Sensor was removed', startDate: at(1), endDate: at(3) },
    ])
  })

  test('with many values is deleted in the background', async () => {
    const id = await newState()
    const count = valueLimits.pageMax + 5
    const start = Date.UTC(2026, 10, 21)
    await app.app.series.write(
      Array.from({ length: count }, (_, n) => ({ stateId: id, value: n, time: new Date(start + n * 1000) })),
    )
    const { deleted, job } = await api.stateValue.delete({
      id,
      startDate: new Date(start).toISOString(),
      endDate: new Date(start + count * 1000).toISOString(),
      reason: 'Sensor was removed',
    })
    expect([deleted, job?.total]).toEqual([valueLimits.pageMax, 5])
    await settled()
    expect(await historyOf(id)).toEqual([])
  })
})

describe('a file of values across twins', () => {
  const upload = (text: string, changes: object = {}, caller = api) =>
    caller.stateValue.uploadAcross({
      file: new File([text], 'all.csv'),
      accountId: account.id,
      dryRun: false,
      ...changes,
    })

  async function twinWith(title: string, keys: readonly string[], parentId?: number) {
    const place = parentId === undefined ? { accountId: account.id } : { parentId }
    const { id } = await api.digitaltwin.create({ title, ...place })
    const states = await Promise.all(
      keys.map(async (key) => (await api.state.create({ dtwinId: id, key, title: key, source: 'none' })).id),
    )
    return { id, states: states as [number, ...number[]] }
  }

  test('finds twins by id, title and path; faulty cells are left out', async () => {
    const school = await twinWith('Primary school', ['heat'])
    const room = await twinWith('Room 1', ['co2', 'heat'], school.id)
    const hall = await twinWith('Sports hall', ['heat'])
    const other = await twinWith('Room 1', ['co2'], hall.id)
    const text = [
      'Zeit (UTC);Zwilling;Schlüssel;Wert',
      `2026-11-24 00:00;${school.id};heat;20,5`,
      '2026-11-24 00:00;primary school / Room 1;co2;800',
      '2026-11-24 00:00;Room 1;co2;1',
      '2026-11-24 00:00;Attic;co2;1',
      '2026-11-24 00:00;Sports hall;co2;1',
      '2026-11-24 00:00;Sports hall;heat;warm',
      'soon;Sports hall;heat;1',
      '2026-11-24 00:00;Sports hall / Room 1;co2;600',
    ].join('\n')
    const preview = await upload(text, { dryRun: true })
    expect(preview).toMatchObject({
      rows: 8,
      values: 3,
      twins: 3,
      statesTotal: 3,
      faulty: 5,
      jobs: [],
      ignored: [],
    })
    expect(preview.faults).toEqual([
      { row: 4, column: 'Zwilling', code: 'TWIN_AMBIGUOUS', cell: 'Room 1' },
      { row: 5, column: 'Zwilling', code: 'TWIN_UNKNOWN', cell: 'Attic' },
      { row: 6, column: 'Schlüssel', code: 'STATE_UNKNOWN', cell: 'co2' },
      { row: 7, column: 'Wert', code: 'VALUE', cell: 'warm' },
      { row: 8, column: 'Zeit (UTC)', code: 'TIME', cell: 'soon' },
    ])
    expect(preview.states[0]).toEqual({
      stateId: school.states[0],
      title: 'heat',
      twinId: school.id,
      twinTitle: 'Primary school',
      values: 1,
      from: at(0),
      to: at(0),
    })
    expect(await historyOf(school.states[0])).toEqual([])
    await upload(text)
    await settled()
    expect(await historyOf(school.states[0])).toEqual([20.5])
    expect(await historyOf(room.states[0])).toEqual([800])
    expect(await historyOf(other.states[0])).toEqual([600])
    expect(await historyOf(hall.states[0])).toEqual([])
    const { items } = await app.api.activityLog.list({
      subject: 'DigitalTwin',
      objectId: room.id,
      limit: 100,
    })
    expect(items.find(({ action }) => action === 'uploadValues')?.changes).toEqual({
      file: 'all.csv',
      values: 1,
      states: 1,
    })
  })

  test('has a column for each state, and names the columns that no twin has', async () => {
    const one = await twinWith('Boiler 1', ['flow', 'return'])
    const two = await twinWith('Boiler 2', ['flow'])
    const text = ['time,twin,flow,Return,note', `${at(0)},Boiler 1,60,40,x`, `${at(0)},Boiler 2,61,,x`].join(
      '\n',
    )
    expect(await upload(text)).toMatchObject({ values: 3, faulty: 0, ignored: ['note'] })
    await settled()
    expect(await historyOf(one.states[1] as number)).toEqual([40])
    expect(await historyOf(two.states[0])).toEqual([61])
  })

  test('values of twins the caller may not change are faults, those of twins unseen are unknown', async () => {
    const hidden = await createAccount(app, { name: 'Hidden' })
    const { id } = await app.api.digitaltwin.create({ title: 'Vault', accountId: hidden.id })
    await app.api.state.create({ dtwinId: id, key: 'heat', title: 'heat', source: 'none' })
    const seen = await twinWith('Seen only', ['heat'])
    const text = ['time,twin,key,value', `${at(0)},${id},heat,1`, `${at(0)},${seen.id},heat,1`].join('\n')
    const mine = await twinWith('Mine', ['heat'])
    const { scopeId } = await app.api.digitaltwin.createScope({ id: mine.id })
    const keeper = await createUser(app, account, [
      { roleId: await roleNamed(app, 'Viewer') },
      { roleId: await roleNamed(app, 'Operator'), scopeId },
    ])
    const of = await upload(`${text}\n${at(0)},Mine,heat,7`, {}, keeper.api)
    expect(of).toMatchObject({
      values: 1,
      faults: [
        { row: 2, code: 'TWIN_UNKNOWN' },
        { row: 3, code: 'TWIN_FORBIDDEN' },
      ],
    })
    await settled()
    expect(await historyOf(mine.states[0])).toEqual([7])
    expect((await upload(text, { dryRun: true })).faults).toMatchObject([{ row: 2, code: 'TWIN_UNKNOWN' }])
    expect(await errorOf(upload(text, {}, viewer))).toMatchObject({ code: 'NO_PERMISSION' })
    expect(await errorOf(upload(text, { accountId: hidden.id }))).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    expect(await historyOf(seen.states[0])).toEqual([])
  })

  test('with many values is stored in the background', async () => {
    const twins = await Promise.all(['Meter A', 'Meter B'].map((title) => twinWith(title, ['energy'])))
    const start = Date.UTC(2026, 9, 1)
    const rows = Array.from(
      { length: 2_400 },
      (_, n) => `${start + n * 1000},${twins[n % 2]?.id},energy,${n}`,
    )
    const { jobs } = await upload(['time,twin,key,value', ...rows].join('\n'))
    expect(jobs).toMatchObject([{ type: 'state-values-upload', title: 'all.csv', total: 1_400 }])
    await settled()
    expect(await api.state.get({ id: twins[1]?.states[0] as number })).toMatchObject({ value: 2_399 })
  })

  test('without a column for the twin is refused: VALUE_UPLOAD_TWIN_COLUMN', async () => {
    for (const text of ['time,key,value\n2026-01-01,heat,1', 'twin,heat\n1,1', 'time,twin\n2026-01-01,1'])
      expect(await errorOf(upload(text))).toMatchObject({ code: 'VALUE_UPLOAD_TWIN_COLUMN' })
  })

  test('is refused while the values of one of its twins are being converted: DTWIN_STATE_CONVERTING', async () => {
    const { id, states } = await twinWith('Converted', ['heat'])
    const waiting = {
      created_at: new Date(),
      type: 'state-values-convert',
      resource_type: 'digitalTwin',
    } as const
    await app.ctx.db
      .insertInto('background_jobs')
      .values({
        ...waiting,
        account_id: account.id,
        scope_id: account.scopeId,
        title: 'Converting',
        user_name: 'somebody',
        resource_id: id,
        params: '{}',
        total: 1,
        state: 'canceled',
      })
      .execute()
    const text = `time,twin,heat\n${at(0)},${id},1`
    expect(await errorOf(upload(text))).toMatchObject({ code: 'DTWIN_STATE_CONVERTING' })
    expect(await historyOf(states[0])).toEqual([])
  })
})

describe('a file of values', () => {
  const upload = (text: string, changes: object = {}, caller = api) =>
    caller.stateValue.upload({
      file: new File([text], 'values.csv'),
      dtwinId: twinId,
      dryRun: false,
      ...changes,
    })

  test('is checked, then stored without what is faulty', async () => {
    const [first, second] = [await newState(), await newState({ valueType: 'boolean' })]
    const copy = await newState({
      source: 'aggregate',
      sourceSettings: { stateIds: [first], method: 'latest' },
    })
    await write(first, [1])
    const keyOf = async (id: number) => (await api.state.get({ id })).key
    const text = [
      `Zeit;${await keyOf(first)};${await keyOf(second)};${await keyOf(copy)};note`,
      '2026-11-24 01:00;5,5;true;7;x',
      '2026-11-24 01:01;warm;false;;',
      'soon;8;;;',
    ].join('\n')
    const preview = await upload(text, { dryRun: true })
    expect(preview).toMatchObject({
      rows: 3,
      values: 3,
      faulty: 2,
      faults: [
        { row: 3, column: await keyOf(first), code: 'VALUE', cell: 'warm' },
        { row: 4, column: 'Zeit', code: 'TIME', cell: 'soon' },
      ],
      states: [
        { stateId: first, values: 1, from: at(0) },
        { stateId: second, values: 2, from: at(0), to: at(1) },
      ],
      ignored: [await keyOf(copy), 'note'],
      job: null,
    })
    expect(await historyOf(first)).toEqual([1])
    await upload(text)
    await settled()
    expect(await historyOf(first)).toEqual([5.5])
    expect(await historyOf(copy)).toEqual([5.5])
    expect(await historyOf(second)).toEqual([true, false])
    const { items } = await app.api.activityLog.list({ subject: 'DigitalTwin', objectId: twinId, limit: 100 })
    expect(items.find(({ action }) => action === 'uploadValues')?.changes).toMatchObject({
      file: 'values.csv',
      values: 3,
      faulty: 2,
    })
  })

  test('with many values is stored in the background', async () => {
    const id = await newState()
    const start = Date.UTC(2026, 9, 1)
    const rows = Array.from({ length: 2_500 }, (_, n) => `${start + n * 1000},${n}`)
    const { job } = await upload(['time,value', ...rows].join('\n'), { stateId: id })
    expect(job).toMatchObject({ type: 'state-values-upload', total: 1_500 })
    await settled()
    expect(await api.state.get({ id })).toMatchObject({ value: 2_499 })
    const left = await app.ctx.db.selectFrom('value_uploads').select('part').execute()
    expect(left).toEqual([])
  })

  test('is refused for others, for computed states and without columns', async () => {
    const id = await newState()
    const text = 'time;value\n2026-11-24 01:00;5'
    expect(await errorOf(upload(text, { stateId: id }, viewer))).toMatchObject({ code: 'NO_PERMISSION' })
    expect(await errorOf(upload(text))).toMatchObject({ code: 'VALUE_UPLOAD_COLUMNS' })
    const copy = await newState({ source: 'aggregate', sourceSettings: { stateIds: [id], method: 'latest' } })
    expect(await errorOf(upload(text, { stateId: copy }))).toMatchObject({ code: 'DTWIN_STATE_COMPUTED' })
    const elsewhere = await api.digitaltwin.create({ title: 'Elsewhere', accountId: account.id })
    expect(await errorOf(upload(text, { dtwinId: elsewhere.id, stateId: id }))).toMatchObject({
      code: 'DTWIN_STATE_NOT_FOUND',
    })
  })
})
