import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import {
  createAccount,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { alarmAction, minute, ruleKit } from '../../../../test/rules.ts'
import { createState, createTwin } from '../../../../test/twins.ts'

let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
let kit: ReturnType<typeof ruleKit>

beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app, { name: 'City' })
  kit = ruleKit(app, account)
})

const metrics = (stateId: number) => [
  { alias: 'temperature', stateId },
  { alias: 'limit', operation: 'property' as const, property: 'limit', transformer: 'return Number(value)' },
  { alias: 'hour', operation: 'clock' as const, clock: 'hour' as const },
  {
    alias: 'away',
    operation: 'position' as const,
    position: 'distance' as const,
    latitude: 52.5,
    longitude: 13.4,
    abortIfNull: false,
  },
]
const above = { op: 'gt', left: { metric: 'temperature' }, right: { metric: 'limit' } } as const

it('a rule reads what its twin and the clock say', async () => {
  const twin = await createTwin(app, account, { latitude: 52.5, longitude: 13.4 })
  const temperature = await createState(app, twin.id, 'temperature')
  const keyValues = JSON.stringify({ limit: '25' })
  await sql`update twins set key_values = ${keyValues}::jsonb where id = ${twin.id}`.execute(app.ctx.db)
  const rule = await app.api.ddr.create({
    dtwinId: twin.id,
    title: 'Limit of the room',
    metrics: metrics(temperature),
    conditions: above,
    actions: [alarmAction],
  })
  await kit.set(temperature, 26, minute(0))
  const { items } = await app.api.ddr.executionHistory({ id: rule.id })
  expect(items[0]).toMatchObject({ result: 'fired', branch: { left: 26, right: 25 }, inputs: { away: 0 } })
  expect(items[0]?.inputs.hour).toEqual(expect.any(Number))
  const stored = await app.api.ddr.get({ id: rule.id })
  expect(stored.metrics[2]).toEqual({ alias: 'hour', operation: 'clock', clock: 'hour', abortIfNull: true })
})

it('a draft reads those of a twin that the caller may see', async () => {
  const { twin, temperature } = await kit.warmRule()
  const draft = { metrics: metrics(temperature), conditions: above, inputs: { temperature: 1, limit: 2 } }
  const answer = await app.api.ddr.testConditions({ ...draft, dtwinId: twin.id })
  expect(answer).toMatchObject({ met: false, inputs: { away: null } })
  const other = await createAccount(app, { name: 'Other' })
  const foreign = await createUser(app, other, [{ roleId: await roleNamed(app, 'Viewer') }])
  const own = {
    metrics: [metrics(0)[2] as never],
    conditions: { ...above, left: { metric: 'hour' }, right: { value: 5 } },
  }
  expect(await errorOf(foreign.api.ddr.testConditions({ ...own, dtwinId: twin.id }))).toMatchObject({
    code: 'DTWIN_NOT_FOUND',
  })
})
