import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createUser,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { writeValues } from '../../../../test/twins.ts'

let app: TestApp
let account: { id: number; scopeId: number }
let api: Api
const twins: number[] = []
const states: number[] = []

beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app, { name: 'Levels' })
  api = (await createUser(app, account, [{ roleId: await roleNamed(app, 'Operator') }])).api
  for (const [index, title] of ['City', 'School', 'Hall', 'Room 1', 'Room 2', 'Attic'].entries()) {
    const parentId = twins[Math.floor((index - 1) / 2)]
    const place = parentId === undefined ? { accountId: account.id } : { parentId }
    const { id } = await api.digitaltwin.create({
      title,
      latitude: 50 + index / 1_000,
      longitude: 11,
      ...place,
    })
    twins.push(id)
    for (const key of ['heat', 'co2'])
      states.push(
        (
          await api.state.create({
            dtwinId: id,
            key,
            title: key,
            source: 'none',
            lowerBound: -50,
            upperBound: 50,
          })
        ).id,
      )
  }
})

/** What the calls answer from the kept ranks, next to what the states say now. */
async function compare(by: Api, scopeIds: readonly number[]) {
  await app.ctx.configChanges.settle()
  const { items } = await by.digitaltwin.worstLevels({ ids: twins })
  const { rows } = await sql<{ id: number; level: string | null }>`
    with recursive down as (
      select t.id as root, t.id from twins t where t.id = any(${twins}::int[])
      union all
      select d.root, c.id from down d join twins c on c.parent_id = d.id),
    ranks as (
      select s.twin_id, max(case when c.num < s.lower_bound or c.num > s.upper_bound then 2
        when c.num >= s.upper_threshold then 3 when c.num >= s.lower_threshold then 1
        when c.num is not null and (s.lower_threshold is not null or s.upper_threshold is not null) then 0 end) as rank
      from states s join state_current c on c.state_id = s.id
      where s.scope_id = any(${[...scopeIds]}::int[]) group by s.twin_id)
    select d.root as id, (array['ok', 'warning', 'invalid', 'error'])[max(r.rank) + 1] as level
    from down d left join ranks r on r.twin_id = d.id group by d.root`.execute(app.ctx.db)
  const shown = new Map(items.map(({ id, level }) => [id, level]))
  const expected = new Map(rows.filter(({ id }) => shown.has(id)).map(({ id, level }) => [id, level]))
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(expected))
  const clusters = await by.digitaltwin.geoClusters({ zoom: 22, distance: 10 })
  const own = await by.digitaltwin.list({ limit: 100 })
  const levelOf = new Map(own.items.map(({ id, level }) => [id, level]))
  for (const { twin, level } of clusters.items) if (twin) expect(level).toBe(levelOf.get(twin.id))
}

const stateAt = fc.nat({ max: 11 })
const twinAt = fc.nat({ max: 5 })
const change = fc.oneof(
  fc.record({
    kind: fc.constant('value' as const),
    state: stateAt,
    value: fc.integer({ min: -60, max: 60 }),
  }),
  fc.record({
    kind: fc.constant('limits' as const),
    state: stateAt,
    lowerThreshold: fc.option(fc.integer({ min: -10, max: 0 })),
    upperThreshold: fc.option(fc.integer({ min: 1, max: 40 })),
  }),
  fc.record({ kind: fc.constant('delete' as const), state: stateAt }),
  fc.record({ kind: fc.constant('move' as const), twin: twinAt, parent: fc.option(twinAt) }),
)

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

let minute = Date.UTC(2026, 0, 1)

async function apply(each: Change): Promise<void> {
  if (each.kind === 'move') {
    const [id, parentId] = [twins[each.twin], each.parent === null ? null : twins[each.parent]]
    const twin = await api.digitaltwin.get({ id: id as number })
    // Into what is below it: refused, and nothing changes.
    await api.digitaltwin.update({ ...twin, parentId: parentId ?? null }).catch(() => undefined)
    return
  }
  const id = states[each.state] as number
  if (each.kind === 'value') {
    minute += 60_000
    await writeValues(app, [{ stateId: id, value: each.value, time: new Date(minute) }])
    return
  }
  if (each.kind === 'delete') {
    const startDate = new Date(0).toISOString()
    const endDate = new Date(minute + 1).toISOString()
    await api.stateValue.delete({ id, startDate, endDate, reason: 'Test of levels' })
    return
  }
  const state = await api.state.get({ id })
  const { lowerThreshold, upperThreshold } = each
  const visualization = {
    ...state.visualization,
    lowerThreshold: lowerThreshold ?? undefined,
    upperThreshold: upperThreshold ?? undefined,
  }
  await api.state.update({ ...state, visualization })
}

test('kept levels are what the values say, whatever changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
      for (const each of changes) {
        await apply(each)
        await compare(api, [account.scopeId])
      }
    }),
    { numRuns: 12 },
  )
})

test('rights, scopes of their own and deleted twins need no new values', async () => {
  await writeValues(app, [{ stateId: states[9] as number, value: 900, time: new Date(minute + 60_000) }])
  const [school] = [twins[1] as number]
  const { scopeId } = await app.api.digitaltwin.createScope({ id: school })
  const guest = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer'), scopeId }])
  await compare(guest.api, [scopeId])
  await compare(api, [account.scopeId, scopeId])
  const { id: shed } = await api.digitaltwin.create({ title: 'Shed', parentId: school })
  const limits = { lowerBound: 0, upperBound: 50 }
  const hot = await api.state.create({ dtwinId: shed, key: 'heat', title: 'heat', source: 'none', ...limits })
  await writeValues(app, [{ stateId: hot.id, value: 900, time: new Date(minute) }])
  await compare(api, [account.scopeId, scopeId])
  await api.digitaltwin.delete({ id: shed })
  await compare(api, [account.scopeId, scopeId])
  const { rows } = await sql`select from twin_levels where twin_id = ${shed}`.execute(app.ctx.db)
  expect(rows).toHaveLength(0)
})
