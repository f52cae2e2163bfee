import type { MarkerRule } from '@leitstand/contract/mapSettings'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createRole,
  createUser,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { writeValues } from '../../../../test/twins.ts'

/** Enough for their colours to be kept. */
const many = 1_000

let app: TestApp
let account: { id: number; scopeId: number }
let api: Api
let halls: number[]
let states: number[]
let minute = Date.UTC(2026, 0, 1)

beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app, { name: 'Colours' })
  api = (await createUser(app, account, [{ roleId: await roleNamed(app, 'Operator') }])).api
  await sql`insert into twins (category, account_id, scope_id, title, latitude, longitude)
    select 'digitalTwin', ${account.id}, ${account.scopeId}, 'Room ' || n, 50, 11 from generate_series(1, ${many}) as n`.execute(
    app.ctx.db,
  )
  const place = { accountId: account.id, latitude: 52, longitude: 11 }
  halls = []
  states = []
  for (const title of ['Hall 1', 'Hall 2']) {
    const { id } = await api.digitaltwin.create({ title, ...place })
    halls.push(id)
    states.push(
      (await api.state.create({ dtwinId: id, key: 'heat', title: 'Warmth', source: 'none', upperBound: 50 }))
        .id,
    )
  }
})

async function write(at: number, value: number) {
  minute += 60_000
  await writeValues(app, [{ stateId: states[at] as number, value, time: new Date(minute) }])
}

/** The colour of the cluster of both halls. */
async function color(operators: Partial<MarkerRule>[], by = api, shown: string[] = []) {
  await app.ctx.configChanges.settle()
  const rules = operators.map((rule) => ({ state: 'heat', operator: 'gt' as const, value: 20, ...rule }))
  const { items } = await by.digitaltwin.geoClusters({
    zoom: 8,
    markers: { states: shown, operators: rules as MarkerRule[] },
  })
  expect(items.map(({ count }) => count).toSorted((one, other) => one - other)).toEqual([2, many])
  return items.find(({ count }) => count === 2)?.marker?.color
}

const hot = { color: 'teal' } as const
const cold = { operator: 'lte', color: 'gray' } as const

test('many twins are coloured by operators, and follow values, limits and names', async () => {
  expect(await color([hot])).toBeUndefined()
  await write(0, 10)
  expect(await color([hot])).toBeUndefined()
  expect(await color([hot, cold])).toBe('gray')
  await write(0, 30)
  expect(await color([hot, cold])).toBe('teal')
  expect(await color([{ ...hot, state: 'WARMTH' }])).toBe('teal')
  // The more urgent of both.
  await write(1, 5)
  expect(await color([hot, cold])).toBe('gray')
  await write(1, 60)
  expect(await color([{ ...hot, value: 70 }])).toBe('violet')
  const state = await api.state.get({ id: states[1] as number })
  await api.state.update({ ...state, upperBound: 100 })
  expect(await color([{ ...hot, value: 70 }])).toBeUndefined()
  expect(await color([], api, ['warmth'])).toBeUndefined()
  await api.state.update({ ...(await api.state.get({ id: state.id })), upperBound: 40 })
  expect(await color([], api, ['warmth'])).toBe('violet')
  await api.state.update({ ...(await api.state.get({ id: state.id })), title: 'Heat outside' })
  expect(await color([{ ...hot, state: 'warmth', value: 50 }])).toBe('violet')
  expect(await color([{ ...hot, state: 'heat outside', value: 50 }])).toBe('teal')
  const span = { startDate: new Date(0).toISOString(), endDate: new Date(minute + 1).toISOString() }
  for (const id of states) await api.stateValue.delete({ id, ...span, reason: 'Test of colours' })
  expect(await color([hot, cold])).toBeUndefined()
})

test('colours show nothing to those who may only list twins', async () => {
  await write(0, 30)
  expect(await color([hot])).toBe('teal')
  const roleId = await createRole(app, [{ subject: 'DigitalTwin', actions: ['list'] }])
  const { api: lister } = await createUser(app, account, [{ roleId }])
  expect(await color([hot], lister)).toBeUndefined()
})

test('a twin in a scope of its own shows its colour to those who may read there', async () => {
  const [hall] = halls as [number]
  expect(await color([hot])).toBe('teal')
  await app.api.digitaltwin.createScope({ id: hall })
  expect(await color([hot])).toBe('teal')
})
