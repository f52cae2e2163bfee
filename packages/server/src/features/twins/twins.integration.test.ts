import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createRole,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { createState, writeValues } from '../../../test/twins.ts'

let app: TestApp
let north: { id: number; scopeId: number; api: Api }
let south: { id: number; scopeId: number; api: Api }

beforeAll(async () => {
  app = await startApp()
  north = await accountWithOperator('North')
  south = await accountWithOperator('South')
})

async function accountWithOperator(name: string) {
  const account = await createAccount(app, { name })
  const { api } = await createUser(app, account, [{ roleId: await roleNamed(app, 'Operator') }])
  return { ...account, api }
}

const titles = (page: { items: { title: string }[] }) => page.items.map(({ title }) => title)

/** Updates a twin like an editor: sends it as read, with changes. */
async function edit(api: Api, id: number, changes: object) {
  const twin = await api.digitaltwin.get({ id })
  return api.digitaltwin.update({ ...twin, ...changes })
}

const areaOf = (...corners: [number, number][]) => ({
  type: 'Polygon' as const,
  coordinates: [[...corners, ...corners.slice(0, 1)]],
})

async function activityOf(subject: string, objectId: number) {
  const page = await app.api.activityLog.list({ subject, objectId, limit: 100 })
  return page.items.map(({ action, changes }) => ({ action, changes }))
}

describe('twins', () => {
  test('live in a tree, inherit account and scope, and are read back as they were written', async () => {
    const building = await north.api.digitaltwin.create({
      accountId: north.id,
      title: ' Town hall ',
      type: 'building',
      tags: ['public'],
      zones: ['centre'],
      keyValues: { year: '1901' },
      latitude: 51.5,
      longitude: 7.4,
      referenceIds: [
        { name: 'meter', value: '4711' },
        { name: 'meter', value: '4711' },
      ],
      geoPolygon: {
        type: 'Polygon',
        coordinates: [
          [
            [7, 51],
            [8, 51],
            [8, 52],
            [7, 51],
          ],
        ],
      },
    })
    expect(building).toMatchObject({
      title: 'Town hall',
      accountId: north.id,
      scopeId: north.scopeId,
      parentId: null,
      ancestors: [],
      editable: true,
      referenceIds: [{ name: 'meter', value: '4711' }],
      keyValues: { year: '1901' },
      version: 1,
    })
    const floor = await north.api.digitaltwin.create({
      parentId: building.id,
      title: 'Floor 1',
      type: 'floor',
    })
    const room = await north.api.digitaltwin.create({ parentId: floor.id, title: 'Room 101', type: 'room' })
    expect(room).toMatchObject({ accountId: north.id, scopeId: north.scopeId, parentTitle: 'Floor 1' })
    expect(room.ancestors.map(({ title }) => title)).toEqual(['Town hall', 'Floor 1'])
    expect(await north.api.digitaltwin.get({ id: building.id })).toMatchObject({ childCount: 1 })
    expect(await activityOf('DigitalTwin', room.id)).toEqual([{ action: 'create', changes: null }])
  })

  test('need a parent or an account, and rights there', async () => {
    expect(await errorOf(north.api.digitaltwin.create({ title: 'Nowhere' }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { field: 'parentId' },
    })
    expect(await errorOf(north.api.digitaltwin.create({ title: 'x', accountId: south.id }))).toMatchObject({
      code: 'TENANT_NOT_FOUND',
    })
    const theirs = await south.api.digitaltwin.create({ title: 'Theirs', accountId: south.id })
    expect(await errorOf(north.api.digitaltwin.create({ title: 'x', parentId: theirs.id }))).toMatchObject({
      code: 'DTWIN_NOT_FOUND',
    })
    const own = await north.api.digitaltwin.create({ title: 'Own', accountId: north.id })
    const contradiction = { title: 'x', parentId: own.id, accountId: south.id }
    expect(await errorOf(app.api.digitaltwin.create(contradiction))).toMatchObject({
      code: 'VALIDATION_ERROR',
    })
  })

  test('a polygon that is none is refused with the place of the mistake', async () => {
    const bad = areaOf([7, 51], [8, 51], [7, 52], [8, 52.5])
    for (const [geoPolygon, message, path] of [
      [bad, 'polygonCrosses', ['coordinates', '0', '3']],
      [areaOf([7, 51], [8, 51], [8, 520]), 'polygonRange', ['coordinates', '0', '2']],
      [areaOf([7, 51], [8, 52], [9, 53]), 'polygonFlat', ['coordinates', '0']],
    ] as const) {
      const error = await errorOf(
        north.api.digitaltwin.create({ title: 'x', accountId: north.id, geoPolygon }),
      )
      expect(error).toMatchObject({
        code: 'PARAMETER_VALIDATION_ERROR',
        data: { issues: [{ path: ['geoPolygon', ...path], message }] },
      })
    }
    const { id } = await north.api.digitaltwin.create({ title: 'Yard', accountId: north.id })
    expect(await errorOf(edit(north.api, id, { geoPolygon: bad }))).toMatchObject({
      data: { issues: [{ path: ['geoPolygon', 'coordinates', '0', '3'], message: 'polygonCrosses' }] },
    })
    expect(await north.api.digitaltwin.get({ id })).toMatchObject({ geoPolygon: null, version: 1 })
  })

  describe('zones', () => {
    const lacking = {
      code: 'PARAMETER_VALIDATION_ERROR',
      data: { issues: [{ path: ['geoPolygon'], message: 'zoneNeedsPolygon' }] },
    }
    const geoPolygon = areaOf([7, 51], [8, 51], [8, 52])

    test('are not created without a polygon, and do not lose it', async () => {
      const input = { title: 'Yard', accountId: north.id, type: 'zone' as const }
      expect(await errorOf(north.api.digitaltwin.create(input))).toMatchObject(lacking)
      const { id } = await north.api.digitaltwin.create({ ...input, geoPolygon })
      expect(await errorOf(edit(north.api, id, { geoPolygon: null }))).toMatchObject(lacking)
      expect(await north.api.digitaltwin.get({ id })).toMatchObject({ geoPolygon, version: 1 })
      const moved = areaOf([7.1, 51], [8.1, 51], [8.1, 52])
      expect(await edit(north.api, id, { geoPolygon: moved })).toMatchObject({ geoPolygon: moved })
      expect(await activityOf('DigitalTwin', id)).toEqual([
        { action: 'update', changes: { geoPolygon: { before: geoPolygon, after: moved } } },
        { action: 'create', changes: null },
      ])
      expect(await edit(north.api, id, { type: 'room', geoPolygon: null })).toMatchObject({
        geoPolygon: null,
      })
    })

    test('are not made of twins without a polygon', async () => {
      const { id } = await north.api.digitaltwin.create({ title: 'Yard', accountId: north.id })
      expect(await errorOf(edit(north.api, id, { type: 'zone' }))).toMatchObject(lacking)
      expect(await edit(north.api, id, { type: 'zone', geoPolygon })).toMatchObject({ type: 'zone' })
    })

    test('of earlier versions are read and disabled without one, but not edited', async () => {
      const { id } = await north.api.digitaltwin.create({ title: 'Old yard', accountId: north.id })
      await app.ctx.db.updateTable('twins').set({ type: 'zone' }).where('id', '=', id).execute()
      expect(await north.api.digitaltwin.get({ id })).toMatchObject({ type: 'zone', geoPolygon: null })
      expect(await errorOf(edit(north.api, id, { title: 'Yard' }))).toMatchObject(lacking)
      expect(await north.api.digitaltwin.setDisabled({ id, flag: true })).toMatchObject({ disabled: true })
      expect(await edit(north.api, id, { title: 'Yard', geoPolygon })).toMatchObject({ title: 'Yard' })
    })
  })

  test('contacts are kept as written, and refused at their field', async () => {
    const { api } = north
    const caretaker = {
      name: ' Ada Novak ',
      role: 'Caretaker',
      phone: '+49 (0)40 / 12-3',
      email: 'ada@example.org',
    }
    const twin = await api.digitaltwin.create({ title: 'House', accountId: north.id, contacts: [caretaker] })
    expect(twin.contacts).toEqual([{ ...caretaker, name: 'Ada Novak' }])
    const changed = await edit(api, twin.id, { contacts: [{ name: 'Desk' }] })
    expect(changed.contacts).toEqual([{ name: 'Desk', role: '', phone: '', email: '' }])
    expect((await activityOf('DigitalTwin', twin.id)).at(0)?.changes).toMatchObject({
      contacts: expect.anything(),
    })
    for (const [field, contact] of [
      ['name', { name: ' ' }],
      ['phone', { name: 'x', phone: 'javascript:alert(1)' }],
      ['email', { name: 'x', email: 'a@b?cc=c' }],
    ] as const) {
      const error = await errorOf(edit(api, twin.id, { contacts: [caretaker, contact] }))
      expect(error).toMatchObject({
        code: 'PARAMETER_VALIDATION_ERROR',
        data: { issues: [{ path: ['contacts', '1', field] }] },
      })
    }
    const many = Array.from({ length: 21 }, () => caretaker)
    expect(await errorOf(edit(api, twin.id, { contacts: many }))).toMatchObject({
      code: 'PARAMETER_VALIDATION_ERROR',
    })
    expect((await api.digitaltwin.get({ id: twin.id })).contacts).toEqual(changed.contacts)
  })

  test('a change keeps what was there for the log and refuses an older version', async () => {
    const twin = await north.api.digitaltwin.create({ title: 'Before', accountId: north.id, tags: ['a'] })
    const changed = await edit(north.api, twin.id, {
      title: 'After',
      tags: ['b'],
      referenceIds: [{ name: 'n', value: 'v' }],
    })
    expect(changed).toMatchObject({ title: 'After', version: 2, referenceIds: [{ name: 'n', value: 'v' }] })
    expect((await activityOf('DigitalTwin', twin.id))[0]).toEqual({
      action: 'update',
      changes: {
        title: { before: 'Before', after: 'After' },
        tags: { before: ['a'], after: ['b'] },
        referenceIds: { before: [], after: [{ name: 'n', value: 'v' }] },
      },
    })
    expect(await errorOf(north.api.digitaltwin.update({ ...twin, title: 'Late' }))).toMatchObject({
      code: 'VERSION_CONFLICT',
      data: { version: 2 },
    })
    expect(await north.api.digitaltwin.get({ id: twin.id })).toMatchObject({ title: 'After' })
  })

  test('move with everything below them, but not below themselves and not to another account', async () => {
    const api = app.api
    const [a, b] = [
      await api.digitaltwin.create({ title: 'A', accountId: north.id }),
      await api.digitaltwin.create({ title: 'B', accountId: north.id }),
    ]
    const child = await api.digitaltwin.create({ title: 'Child', parentId: a.id })
    expect(await edit(api, a.id, { parentId: b.id })).toMatchObject({ parentId: b.id })
    expect((await api.digitaltwin.get({ id: child.id })).ancestors.map(({ title }) => title)).toEqual([
      'B',
      'A',
    ])
    expect(await errorOf(edit(api, b.id, { parentId: child.id }))).toMatchObject({
      code: 'DTWIN_MOVE_TO_DESCENDANT',
    })
    expect(await errorOf(edit(api, b.id, { parentId: b.id }))).toMatchObject({
      code: 'DTWIN_MOVE_TO_DESCENDANT',
    })
    const foreign = await api.digitaltwin.create({ title: 'Foreign', accountId: south.id })
    expect(await errorOf(edit(api, a.id, { parentId: foreign.id }))).toMatchObject({
      code: 'DTWIN_ACCOUNT_CHANGE',
    })
    expect(await edit(api, a.id, { parentId: null })).toMatchObject({ parentId: null, ancestors: [] })
  })

  test('two moves at once cannot make a ring', async () => {
    const [a, b] = [
      await app.api.digitaltwin.create({ title: 'Ring A', accountId: north.id }),
      await app.api.digitaltwin.create({ title: 'Ring B', accountId: north.id }),
    ]
    const results = await Promise.allSettled([
      edit(app.api, a.id, { parentId: b.id }),
      edit(app.api, b.id, { parentId: a.id }),
    ])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('a twin and what lies below it can be moved, disabled and deleted at once without waiting for each other', async () => {
    const [top, place] = [
      await app.api.digitaltwin.create({ title: 'Top', accountId: north.id }),
      await app.api.digitaltwin.create({ title: 'Place', accountId: north.id }),
    ]
    const children = []
    for (let n = 0; n < 5; n++)
      children.push(await app.api.digitaltwin.create({ title: `C${n}`, parentId: top.id }))
    const results = await Promise.allSettled([
      edit(app.api, top.id, { parentId: place.id }),
      ...children.map(({ id }) => edit(app.api, id, { parentId: place.id })),
      app.api.digitaltwin.setDisabled({ id: top.id, flag: true }),
      app.api.digitaltwin.setDisabled({ id: place.id, flag: true }),
    ])
    const codes = results.flatMap((each) =>
      each.status === 'rejected' ? [(each.reason as { code: string }).code] : [],
    )
    expect(codes.filter((code) => code !== 'VERSION_CONFLICT')).toEqual([])
  })

  test('a twin with a scope of its own keeps it when it moves; the rest takes the scope of the new parent', async () => {
    const { db } = app.ctx
    const house = await app.api.digitaltwin.create({ title: 'House', accountId: north.id })
    const flat = await app.api.digitaltwin.create({ title: 'Flat', parentId: house.id })
    const scopeOf = async (id: number) => (await app.api.digitaltwin.get({ id })).scopeId
    const own = await db
      .insertInto('scopes')
      .values({ account_id: north.id, parent_id: north.scopeId, twin_id: house.id, name: 'House' })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db.updateTable('twins').set({ scope_id: own.id }).where('id', 'in', [house.id, flat.id]).execute()
    app.app.people.forgetRights()

    const street = await app.api.digitaltwin.create({ title: 'Street', accountId: north.id })
    await edit(app.api, house.id, { parentId: street.id })
    expect([await scopeOf(house.id), await scopeOf(flat.id)]).toEqual([own.id, own.id])
    await edit(app.api, flat.id, { parentId: street.id })
    expect(await scopeOf(flat.id)).toBe(north.scopeId)
    await edit(app.api, flat.id, { parentId: house.id })
    expect(await scopeOf(flat.id)).toBe(own.id)

    const tenant = await createUser(app, north, [{ roleId: await roleNamed(app, 'Viewer'), scopeId: own.id }])
    const top = await tenant.api.digitaltwin.children({ id: 0 })
    expect(titles(top)).toEqual(['House'])
    expect(top.items[0]).toMatchObject({ parentId: null, parentTitle: null, childCount: 1 })
    expect((await tenant.api.digitaltwin.get({ id: flat.id })).ancestors.map(({ title }) => title)).toEqual([
      'House',
    ])
    expect((await tenant.api.digitaltwin.get({ id: house.id })).ancestors).toEqual([])
    expect(await errorOf(tenant.api.digitaltwin.get({ id: street.id }))).toMatchObject({
      code: 'DTWIN_NOT_FOUND',
    })
  })

  test('who sees only a part of the tree keeps the parent they cannot see', async () => {
    const { db } = app.ctx
    const hidden = await app.api.digitaltwin.create({ title: 'Hidden parent', accountId: north.id })
    const shown = await app.api.digitaltwin.create({ title: 'Shown', parentId: hidden.id })
    const own = await db
      .insertInto('scopes')
      .values({ account_id: north.id, parent_id: north.scopeId, twin_id: shown.id, name: 'Shown' })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db.updateTable('twins').set({ scope_id: own.id }).where('id', '=', shown.id).execute()
    app.app.people.forgetRights()
    const { api } = await createUser(app, north, [
      { roleId: await roleNamed(app, 'Operator'), scopeId: own.id },
    ])
    await edit(api, shown.id, { title: 'Shown still' })
    expect(await app.api.digitaltwin.get({ id: shown.id })).toMatchObject({
      title: 'Shown still',
      parentId: hidden.id,
    })
  })

  test('who may only read cannot change', async () => {
    const twin = await north.api.digitaltwin.create({ title: 'Read only', accountId: north.id })
    const writesElsewhere = await createRole(app, [{ subject: 'DigitalTwin', actions: ['write', 'read'] }])
    const viewer = await roleNamed(app, 'Viewer')
    const { api } = await createUser(app, north, [
      { roleId: viewer },
      { roleId: writesElsewhere, scopeId: south.scopeId },
    ])
    expect(await api.digitaltwin.get({ id: twin.id })).toMatchObject({ editable: false })
    expect(await errorOf(edit(api, twin.id, { title: 'x' }))).toMatchObject({
      code: 'NO_PERMISSION',
      status: 403,
    })
    expect(await errorOf(api.digitaltwin.delete({ id: twin.id }))).toMatchObject({ code: 'NO_PERMISSION' })
    expect(await errorOf(api.digitaltwin.create({ title: 'x', parentId: twin.id }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
    expect(await errorOf(api.digitaltwin.setDisabled({ id: twin.id, flag: true }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
  })

  test('nothing of a sibling account can be seen or touched', async () => {
    const secret = await south.api.digitaltwin.create({
      title: 'South secret',
      accountId: south.id,
      tags: ['south-tag'],
      zones: ['south-zone'],
    })
    const state = await south.api.state.create({ dtwinId: secret.id, key: 's', title: 'S', source: 'none' })
    const { api } = north
    expect(titles(await api.digitaltwin.list({ search: 'secret' }))).toEqual([])
    expect(titles(await api.digitaltwin.list({ ids: [secret.id] }))).toEqual([])
    expect(titles(await api.digitaltwin.list({ accountIds: [south.id] }))).toEqual([])
    expect(titles(await api.digitaltwin.children({ id: secret.id }))).toEqual([])
    expect(titles(await api.digitaltwin.children({ id: 0, accountIds: [south.id] }))).toEqual([])
    expect((await api.digitaltwin.partialTree({ search: 'secret' })).items).toEqual([])
    expect((await api.digitaltwin.tagsZones()).tags).not.toContain('south-tag')
    expect((await api.digitaltwin.tagsZones()).zones).not.toContain('south-zone')
    for (const call of [
      () => api.digitaltwin.get({ id: secret.id }),
      () => api.digitaltwin.update({ ...secret, title: 'x' }),
      () => api.digitaltwin.delete({ id: secret.id }),
      () => api.digitaltwin.setDisabled({ id: secret.id, flag: true }),
      () => api.digitaltwin.dependencies({ id: secret.id }),
      () => api.digitaltwin.states({ id: secret.id }),
      () => api.state.create({ dtwinId: secret.id, key: 'x', title: 'x', source: 'none' }),
    ]) {
      expect(await errorOf(call())).toMatchObject({ code: 'DTWIN_NOT_FOUND', status: 404 })
    }
    for (const call of [
      () => api.state.get({ id: state.id }),
      () => api.state.update({ ...state, title: 'x' }),
      () => api.state.delete({ id: state.id }),
      () => api.state.setValue({ id: state.id, value: 1 }),
      () => api.state.linkedAggregations({ id: state.id }),
      () => api.state.aggregateValue({ stateIds: [state.id], method: 'avg' }),
      () => api.state.checkForAggregateLoop({ stateId: state.id, stateIds: [] }),
    ]) {
      expect(await errorOf(call())).toMatchObject({ code: 'DTWIN_STATE_NOT_FOUND', status: 404 })
    }
    expect((await api.state.search({ search: 'secret' })).total).toBe(0)
    expect(await south.api.digitaltwin.get({ id: secret.id })).toMatchObject({ title: 'South secret' })
  })

  test('with children or states aggregated elsewhere a twin is not deleted and says why', async () => {
    const parent = await north.api.digitaltwin.create({ title: 'Parent', accountId: north.id })
    const child = await north.api.digitaltwin.create({ title: 'Only child', parentId: parent.id })
    const source = await north.api.state.create({ dtwinId: child.id, key: 't', title: 'T', source: 'none' })
    const elsewhere = await north.api.digitaltwin.create({ title: 'Elsewhere', accountId: north.id })
    const sum = await north.api.state.create({
      dtwinId: elsewhere.id,
      key: 'sum',
      title: 'Sum',
      source: 'aggregate',
      sourceSettings: { stateIds: [source.id], method: 'sum' },
    })
    expect(await errorOf(north.api.digitaltwin.delete({ id: parent.id }))).toMatchObject({
      code: 'DTWIN_DELETE_HAS_DEPENDENCIES',
      data: { items: [{ kind: 'twin', id: child.id, title: 'Only child' }] },
    })
    expect(await errorOf(north.api.digitaltwin.delete({ id: child.id }))).toMatchObject({
      code: 'DTWIN_DELETE_HAS_DEPENDENCIES',
      data: { items: [{ kind: 'aggregate', id: sum.id, title: 'Elsewhere · Sum' }] },
    })
    expect(await north.api.digitaltwin.dependencies({ id: child.id })).toEqual({
      blocking: true,
      more: false,
      items: [
        {
          kind: 'aggregate',
          id: sum.id,
          title: 'Elsewhere · Sum',
          blocking: true,
          owner: { kind: 'twin', id: sum.twinId },
        },
      ],
    })
    await north.api.state.delete({ id: sum.id })
    await north.api.favorite.create({ type: 'digitalTwin', objectId: child.id })
    await north.api.digitaltwin.delete({ id: child.id })
    await north.api.digitaltwin.delete({ id: parent.id })
    expect(await errorOf(north.api.digitaltwin.get({ id: parent.id }))).toMatchObject({
      code: 'DTWIN_NOT_FOUND',
    })
    expect((await north.api.favorite.list()).items).toEqual([])
    expect((await activityOf('DigitalTwin', parent.id))[0]).toMatchObject({ action: 'delete' })
  })

  test('dashboards and rules that use a twin are named but do not refuse deletion', async () => {
    const twin = await north.api.digitaltwin.create({ title: 'Used', accountId: north.id })
    const state = await north.api.state.create({ dtwinId: twin.id, key: 'v', title: 'V', source: 'none' })
    const other = await north.api.digitaltwin.create({ title: 'Watcher', accountId: north.id })
    const dashboard = async (name: string, widget: object) => {
      const { id } = await app.api.dashboards.create({ accountId: north.id, name })
      const size = { columns: 6, minHeightPx: 280 } as const
      const definition = { title: '', size, ...widget } as Parameters<
        typeof app.api.dashboards.addWidget
      >[0]['definition']
      await app.api.dashboards.addWidget({ id, definition })
    }
    await dashboard('Chart of it', { type: 'chart', chartOptions: { kind: 'line', stateIds: [state.id] } })
    await dashboard('Table of it', { type: 'twin-table', twinTableOptions: { twinIds: [twin.id] } })
    await dashboard('Map below it', { type: 'twin-map', twinMapOptions: { parentTwinId: twin.id } })
    await dashboard('Other', { type: 'empty' })
    await app.api.ddr.create({
      dtwinId: other.id,
      title: 'Rule',
      metrics: [{ alias: 'v', stateId: state.id }],
      conditions: { op: 'gt', left: { metric: 'v' }, right: { value: 1 } },
      actions: [{ kind: 'alarm', severity: 'warning', message: 'high' }],
    })

    const found = await north.api.digitaltwin.dependencies({ id: twin.id })
    expect(found.blocking).toBe(false)
    expect(found.items.map(({ kind, title }) => `${kind} ${title}`)).toEqual([
      'rule Watcher · Rule',
      'dashboard Chart of it',
      'dashboard Map below it',
      'dashboard Table of it',
    ])
    await north.api.digitaltwin.delete({ id: twin.id })
  })
})

test('the way of a twin is told by its states, and hidden from others', async () => {
  const { id } = await north.api.digitaltwin.create({ title: 'Sweeper', accountId: north.id })
  expect(await north.api.digitaltwin.geoHistory({ id })).toEqual({ items: [], more: false, reports: false })
  const latitude = await createState(app, id, 'lat')
  const longitude = await createState(app, id, 'lon')
  const time = '2026-03-04T08:00:00.000Z'
  await writeValues(app, [
    { stateId: latitude, value: 51.5, time },
    { stateId: longitude, value: 7.4, time },
  ])
  const span = { start: '2026-03-04T00:00:00Z', end: '2026-03-05T00:00:00Z' }
  expect(await north.api.digitaltwin.geoHistory({ id, ...span })).toEqual({
    items: [{ time, until: time, latitude: 51.5, longitude: 7.4 }],
    more: false,
    reports: true,
  })
  expect(await errorOf(south.api.digitaltwin.geoHistory({ id, ...span }))).toMatchObject({
    code: 'DTWIN_NOT_FOUND',
  })
})

describe('a tracker that moves while its form is open', () => {
  const moving = async () => {
    const opened = await north.api.digitaltwin.create({
      title: 'Tracker',
      accountId: north.id,
      latitude: 50,
      longitude: 7,
    })
    const latitude = await createState(app, opened.id, 'lat')
    const move = (value: number, minute: number) =>
      writeValues(app, [{ stateId: latitude, value, time: `2026-03-04T08:0${minute}:00.000Z` }])
    return { opened, move }
  }

  test('keeps its new position when the form that is saved has not changed it', async () => {
    const { opened, move } = await moving()
    await move(51, 1)
    await move(52, 2)
    const { latitude: _, longitude: __, ...rest } = opened
    const saved = await north.api.digitaltwin.update({ ...rest, title: 'Truck' })
    expect(saved).toMatchObject({ title: 'Truck', latitude: 52, longitude: 7 })
    // A later save by another user is still a conflict.
    await move(53, 3)
    expect(await errorOf(north.api.digitaltwin.update({ ...rest, title: 'Lorry' }))).toMatchObject({
      code: 'VERSION_CONFLICT',
    })
  })

  test('is not put back where it was by a form opened before', async () => {
    const { opened, move } = await moving()
    await move(51, 1)
    expect(await errorOf(north.api.digitaltwin.update({ ...opened, title: 'Truck' }))).toMatchObject({
      code: 'VERSION_CONFLICT',
    })
    const moved = await north.api.digitaltwin.get({ id: opened.id })
    expect(moved).toMatchObject({ title: 'Tracker', latitude: 51, longitude: 7 })
    expect(await north.api.digitaltwin.update({ ...moved, latitude: 40 })).toMatchObject({ latitude: 40 })
  })
})
