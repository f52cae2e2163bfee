import type { RuleAction, TemplateRuleAction } from '@leitstand/contract/rules'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import type { ScriptEngine } from '../../../platform/scripts/types.ts'
import type { Use } from '../../../platform/uses.ts'
import type { AlarmChange, AlarmsFeature } from '../../alarms/index.ts'
import type { ConnectorsFeature } from '../../connectors/index.ts'
import type { DownlinksFeature } from '../../downlinks/index.ts'
import type { SeriesFeature } from '../../series/index.ts'
import type { TicketsFeature } from '../../tickets/index.ts'
import type { RuleRun } from '../collect.ts'
import type { Inputs } from '../conditions/types.ts'
import type { TextValues } from '../render.ts'
import type { RuleStateRow } from '../store/definitions.ts'
import type { KnownExecution, NewExecution, RecordedAction } from '../store/pipeline.ts'
import type { Issue } from '../types.ts'
import type { DeliveryQueue } from './deliveries/queue.ts'
import type { Recipients } from './email/recipients.ts'
import type { Effect } from './index.ts'
import type { Origin } from './sending.ts'

/** The draft an action is checked against. */
export interface CheckedDraft {
  aliases: ReadonlySet<string>
  /** the metrics of one state each, whose values a chart can show */
  charted: ReadonlySet<string>
  /** states that the metrics read */
  inputs: ReadonlySet<number>
  /** keys of states of the rule's twin that they read */
  keys: ReadonlySet<string>
  /** the actions before this one */
  earlier: readonly RuleAction[]
}

/** The evaluation that an action follows. */
export interface Moment extends TextValues {
  inputs: Inputs
  met: boolean
  /** ids of states of the twin that actions name by key */
  ownStates: ReadonlyMap<string, number>
}

/** The fields of a state needed to check the value that an action sets. */
export type TargetState = Pick<RuleStateRow, 'title' | 'source' | 'valueType'>

/** One kind of action: a folder next to this file. `E` is its effect after an evaluation. */
export interface ActionKind<A extends RuleAction, T extends TemplateRuleAction, E> {
  /**
   * It is a state, not a message: it lasts while the conditions are met, and the throttle does not apply to
   * it.
   */
  readonly isLasting: boolean
  /** It sets the state in its field `stateId`; used to find loops through stored rules. */
  readonly setsState: boolean
  /** Problems that can be found without the database. Paths are below the action. */
  check(action: A, draft: CheckedDraft): Issue[]
  /** Problems with the states it refers to. */
  checkStates(action: A, states: ReadonlyMap<number, TargetState>): Issue[]
  uses(action: A): Use[]
  /** its texts with placeholders */
  texts(action: A): string[]
  /** its scripts over the metrics; absent: it has none */
  scripts?(action: A | T): string[]
  /** The action with other states in place of those it refers to. */
  withStates(action: A, stateIdOf: (id: number) => number): A
  /** The action with ids of states of one twin in place of their keys. */
  withOwnStates(action: A | T, stateIdOf: (key: string) => number): A
  /** Keys of states that a template's action refers to, with the field they are in. */
  stateKeys(action: T): { key: string; field: string }[]
  /** Pure. Its effect after an evaluation; null: none. */
  run(action: A, moment: Moment): E | null
  /** The part of the effect that the execution records; null: nothing. */
  record(effect: E): RecordedAction | null
  /** Closes what rules have left open that are deleted, inactive or no longer have such an action. */
  close?(tx: Executor, tools: CloseTools, rules: readonly ClosedRule[]): Promise<AlarmChange[]>
  create(tools: ActionTools): ActionRunner
}

export interface CloseTools {
  alarms: Pick<AlarmsFeature, 'resolve'>
}

export interface ClosedRule {
  ruleId: number
  /** absent: on all of its twins */
  twinId?: number
  at: Date
}

/** The services available to kinds. */
export interface ActionTools {
  ctx: Context
  connectors: Pick<ConnectorsFeature, 'messages'>
  deliveries: Pick<DeliveryQueue, 'add' | 'wake'>
  downlinks: Pick<DownlinksFeature, 'request' | 'predefinedOf' | 'wake'>
  series: Pick<SeriesFeature, 'write' | 'recompute' | 'chart'>
  alarms: AlarmsFeature
  tickets: Pick<TicketsFeature, 'raise' | 'announce' | 'mayReport'>
  recipients: Recipients
}

/** Carries out the effects of one kind. */
export interface ActionRunner {
  /**
   * Called after a user has stored a rule with these actions, in the transaction.
   * @throws AppError when the user may not use what they refer to
   */
  saved?(
    tx: Executor,
    by: { caller: Caller; accountId: number; twinId: number },
    actions: readonly RuleAction[],
  ): Promise<void>
  /** Runs before the transaction of the evaluations. @returns them with effects that were still to be computed */
  prepare?(runs: readonly RuleRun[], scripts: Pick<ScriptEngine, 'run'>): Promise<readonly RuleRun[]>
  /**
   * Runs in the transaction of the evaluations, before they are recorded.
   * @returns the executions with the outcome of the action
   */
  send?(
    tx: Executor,
    runs: readonly RuleRun[],
    executions: readonly NewExecution[],
  ): Promise<readonly NewExecution[]>
  /**
   * Does what actions have left to be done by the clock, in one transaction with what the clock wakes.
   * @returns how much was due
   */
  due?(tx: Executor, now: Date): Promise<number>
  /**
   * Runs in the same transaction, after that.
   * @returns what to do once it is committed
   */
  turn?(tx: Executor, runs: readonly RuleRun[]): Promise<() => void>
  /** Runs after the commit of `send`, if an action of any kind was carried out. */
  committed?(): void
  /** How the kind is tested; absent: it cannot be. */
  test?: ActionTest
  /** Runs after the commit, for pending actions of the executions; again after a crash. */
  finish?(executions: readonly KnownExecution[]): Promise<void>
}

/** Carries out one action with test values, marked as a test. */
export interface ActionTest {
  kind: RuleAction['kind']
  /** @returns what an execution would record */
  send(tx: Executor, sent: { origin: Origin; effect: Effect }, run: RuleRun): Promise<RecordedAction>
}
