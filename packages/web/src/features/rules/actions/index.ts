import type { RuleAction, RuleActionKind, TemplateRuleAction } from '@leitstand/contract/rules'
import type { DownlinkAction } from '@leitstand/contract/rules/actions/downlink'
import type { EmailAction } from '@leitstand/contract/rules/actions/email'
import type { PushAction } from '@leitstand/contract/rules/actions/push'
import type { ResolveAlarmAction } from '@leitstand/contract/rules/actions/resolve-alarm'
import type { TicketAction } from '@leitstand/contract/rules/actions/ticket'
import type { AlarmDraft } from './alarm/escalationDraft.ts'
import { alarm } from './alarm/index.ts'
import { type ComputeStateDraft, computeState } from './compute-state/index.ts'
import { type CommandDraft, connectorCommand } from './connector-command/index.ts'
import { downlink } from './downlink/index.ts'
import { email } from './email/index.ts'
import { push } from './push/index.ts'
import { resolveAlarm } from './resolve-alarm/index.ts'
import { type SetStateDraft, setState } from './set-state/index.ts'
import { type StartRuleDraft, startRule } from './start-rule/index.ts'
import { ticket } from './ticket/index.ts'
import type { ActionFault, ActionKind, FaultContext } from './types.ts'
import { type WebhookDraft, webhook } from './webhook/index.ts'

/** Draft types by kind of action. */
interface Drafts {
  alarm: AlarmDraft
  email: EmailAction
  'set-state': SetStateDraft
  webhook: WebhookDraft
  'connector-command': CommandDraft
  downlink: DownlinkAction
  'resolve-alarm': ResolveAlarmAction
  push: PushAction
  'start-rule': StartRuleDraft
  'compute-state': ComputeStateDraft
  ticket: TicketAction
}

/** An action being edited. */
export type ActionDraft = { id: number } & Drafts[RuleActionKind]

type Of<T, K> = Extract<T, { kind: K }>

/** All kinds of actions, in the menu's order. */
export const actionKinds: {
  readonly [K in RuleActionKind]: ActionKind<Of<RuleAction, K>, Of<TemplateRuleAction, K>, Drafts[K]>
} = {
  email,
  push,
  alarm,
  'resolve-alarm': resolveAlarm,
  ticket,
  'set-state': setState,
  'compute-state': computeState,
  downlink,
  webhook,
  'connector-command': connectorCommand,
  'start-rule': startRule,
}

type AnyKind = ActionKind<RuleAction, TemplateRuleAction, Drafts[RuleActionKind]>

export function actionKind({ kind }: { kind: RuleActionKind }): AnyKind {
  return actionKinds[kind] as AnyKind
}

export const actionKindNames = Object.keys(actionKinds) as RuleActionKind[]

export function toActionDraft(id: number, action: RuleAction): ActionDraft {
  return { ...actionKind(action).toDraft(action), id }
}

/** Converts to API input; null while incomplete. */
export function fromActionDraft({ id: _, ...draft }: ActionDraft): RuleAction | null {
  return actionKind(draft).fromDraft(draft)
}

export function actionFaults(draft: ActionDraft, context: FaultContext): ActionFault[] {
  return actionKind(draft).faults(draft, context)
}

/** Converts to a template's action. @param keyOf the key of a state by its number */
export function toTemplateAction(action: RuleAction, keyOf: (state: number) => string): TemplateRuleAction {
  return actionKind(action).toTemplate(action, keyOf)
}

export function fromTemplateAction(
  action: TemplateRuleAction,
  numberOf: (key: string) => number,
): RuleAction {
  return actionKind(action).fromTemplate(action, numberOf)
}

/** Keys of the states a template's action refers to. */
export function actionStateKeys(action: TemplateRuleAction): string[] {
  return actionKind(action).stateKeys(action)
}
