import * as z from 'zod'
import { AlarmAction } from './actions/alarm.ts'
import { ComputeStateAction, TemplateComputeStateAction } from './actions/compute-state.ts'
import { ConnectorCommandAction } from './actions/connector-command.ts'
import { DownlinkAction } from './actions/downlink.ts'
import { EmailAction, mailsFault } from './actions/email.ts'
import { PushAction } from './actions/push.ts'
import { ResolveAlarmAction } from './actions/resolve-alarm.ts'
import { SetStateAction, TemplateSetStateAction } from './actions/set-state.ts'
import { StartRuleAction } from './actions/start-rule.ts'
import { TicketAction } from './actions/ticket.ts'
import { WebhookAction } from './actions/webhook.ts'

/** Every kind of action. */
export const RuleAction = z.discriminatedUnion('kind', [
  EmailAction,
  SetStateAction,
  AlarmAction,
  WebhookAction,
  ConnectorCommandAction,
  DownlinkAction,
  ResolveAlarmAction,
  PushAction,
  StartRuleAction,
  ComputeStateAction,
  TicketAction,
])
export type RuleAction = z.infer<typeof RuleAction>
export type RuleActionKind = RuleAction['kind']

/** The same in a device template, where states are referenced by key. */
export const TemplateRuleAction = z.discriminatedUnion('kind', [
  EmailAction,
  TemplateSetStateAction,
  AlarmAction,
  WebhookAction,
  ConnectorCommandAction,
  DownlinkAction,
  ResolveAlarmAction,
  PushAction,
  StartRuleAction,
  TemplateComputeStateAction,
  TicketAction,
])
export type TemplateRuleAction = z.infer<typeof TemplateRuleAction>

/** Limits of kinds that apply to all actions of a rule. Each returns a problem, or null. */
const bounds: readonly ((actions: readonly RuleAction[]) => string | null)[] = [mailsFault]

export const RuleActions = z
  .array(RuleAction)
  .min(1)
  .max(20)
  .superRefine((actions, context) => {
    for (const bound of bounds) {
      const message = bound(actions)
      if (message !== null) context.addIssue({ code: 'custom', message })
    }
  })
