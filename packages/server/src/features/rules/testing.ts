import type { JsonValue } from '@leitstand/contract/common'
import type { ActionOutcome, Metric, RuleAction } from '@leitstand/contract/rules'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { apart } from '../../platform/scripts/index.ts'
import type { Rate } from '../../platform/tokenBucket.ts'
import { recordActivity } from '../activity/index.ts'
import type { DownlinksFeature } from '../downlinks/index.ts'
import { homeAccountOf } from '../people/index.ts'
import { accountsOfScopes } from '../rights/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import { Budgets } from './actions/email/budgets.ts'
import { lockBudgets, saveBudgets } from './actions/email/store.ts'
import { runActions } from './actions/index.ts'
import type { Origin } from './actions/sending.ts'
import type { ActionTest } from './actions/types.ts'
import { type ChangeParts, writableTwin } from './change.ts'
import type { RuleRun } from './collect.ts'
import type { Inputs } from './conditions/types.ts'
import { draftInputs } from './draftInputs.ts'
import { checkRule, checkScripts } from './save.ts'
import { readOutcomes } from './settling.ts'
import { handedOver } from './standing.ts'
import { newState } from './step.ts'
import { timeZoneOf } from './store/definitions.ts'
import { toAction } from './store/executions.ts'

/** Tests of one user. */
export const testRate: Rate = { perSecond: 1 / 30, burst: 5 }

export interface TestedAction {
  dtwinId: number
  title: string
  metrics: Metric[]
  action: RuleAction
  inputs: Record<string, JsonValue>
}

type Parts = ChangeParts & { downlinks: DownlinksFeature; series: SeriesFeature }

/**
 * Carries out one action of a draft with given values, marked as a test. It needs the rights that storing the
 * rule needs.
 * @throws AppError DTWIN_NOT_FOUND, NO_PERMISSION, DDR_ACTION_NOT_TESTABLE, TOO_MANY_REQUESTS and what
 * `checkRule`, `checkScripts` and the kind of action throw
 */
export async function testAction(parts: Parts, caller: Caller, tested: TestedAction): Promise<ActionOutcome> {
  const { ctx, runners } = parts
  const { action, metrics, title, dtwinId } = tested
  const runner = runners.find(({ test }) => test?.kind === action.kind)
  if (runner?.test === undefined) throw new AppError('DDR_ACTION_NOT_TESTABLE', { kind: action.kind })
  const test: ActionTest = runner.test
  const { db, scripts } = ctx
  const fields = {
    title,
    active: true,
    pausedUntil: null,
    many: null,
    triggers: [],
    metrics,
    conditions: anything(metrics),
    executionTimes: null,
    throttleHours: 0,
    actions: [action],
  }
  const { origin, timeZone } = await db.transaction().execute(async (tx) => {
    const twin = await writableTwin(tx, caller, dtwinId)
    await checkRule(tx, caller, null, fields)
    await takeTest(parts, tx, caller)
    const origin: Origin = {
      ruleId: null,
      ruleTitle: title,
      twinId: twin.id,
      twinTitle: twin.title,
      accountId: twin.account_id,
      test: { by: caller.name },
    }
    return { origin, timeZone: await timeZoneOf(tx, twin.account_id) }
  })
  await checkScripts(scripts, metrics, await homeAccountOf(db, caller), [action])
  const inputs = await draftInputs(ctx, parts.series, caller, { dtwinId, metrics }, tested.inputs)
  const run = runOf(tested, origin, { at: ctx.clock.now(), timeZone, inputs })
  const [prepared = run] = (await runner.prepare?.([run], apart(scripts))) ?? []
  const [effect] = prepared.outcome.effects
  if (effect === undefined) throw new AppError('DDR_ACTION_NOT_TESTABLE', { kind: action.kind })
  const recorded = await db.transaction().execute(async (tx) => {
    const { id: twinId, account_id: accountId } = await writableTwin(tx, caller, dtwinId)
    await runner.saved?.(tx, { caller, accountId, twinId }, [action])
    const sent = await test.send(tx, { origin: { ...origin, accountId }, effect }, prepared)
    await recordActivity(tx, caller, {
      action: 'test-action',
      subject: 'Rule',
      objectId: null,
      objectTitle: title,
      accountId,
      changes: { twinId, kind: action.kind },
      isChange: false,
    })
    return sent
  })
  runner.committed?.()
  const mayRead = await accountsOfScopes(db, caller.scopeIds('all', 'manage'))
  return toAction(recorded, await readOutcomes(parts, handedOver([recorded]), [...mayRead]))
}

/** @throws AppError TOO_MANY_REQUESTS */
async function takeTest(
  { ctx }: Parts,
  tx: Parameters<typeof lockBudgets>[0],
  caller: Caller,
): Promise<void> {
  const now = ctx.clock.now()
  const key = `test:${caller.userId ?? caller.keyHash ?? caller.name}`
  const rates = new Map([[key, testRate]])
  const budgets = new Budgets(rates, await lockBudgets(tx, rates, now), now)
  if (!budgets.has(key))
    throw new AppError('TOO_MANY_REQUESTS', { retryAfterSeconds: Math.ceil(1 / testRate.perSecond) })
  budgets.take(key)
  await saveBudgets(tx, budgets.changes())
}

/** The evaluation that the action would follow. */
function runOf(
  { title, metrics, action }: TestedAction,
  { twinId, twinTitle, accountId }: Origin,
  { at, timeZone, inputs }: { at: Date; timeZone: string; inputs: Inputs },
): RuleRun {
  const ownStates = new Map<string, number>()
  const moment = {
    ruleTitle: title,
    twinTitle,
    timeZone,
    decimals: new Map(),
    at,
    inputs,
    met: true,
    ownStates,
  }
  const effects = [...runActions([action], 'messages', moment), ...runActions([action], 'lasting', moment)]
  return {
    rule: {
      id: 0,
      version: 0,
      pausedUntil: null,
      triggers: [],
      homeId: twinId,
      isForMany: false,
      isOfTemplate: false,
      twinId,
      related: new Map(),
      ownStates,
      accountId,
      metrics,
      title,
      twinTitle,
      timeZone,
      conditions: anything(metrics),
      throttleHours: 0,
      actions: [action],
    },
    wake: { ruleId: 0, twinId, eventId: 0, at, until: at, values: new Map(), cause: null, depth: 0 },
    input: { kind: 'values', inputs },
    outcome: { result: 'fired', branch: null, error: null, effects, state: { ...newState, lastFiredAt: at } },
    durationUs: 0,
  }
}

/** A condition over the metrics; it is not evaluated. */
function anything([metric]: readonly Metric[]): RuleRun['rule']['conditions'] {
  return { op: 'eq', left: { metric: metric?.alias ?? '' }, right: { value: null } }
}
