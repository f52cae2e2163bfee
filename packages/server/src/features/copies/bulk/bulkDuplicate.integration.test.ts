import { copyLimits } from '@leitstand/contract/copies'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { beforeItStarts } from '../../../../test/jobs.ts'
import {
  type Api,
  createAccount,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { createTwin, writeValues } from '../../../../test/twins.ts'

let app: TestApp
let north: Tenant
let south: Tenant

interface Tenant {
  id: number
  scopeId: number
  api: Api
}

beforeAll(async () => {
  app = await startApp()
  north = await tenant('North')
  south = await tenant('South')
})

async function tenant(name: string): Promise<Tenant> {
  const account = await createAccount(app, { name })
  const { api } = await createUser(app, account, [{ roleId: await roleNamed(app, 'Operator') }])
  return { ...account, api }
}

/** A house with a room; the house has the mean of the room. */
async function house({ api, id: accountId }: Tenant = north) {
  const top = await api.digitaltwin.create({
    title: 'House',
    accountId,
    type: 'building',
    tags: ['public'],
    keyValues: { maker: 'Acme' },
    referenceIds: [{ name: 'meter', value: '4711' }],
  })
  const room = await api.digitaltwin.create({ title: 'Room', parentId: top.id, type: 'room' })
  const warm = await api.state.create({ dtwinId: room.id, key: 'warm', title: 'Warm', source: 'none' })
  const sourceSettings = { stateIds: [warm.id], method: 'avg' as const }
  await api.state.create({ dtwinId: top.id, key: 'mean', title: 'Mean', source: 'aggregate', sourceSettings })
  return top
}

const upload = (api: Api, lines: string[]) =>
  api.bulkDuplicate.upload({ file: new File([lines.join('\n')], 'houses.csv') })

/** The suggested columns of an uploaded file, as they are confirmed. */
async function dataOf(api: Api, lines: string[]) {
  const { id: uploadId, columns } = await upload(api, lines)
  return {
    uploadId,
    columns: columns.flatMap(({ target, name, format }, column) => {
      if (target === null) return []
      const isNamed = target === 'keyValue' || target === 'referenceId'
      return [{ column, target, format, ...(isNamed ? { name } : {}) }]
    }),
  }
}

const rowsOf = async (api: Api, id: number) => (await api.job.rows({ id, limit: 100 })).items

describe('a file', () => {
  test('makes one copy per row with all below it; faulty rows are listed and the others created', async () => {
    const { api } = north
    const { id, accountId } = await house()
    const street = await api.digitaltwin.create({ title: 'Street', accountId })
    const twinsData = await dataOf(api, [
      'Titel;Tags;Übergeordneter Zwilling;Referenz-ID meter;Eigenschaft serial hex;Breite;Länge',
      'House 1;new, red;Street;0815;0aff;53,5;10',
      ';;;;;;',
      'House 2;;nowhere;;;;',
      'House 3;;;;abc;;',
      `House 4;;${street.id};;;;`,
    ])
    const wanted = { id, accountId, twinsData, referenceIds: true }
    const preview = await api.bulkDuplicate.preview(wanted)
    expect(preview).toEqual({
      rows: 4,
      valid: 2,
      faulty: 2,
      rowsMax: 500,
      twins: 2,
      faults: [
        {
          row: 3,
          title: 'House 2',
          faults: [{ code: 'DTWIN_NOT_FOUND', column: 'Übergeordneter Zwilling' }],
        },
        { row: 4, title: 'House 3', faults: [{ code: 'HEX_INVALID', column: 'Eigenschaft serial hex' }] },
      ],
    })
    const run = (skipFaulty: boolean) =>
      api.bulkDuplicate.run({ ...wanted, title: 'Houses by file', skipFaulty })
    expect(await errorOf(run(false))).toMatchObject({
      code: 'BULK_ROWS_FAULTY',
      data: { faulty: 2, rows: 4 },
    })
    expect((await api.digitaltwin.list({ search: 'House 1' })).total).toBe(0)
    const job = await run(true)
    expect(job).toMatchObject({ type: 'digitaltwin-bulk-duplicate', title: 'Houses by file', total: 4 })
    await app.drain()
    expect(await api.job.get({ id: job.id })).toMatchObject({
      state: 'done',
      result: { done: 2, failed: 2, 'failed:DTWIN_NOT_FOUND': 1, 'failed:HEX_INVALID': 1 },
    })
    const rows = await rowsOf(api, job.id)
    expect(rows.map(({ row, state }) => [row, state])).toEqual([
      [2, 'done'],
      [3, 'failed'],
      [4, 'failed'],
      [5, 'done'],
    ])
    const first = await api.digitaltwin.get({ id: rows[0]?.objectId ?? 0 })
    expect(first).toMatchObject({
      title: 'House 1',
      type: 'building',
      parentId: street.id,
      tags: ['new', 'red'],
      latitude: 53.5,
      longitude: 10,
      keyValues: { maker: 'Acme', 'serial hex': '0AFF' },
      referenceIds: [{ name: 'meter', value: '0815' }],
      childCount: 1,
    })
    expect(await api.digitaltwin.get({ id: rows[3]?.objectId ?? 0 })).toMatchObject({
      title: 'House 4',
      parentId: street.id,
      tags: ['public'],
      referenceIds: [{ name: 'meter', value: '4711' }],
    })
    // The copy is computed from its own room.
    const [room] = (await api.digitaltwin.children({ id: first.id })).items
    const [warm] = (await api.digitaltwin.states({ id: room?.id ?? 0 })).items
    await writeValues(app, [{ stateId: warm?.id ?? 0, value: 21, time: new Date() }])
    await app.app.series.settle()
    expect((await api.digitaltwin.states({ id: first.id })).items).toMatchObject([{ key: 'mean', value: 21 }])
    // The file is gone, and the log names the job and each copy.
    expect(await errorOf(api.bulkDuplicate.preview(wanted))).toMatchObject({ code: 'BULK_UPLOAD_NOT_FOUND' })
    const log = await app.api.activityLog.list({ subject: 'DigitalTwin', objectId: first.id })
    expect(log.items).toMatchObject([{ action: 'create', changes: { copyOf: 'House', copyOfId: id } }])
  })

  test('may put copies below the twin itself, which are not copied again', async () => {
    const { api } = north
    const { id } = await house()
    const twinsData = await dataOf(api, ['title', 'Wing 1', 'Wing 2'])
    const job = await api.bulkDuplicate.run({ id, parentId: id, twinsData, title: 'Wings' })
    await app.drain()
    const rows = await rowsOf(api, job.id)
    const [, second] = rows
    expect(rows.every(({ state }) => state === 'done')).toBe(true)
    expect((await api.digitaltwin.children({ id: second?.objectId ?? 0 })).items).toHaveLength(1)
  })

  test('cannot put a copy where the caller may not create one', async () => {
    const { api, id: accountId } = north
    const { id } = await house()
    const foreign = await createTwin(app, south, { title: 'Foreign' })
    const site = await createTwin(app, north, { title: 'Closed' })
    await app.api.digitaltwin.createScope({ id: site.id })
    const twinsData = await dataOf(api, ['title;parent', `One;${foreign.id}`])
    const { faults } = await api.bulkDuplicate.preview({ id, accountId, twinsData })
    expect(faults).toMatchObject([{ faults: [{ code: 'DTWIN_NOT_FOUND', column: 'parent' }] }])
    const there = api.bulkDuplicate.preview({ id, parentId: foreign.id, twinsData })
    expect(await errorOf(there)).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
    const elsewhere = api.bulkDuplicate.preview({ id, accountId: south.id, twinsData })
    expect(await errorOf(elsewhere)).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    const template = api.bulkDuplicate.preview({ id: foreign.id, accountId, twinsData })
    expect(await errorOf(template)).toMatchObject({ code: 'DTWIN_NOT_FOUND', data: { id: foreign.id } })
  })

  test('of another user is not found', async () => {
    const { id } = await house(south)
    const twinsData = await dataOf(north.api, ['title', 'One'])
    const theirs = south.api.bulkDuplicate.preview({ id, accountId: south.id, twinsData })
    expect(await errorOf(theirs)).toMatchObject({ code: 'BULK_UPLOAD_NOT_FOUND' })
  })

  test('is checked again row by row: a parent that is gone by then fails its row, a retry goes on', async () => {
    const { api, id: accountId } = north
    const { id } = await house()
    const site = await api.digitaltwin.create({ title: 'Site of then', accountId })
    const twinsData = await dataOf(api, ['title;parent', 'One;Site of then', 'Two;'])
    const job = await beforeItStarts(
      app,
      () => api.bulkDuplicate.run({ id, accountId, twinsData, title: 'Two copies' }),
      () => api.digitaltwin.update({ ...site, title: 'Site of now' }),
    )
    expect((await rowsOf(api, job.id)).map(({ state, faults }) => [state, faults[0]?.code])).toEqual([
      ['failed', 'DTWIN_NOT_FOUND'],
      ['done', undefined],
    ])
    const current = await api.digitaltwin.get({ id: site.id })
    await api.digitaltwin.update({ ...current, title: 'Site of then' })
    await api.job.retry({ id: job.id })
    await app.drain()
    expect((await rowsOf(api, job.id)).map(({ state }) => state)).toEqual(['done', 'done'])
  })
})

describe('before anything is copied', () => {
  test('more rows than the account allows are refused', async () => {
    const small = await tenant('Small')
    const { id } = await house(small)
    await sql`update accounts set bulk_limit = 2 where id = ${small.id}`.execute(app.ctx.db)
    const twinsData = await dataOf(small.api, ['title', '1', '2', '3'])
    const wanted = { id, accountId: small.id, twinsData }
    expect(await small.api.bulkDuplicate.preview(wanted)).toMatchObject({ rows: 3, rowsMax: 2 })
    const run = small.api.bulkDuplicate.run({ ...wanted, title: 'Too many' })
    expect(await errorOf(run)).toMatchObject({ code: 'BACKGROUND_JOB_TOO_LARGE', data: { rowsMax: 2 } })
    expect((await small.api.job.list({})).total).toBe(0)
  })

  test('files beyond the limit of the account are refused, for all copies together', async () => {
    const small = await tenant('Full')
    const { id } = await house(small)
    const file = new File([Buffer.alloc(400_000, 'a')], 'plan.txt')
    await small.api.upload.post({ file, object: 'digitalTwin', objectId: id, role: 'attachment' })
    await app.ctx.db.updateTable('accounts').set({ file_megabytes: 1 }).where('id', '=', small.id).execute()
    const twinsData = await dataOf(small.api, ['title', '1', '2'])
    const wanted = { id, accountId: small.id, twinsData }
    expect(await errorOf(small.api.bulkDuplicate.preview(wanted))).toMatchObject({
      code: 'TENANT_FILE_LIMIT',
    })
    expect(await small.api.bulkDuplicate.preview({ ...wanted, files: false })).toMatchObject({ valid: 2 })
  })

  test('a twin with too much below it is refused', async () => {
    const { api, id: accountId } = north
    const { id } = await api.digitaltwin.create({ title: 'Tower', accountId })
    for (let at = 0; at < copyLimits.directTwinsMax; at++) await createTwin(app, north, { parentId: id })
    const twinsData = await dataOf(api, ['title', 'One'])
    expect(await errorOf(api.bulkDuplicate.preview({ id, accountId, twinsData }))).toMatchObject({
      code: 'BULK_TEMPLATE_TOO_LARGE',
      data: { twinsMax: copyLimits.directTwinsMax },
    })
    const alone = { id, accountId, twinsData, descendants: false }
    expect(await api.bulkDuplicate.preview(alone)).toMatchObject({ valid: 1, twins: 1 })
  })
})
