import type { RuleAction } from '@leitstand/contract/rules'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createAccount,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../../test/kit.ts'
import { minute, ruleKit } from '../../../../../test/rules.ts'
import { createState, createTwin } from '../../../../../test/twins.ts'

let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
let kit: ReturnType<typeof ruleKit>

beforeAll(async () => {
  app = await startApp()
})
beforeEach(async () => {
  account = await createAccount(app)
  kit = ruleKit(app, account)
})

const action: RuleAction = {
  kind: 'ticket',
  type: 'heatingFailure',
  subject: '{{twin.title}} has {{temperature}} °C',
  comment: 'Since {{time}}',
  priority: 'high',
}
const tickets = async () => (await app.api.isFmTicket.list({ accountIds: [account.id] })).items
const lastActions = async (id: number) =>
  (await app.api.ddr.executionHistory({ id })).items.map(({ actions }) => actions)[0]

describe('a ticket of a rule', () => {
  it('is made where the rule is, and only one until it is done', async () => {
    const { twin, temperature, rule } = await kit.warmRule(() => [action])
    await kit.set(temperature, 40, minute(0))
    await kit.set(temperature, 41, minute(1))
    const [made, ...more] = await tickets()
    expect(more).toEqual([])
    expect(made).toMatchObject({
      number: 1,
      twin: { id: twin.id },
      type: 'heatingFailure',
      subject: `${twin.title} has 40 °C`,
      priority: 'high',
      source: 'rule',
      ruleId: rule.id,
      reporter: { userId: null, name: 'Too warm' },
    })
    expect(made?.comment).toMatch(/^Since \d{4}-/)
    expect(await lastActions(rule.id)).toMatchObject([{ kind: 'ticket', ok: true, detail: '#1' }])
    await app.api.isFmTicket.setState({ id: made?.id as number, state: 2 })
    await kit.set(temperature, 42, minute(2))
    expect((await tickets()).map(({ number, state }) => [number, state])).toEqual([
      [2, 0],
      [1, 2],
    ])
    const { items } = await app.api.activityLog.list({ subject: 'Ticket', objectId: made?.id as number })
    expect(items.at(-1)).toMatchObject({ action: 'create', userName: `rule ${rule.id}` })
  })

  it('of a device is made at the twin it is below; one that is below none says so', async () => {
    const house = await createTwin(app, account, { title: 'House' })
    const device = await createTwin(app, account, { category: 'virtualDevice', parentId: house.id })
    const alone = await createTwin(app, account, { category: 'virtualDevice' })
    const ruleOn = async (dtwinId: number) => {
      const stateId = await createState(app, dtwinId, 'temperature')
      const rule = await app.api.ddr.create({
        dtwinId,
        title: 'Hot',
        metrics: [{ alias: 'temperature', stateId }],
        conditions: { op: 'gt', left: { metric: 'temperature' }, right: { value: 30 } },
        actions: [action],
      })
      return { stateId, rule }
    }
    const { stateId } = await ruleOn(device.id)
    await kit.set(stateId, 40, minute(0))
    expect(await tickets()).toMatchObject([{ twin: { id: house.id, title: 'House' } }])
    const refused = await errorOf(ruleOn(alone.id))
    expect(refused).toMatchObject({ data: { issues: [{ text: 'ticketForbidden' }] } })
  })

  it('needs an author who may report there: ticketForbidden', async () => {
    const operator = await createUser(app, account, [{ roleId: await roleNamed(app, 'Operator') }])
    const twin = await createTwin(app, account)
    const stateId = await createState(app, twin.id, 'temperature')
    const create = (actions: RuleAction[]) =>
      operator.api.ddr.create({
        dtwinId: twin.id,
        title: 'Hot',
        metrics: [{ alias: 'temperature', stateId }],
        conditions: { op: 'gt', left: { metric: 'temperature' }, right: { value: 30 } },
        actions,
      })
    expect(await errorOf(create([action]))).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { issues: [{ path: ['actions', '0', 'subject'], text: 'ticketForbidden' }] },
    })
    const unknown = { ...action, subject: '{{nothing}}' } as RuleAction
    expect(
      await errorOf(
        app.api.ddr.create({
          dtwinId: twin.id,
          title: 'Hot',
          metrics: [{ alias: 'temperature', stateId }],
          conditions: { op: 'gt', left: { metric: 'temperature' }, right: { value: 30 } },
          actions: [unknown],
        }),
      ),
    ).toMatchObject({ code: 'VALIDATION_ERROR' })
  })
})

describe('a ticket of an alarm', () => {
  it('names the alarm if the reporter sees it', async () => {
    const raising = await kit.warmRule()
    await kit.set(raising.temperature, 40, minute(0))
    const [alarm] = (await app.api.alarmLogs.list({ originId: raising.twin.id })).items
    const alarmId = alarm?.id as number
    const report = { twinId: raising.twin.id, type: 'defect', subject: 'Too warm' } as const
    const made = await app.api.isFmTicket.create({ ...report, alarmId })
    expect(made).toMatchObject({ source: 'alarm', alarmId })
    const ada = await createUser(app, account, [{ roleId: await roleNamed(app, 'Ticket reporter') }])
    const hers = await ada.api.isFmTicket.create({ ...report, alarmId, again: true })
    expect(hers).toMatchObject({ source: 'person', alarmId: null })
  })
})
