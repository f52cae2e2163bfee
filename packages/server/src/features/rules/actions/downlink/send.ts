import type { RuleAction } from '@leitstand/contract/rules'
import type { DeliveryOutcome } from '@leitstand/contract/rules/deliveries'
import type { Executor } from '../../../../platform/db/index.ts'
import type { Caller } from '../../../../platform/http/caller.ts'
import type { Rate } from '../../../../platform/tokenBucket.ts'
import { writeScopes } from '../../../twins/index.ts'
import { refuseIssues } from '../../issues.ts'
import type { RecordedAction } from '../../store/pipeline.ts'
import type { Issue } from '../../types.ts'
import { Budgets } from '../email/budgets.ts'
import { lockBudgets, saveBudgets } from '../email/store.ts'
import type { Sent } from '../sending.ts'
import type { ActionTools } from '../types.ts'
import { type DeviceRow, findDevices } from './store.ts'

/** Rate limits of downlinks of rules: the duty cycle of a radio allows few. */
export const downlinkRates = {
  /** of one rule */
  rule: { perSecond: 1 / 60, burst: 20 },
  /** of all rules to one device */
  device: { perSecond: 1 / 60, burst: 20 },
} as const satisfies Record<string, Rate>

/**
 * Refuses devices that the author of a rule may not send downlinks to, and downlinks the driver does not have.
 * @throws AppError VALIDATION_ERROR
 */
export async function checkDevices(
  { downlinks }: Pick<ActionTools, 'downlinks'>,
  tx: Executor,
  { caller, accountId, twinId }: { caller: Caller; accountId: number; twinId: number },
  actions: readonly RuleAction[],
): Promise<void> {
  const named = actions.map((action) => (action.kind === 'downlink' ? (action.deviceId ?? twinId) : null))
  const devices = await findDevices(
    tx,
    named.filter((id) => id !== null),
  )
  const writable = new Set(writeScopes(caller, 'virtualDevice'))
  const issues: Issue[] = []
  for (const [index, id] of named.entries()) {
    const action = actions[index]
    if (id === null || action?.kind !== 'downlink') continue
    const path = ['actions', String(index)]
    const device = devices.get(id)
    if (device?.accountId !== accountId || !writable.has(device.scopeId)) {
      const message = 'no such device that downlinks may be sent to'
      issues.push({ path: [...path, 'deviceId'], message, text: 'deviceForeign' })
      continue
    }
    const { content } = action
    if (content.from !== 'predefined') continue
    const offered = await downlinks.predefinedOf(tx, id)
    if (!offered.some(({ name }) => name === content.name))
      issues.push({
        path: [...path, 'content', 'name'],
        message: 'the device has no such downlink',
        text: 'noDownlink',
      })
  }
  refuseIssues(issues)
}

/** Why nothing is sent. */
type Unsent = [DeliveryOutcome, string | null]

/** Queues the downlinks of rules. */
export class RuleDownlinks {
  readonly #tools: Pick<ActionTools, 'ctx' | 'downlinks'>

  constructor(tools: Pick<ActionTools, 'ctx' | 'downlinks'>) {
    this.#tools = tools
  }

  /** @returns what an execution records of each, in the same order */
  async send(tx: Executor, sent: readonly Sent<'downlink'>[]): Promise<RecordedAction[]> {
    const { ctx } = this.#tools
    const devices = await findDevices(tx, [...new Set(sent.map(deviceOf))])
    const rates = new Map<string, Rate>(
      sent.map((each) => [deviceKey(deviceOf(each)), downlinkRates.device] as const),
    )
    for (const { origin } of sent)
      if (origin.ruleId !== null) rates.set(ruleKey(origin.ruleId), downlinkRates.rule)
    const budgets = new Budgets(rates, await lockBudgets(tx, rates, ctx.clock.now()), ctx.clock.now())
    const recorded: RecordedAction[] = []
    for (const each of sent) {
      const device = devices.get(deviceOf(each))
      const made = await this.#sendOne(tx, each, device, budgets)
      const { content } = each.effect
      const detail = 'name' in content ? content.name : 'payload' in content ? content.payload : ''
      const to = device?.accountId === each.origin.accountId ? device.title : ''
      if (typeof made === 'number') {
        recorded.push({ kind: 'downlink', ok: true, detail, deliveries: [{ to, downlinkId: made }] })
        continue
      }
      const [unsent, reason] = made
      if (unsent !== 'impossible')
        ctx.limitHits.note(each.origin.accountId, 'ruleMessages', { detail: each.origin.ruleTitle })
      recorded.push({ kind: 'downlink', ok: false, detail, deliveries: [{ to, unsent, reason }] })
    }
    await saveBudgets(tx, budgets.changes())
    return recorded
  }

  /** @returns the id of the downlink, or why there is none */
  async #sendOne(
    tx: Executor,
    sent: Sent<'downlink'>,
    device: DeviceRow | undefined,
    budgets: Budgets,
  ): Promise<number | Unsent> {
    const { origin, effect } = sent
    const { content, validMinutes } = effect
    // Checked again: the device may be deleted, or moved to another account.
    if (device?.accountId !== origin.accountId) return ['impossible', 'VDEVICE_NOT_FOUND']
    if ('fault' in content || 'script' in content)
      return ['impossible', 'fault' in content ? content.fault : 'noPayload']
    const keys = [deviceKey(device.id)]
    if (origin.ruleId !== null) keys.unshift(ruleKey(origin.ruleId))
    const used = keys.find((key) => !budgets.has(key))
    if (used !== undefined) return [used === deviceKey(device.id) ? 'targetLimit' : 'ruleLimit', null]
    const made = await this.#tools.downlinks.request(tx, {
      deviceId: device.id,
      content:
        'name' in content
          ? { predefined: content.name, values: content.values }
          : {
              payload: content.payload,
              encoding: 'base16',
              port: content.port,
              confirmed: content.confirmed,
            },
      validMinutes,
      requestedBy: origin.test ? `[Test] ${origin.test.by}` : origin.ruleTitle,
    })
    if ('problem' in made)
      return [made.problem === 'DOWNLINK_QUEUE_FULL' ? 'targetLimit' : 'impossible', made.problem]
    for (const key of keys) budgets.take(key)
    return made.id
  }
}

const deviceOf = ({ origin, effect }: Sent<'downlink'>) => effect.deviceId ?? origin.twinId
const deviceKey = (id: number) => `device:${id}`
const ruleKey = (id: number) => `downlink:${id}`
