import type { RuleAction, RuleActionKind, TemplateRuleAction } from '@leitstand/contract/rules'
import type { Executor } from '../../../platform/db/index.ts'
import type { Use } from '../../../platform/uses.ts'
import type { AlarmChange } from '../../alarms/index.ts'
import type { Issue } from '../types.ts'
import { type AlarmEffect, alarm } from './alarm/index.ts'
import { type ComputeStateEffect, computeState } from './compute-state/index.ts'
import { type ConnectorCommandEffect, connectorCommand } from './connector-command/index.ts'
import { type DownlinkEffect, downlink } from './downlink/index.ts'
import { type EmailEffect, email } from './email/index.ts'
import { type PushEffect, push } from './push/index.ts'
import { type ResolveAlarmEffect, resolveAlarm } from './resolve-alarm/index.ts'
import { type SetStateEffect, setState } from './set-state/index.ts'
import { type StartRuleEffect, startRule } from './start-rule/index.ts'
import { type TicketEffect, ticket } from './ticket/index.ts'
import type {
  ActionKind,
  ActionRunner,
  ActionTools,
  CheckedDraft,
  ClosedRule,
  CloseTools,
  Moment,
  TargetState,
} from './types.ts'
import { type WebhookEffect, webhook } from './webhook/index.ts'

/** Effects of each kind of action. */
interface Effects {
  email: EmailEffect
  'set-state': SetStateEffect
  alarm: AlarmEffect
  webhook: WebhookEffect
  'connector-command': ConnectorCommandEffect
  downlink: DownlinkEffect
  'resolve-alarm': ResolveAlarmEffect
  push: PushEffect
  'start-rule': StartRuleEffect
  'compute-state': ComputeStateEffect
  ticket: TicketEffect
}

export type Effect = Effects[RuleActionKind]
export type EffectOf<K extends RuleActionKind> = Effects[K]

type Of<T, K> = Extract<T, { kind: K }>

/** Every kind of action. */
export const actionKinds: {
  readonly [K in RuleActionKind]: ActionKind<Of<RuleAction, K>, Of<TemplateRuleAction, K>, Effects[K]>
} = {
  email,
  'set-state': setState,
  alarm,
  webhook,
  'connector-command': connectorCommand,
  downlink,
  'resolve-alarm': resolveAlarm,
  push,
  'start-rule': startRule,
  'compute-state': computeState,
  ticket,
}

type AnyKind = ActionKind<RuleAction, TemplateRuleAction, Effect>

function kindOf({ kind }: { kind: RuleActionKind }): AnyKind {
  return actionKinds[kind] as AnyKind
}

/** The runners of all kinds. */
export function createRunners(tools: ActionTools): ActionRunner[] {
  return Object.values(actionKinds).map((kind) => kind.create(tools))
}

/** Checks actions as far as possible without the database. */
export function checkActions(actions: readonly RuleAction[], draft: Omit<CheckedDraft, 'earlier'>): Issue[] {
  return actions.flatMap((action, index) => {
    const issues = kindOf(action).check(action, { ...draft, earlier: actions.slice(0, index) })
    return below(['actions', String(index)], issues)
  })
}

/** Checks actions against the states they refer to. States missing from the map are skipped. */
export function checkActionStates(
  actions: readonly RuleAction[],
  states: ReadonlyMap<number, TargetState>,
): Issue[] {
  return actions.flatMap((action, index) =>
    below(['actions', String(index)], kindOf(action).checkStates(action, states)),
  )
}

function below(path: string[], issues: readonly Issue[]): Issue[] {
  return issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }))
}

export function actionUses(actions: readonly RuleAction[]): Use[] {
  return actions.flatMap((action) => kindOf(action).uses(action))
}

/** The rules that actions start. */
export function startedRulesOf(actions: readonly RuleAction[]): number[] {
  const ids = actions.flatMap((action) => (action.kind === 'start-rule' ? [action.ruleId] : []))
  return [...new Set(ids)]
}

/** Texts with placeholders. */
export function actionTexts(actions: readonly RuleAction[]): string[] {
  return actions.flatMap((action) => kindOf(action).texts(action))
}

/** Scripts over the metrics, with the index of their action. */
export function actionScripts(
  actions: readonly (RuleAction | TemplateRuleAction)[],
): { index: number; script: string }[] {
  return actions.flatMap((action, index) =>
    (kindOf(action).scripts?.(action) ?? []).map((script) => ({ index, script })),
  )
}

/** Names of the kinds that set a state. */
export function settingKinds(): string[] {
  return Object.entries(actionKinds).flatMap(([name, { setsState }]) => (setsState ? [name] : []))
}

/** Pure. The effects of lasting actions, or of messages, after an evaluation. */
export function runActions(
  actions: readonly RuleAction[],
  which: 'lasting' | 'messages',
  moment: Moment,
): Effect[] {
  return actions.flatMap((action) => {
    const kind = kindOf(action)
    if (kind.isLasting !== (which === 'lasting')) return []
    return kind.run(action, moment) ?? []
  })
}

/** The part of effects that an execution records. */
export function recordEffects(effects: readonly Effect[]) {
  return effects.flatMap((effect) => kindOf(effect).record(effect) ?? [])
}

/**
 * Closes what rules have left open, for kinds of actions they no longer run.
 * @param rules with their new definition; absent: they were deleted
 * @returns alarms to be announced after the commit
 */
export async function closeActions(
  tx: Executor,
  tools: CloseTools,
  rules: readonly (ClosedRule & { stays?: { active: boolean; actions: readonly RuleAction[] } })[],
): Promise<AlarmChange[]> {
  const changes: AlarmChange[] = []
  for (const [name, kind] of Object.entries(actionKinds)) {
    const closed = rules.filter(
      ({ stays }) => !(stays?.active && stays.actions.some((action) => action.kind === name)),
    )
    if (closed.length === 0 || kind.close === undefined) continue
    changes.push(
      ...(await kind.close(
        tx,
        tools,
        closed.map(({ stays: _, ...each }) => each),
      )),
    )
  }
  return changes
}

/** The action with other states in place of those it refers to. */
export function actionWithStates(action: RuleAction, stateIdOf: (id: number) => number): RuleAction {
  return kindOf(action).withStates(action, stateIdOf)
}

/** The action with ids of states of one twin in place of their keys. */
export function actionWithOwnStates(
  action: RuleAction | TemplateRuleAction,
  stateIdOf: (key: string) => number,
): RuleAction {
  return kindOf(action).withOwnStates(action, stateIdOf)
}

/** Keys of states that a template's action refers to. `isSet`: the action sets that state. */
export function actionStateKeys(
  action: TemplateRuleAction,
): { key: string; field: string; isSet: boolean }[] {
  const kind = kindOf(action)
  return kind.stateKeys(action).map((each) => ({ ...each, isSet: kind.setsState }))
}
