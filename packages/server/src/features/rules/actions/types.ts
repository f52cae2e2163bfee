import type { RuleAction, TemplateRuleAction } from '@leitstand/contract/rules'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import type { Use } from '../../../platform/uses.ts'
import type { AlarmChange, AlarmsFeature } from '../../alarms/index.ts'
import type { SeriesFeature } from '../../series/index.ts'
import type { RuleRun } from '../collect.ts'
import type { Inputs } from '../conditions/types.ts'
import type { TextValues } from '../render.ts'
import type { RuleStateRow } from '../store/definitions.ts'
import type { KnownExecution, NewExecution, RecordedAction } from '../store/pipeline.ts'
import type { Issue } from '../types.ts'
import type { Recipients } from './email/recipients.ts'

/** What an action is checked against. */
export interface CheckedDraft {
  aliases: ReadonlySet<string>
  /** states the metrics look at */
  inputs: ReadonlySet<number>
  /** the actions before this one */
  earlier: readonly RuleAction[]
}

/** What an action knows of the evaluation it follows. */
export interface Moment extends TextValues {
  inputs: Inputs
  met: boolean
}

/** A state as the value an action sets is checked against. */
export type TargetState = Pick<RuleStateRow, 'title' | 'source' | 'valueType'>

/** One kind of action: a folder beside this file. `E` is what an evaluation makes of it. */
export interface ActionKind<A extends RuleAction, T extends TemplateRuleAction, E> {
  /** It is a state, not a message: it lasts while the conditions are met, and the throttle does not silence it. */
  readonly isLasting: boolean
  /** It sets the state its field `stateId` names: loops through stored rules are looked for there. */
  readonly setsState: boolean
  /** What is wrong with it, as far as that needs no database. Paths are below the action. */
  check(action: A, draft: CheckedDraft): Issue[]
  /** What is wrong with it for the states it names. */
  checkStates(action: A, states: ReadonlyMap<number, TargetState>): Issue[]
  uses(action: A): Use[]
  /** The action of a device, made from that of its template. */
  fromTemplate(action: T, stateIdOf: (key: string) => number): A
  /** Keys of states a template's action names, with the field they are in. */
  stateKeys(action: T): { key: string; field: string }[]
  /** Pure. What it does after an evaluation; null: nothing. */
  run(action: A, moment: Moment): E | null
  /** What the execution keeps of it; null: nothing. */
  record(effect: E): RecordedAction | null
  /** Ends what rules that are gone, inactive or have no such action any more have left open. */
  close?(tx: Executor, tools: CloseTools, rules: readonly ClosedRule[]): Promise<AlarmChange[]>
  create(tools: ActionTools): ActionRunner
}

export interface CloseTools {
  alarms: Pick<AlarmsFeature, 'resolve'>
}

export interface ClosedRule {
  ruleId: number
  at: Date
}

/** What kinds work with. */
export interface ActionTools {
  ctx: Context
  series: Pick<SeriesFeature, 'write'>
  alarms: AlarmsFeature
  recipients: Recipients
}

/** Carries out the effects of one kind. */
export interface ActionRunner {
  /** A person has stored a rule with these actions. */
  saved?(
    tx: Executor,
    by: { caller: Caller; accountId: number },
    actions: readonly RuleAction[],
  ): Promise<void>
  /**
   * In the transaction of the evaluations, before they are recorded.
   * @returns the executions with what became of the action
   */
  send?(
    tx: Executor,
    runs: readonly RuleRun[],
    executions: readonly NewExecution[],
  ): Promise<readonly NewExecution[]>
  /**
   * In the same transaction, after that.
   * @returns what is to be done once it is committed
   */
  turn?(tx: Executor, runs: readonly RuleRun[]): Promise<() => void>
  /** After the commit, for what the executions have left pending; again after a crash. */
  finish?(executions: readonly KnownExecution[]): Promise<void>
}
