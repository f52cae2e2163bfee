import type { Rule, RuleAction, StateMetric } from '@leitstand/contract/rules'
import type { EventOf } from '../src/platform/events/index.ts'
import type { ValuesStored, valuesStored } from '../src/topics/valuesStored.ts'
import type { TestApp } from './kit.ts'
import { createState, createTwin, writeValues } from './twins.ts'

/** Raises an alarm with the temperature in its text. */
export const alarmAction: RuleAction = { kind: 'alarm', severity: 'warning', message: '{{temperature}} °C' }

/** Times in the past of the test, a minute apart. */
const start = Date.now() - 3_600_000
export const minute = (n: number) => new Date(start + n * 60_000)

/** Common steps of the rule tests, in one account. */
export function ruleKit(app: TestApp, account: { id: number; scopeId: number }) {
  /** A twin with a temperature and a switch, and a rule that checks whether the temperature is above 30. */
  async function warmRule(
    actions: (ids: { temperature: number; fan: number }) => RuleAction[] = () => [alarmAction],
    fields: { throttleHours?: number } & Pick<
      Partial<StateMetric>,
      'transformer' | 'operation' | 'lastMinutes'
    > = {},
  ): Promise<{ twin: { id: number; title: string }; temperature: number; fan: number; rule: Rule }> {
    const twin = await createTwin(app, account)
    const temperature = await createState(app, twin.id, 'temperature', { unit: '°C' })
    const fan = await createState(app, twin.id, 'fan', { valueType: 'boolean' })
    const { throttleHours = 0, ...metric } = fields
    const rule = await app.api.ddr.create({
      dtwinId: twin.id,
      title: 'Too warm',
      metrics: [{ alias: 'temperature', stateId: temperature, ...metric }],
      conditions: { op: 'gt', left: { metric: 'temperature' }, right: { value: 30 } },
      throttleHours,
      actions: actions({ temperature, fan }),
    })
    return { twin, temperature, fan, rule }
  }

  /** Stores one value and processes all its effects. */
  async function set(stateId: number, value: number | boolean | string, time: Date): Promise<void> {
    await writeValues(app, [{ stateId, value, time }])
    await app.drain()
  }

  /** Results of a rule's executions, newest first. */
  async function history(ruleId: number): Promise<string[]> {
    const { items } = await app.api.ddr.executionHistory({ id: ruleId })
    return items.map(({ result }) => result)
  }

  return { warmRule, set, history }
}

/** The outbox event of a stored current value. */
export function storedEvent(
  id: number,
  at: Date,
  stateId: number,
  twinId: number,
  value: number,
): EventOf<typeof valuesStored> {
  const payload: ValuesStored = {
    sources: [{ kind: 'unknown' }],
    values: [[stateId, twinId, 'temperature', at.getTime(), value, true, 0]],
  }
  return { id, topic: 'values.stored', accountId: 1, payload, at }
}
