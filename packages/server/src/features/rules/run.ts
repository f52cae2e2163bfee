import { performance } from 'node:perf_hooks'
import type { LiveTopic } from '@leitstand/contract/live'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { EventOf } from '../../platform/events/index.ts'
import type { valuesStored } from '../../topics/index.ts'
import type { AlarmChange, AlarmsFeature } from '../alarms/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import type { RuleCache } from './cache.ts'
import { type AlarmTurn, alarmRounds, collectRuns, type RuleRun } from './collect.ts'
import { type InputRequest, readInputs } from './inputs.ts'
import type { RuleMails } from './mails/send.ts'
import { newWakes, planWakes, type Wake, wakingStates } from './plan.ts'
import { setStates } from './set-states.ts'
import { type StepInput, step } from './step.ts'
import {
  insertExecutions,
  type KnownExecution,
  lockVersions,
  type NewExecution,
  type RunRule,
  readKnown,
  readMemory,
  updateLive,
} from './store/pipeline.ts'

/** A wake with the rule it wakes. */
interface Due extends Wake {
  rule: RunRule
}

export interface RunnerParts {
  cache: RuleCache
  alarms: AlarmsFeature
  series: SeriesFeature
  mails: RuleMails
}

/**
 * The consumer of `values.stored`: evaluates the rules that stored values wake.
 *
 * One transaction holds what a piece of the batch did: executions, what the rules remember, alarms, mails. States are
 * set after it, and marked as done in the transaction that sets them; an attempt that finds a recorded execution only
 * does what is still marked as pending. So an event that comes again, after a crash or a failure, doubles nothing and
 * loses nothing.
 */
export class RuleRunner {
  readonly #ctx: Context
  readonly #parts: RunnerParts
  readonly #evaluations

  constructor(ctx: Context, parts: RunnerParts) {
    this.#ctx = ctx
    this.#parts = parts
    this.#evaluations = ctx.metrics.counter('rule_evaluations_total', 'Evaluations of rules', ['result'])
  }

  /** Handles a batch of events, in order. Throws when something outside of the rules fails; then it comes again. */
  async handle(events: readonly EventOf<typeof valuesStored>[]): Promise<void> {
    const rulesOf = await this.#parts.cache.wokenBy(wakingStates(events))
    if (rulesOf.size === 0) return
    for (const wakes of planWakes(events, rulesOf)) await this.#runPiece(wakes)
  }

  async #runPiece(wakes: readonly Wake[]): Promise<void> {
    const { db } = this.#ctx
    const { rules, memory } = await this.#load(wakes)
    const due = wakes.flatMap((wake): Due[] => {
      const rule = rules.get(wake.ruleId)
      return rule === undefined ? [] : [{ ...wake, rule }]
    })
    const known = await readKnown(db, due)
    const fresh = withoutKnown(due, known)
    const started = performance.now()
    const inputs = await this.#readInputs(fresh)
    const shareUs = ((performance.now() - started) * 1000) / Math.max(1, fresh.length)

    const runs = fresh.map((wake, index): RuleRun => {
      const before = performance.now()
      const remembered = memory.get(wake.ruleId) ?? { lastFiredAt: null }
      const outcome = step(wake.rule, remembered, inputs[index] as StepInput, wake.at)
      memory.set(wake.ruleId, outcome.state)
      const durationUs = Math.round(shareUs + (performance.now() - before) * 1000)
      return { rule: wake.rule, wake, input: inputs[index] as StepInput, outcome, durationUs }
    })
    const piece = collectRuns(runs)
    const { changes, executions } = await this.#store(piece.executions, piece.turns, runs, memory)
    this.#parts.alarms.announce(changes)
    this.#announce(executions)
    for (const { outcome } of runs) this.#evaluations.inc({ result: outcome.result })
    const pending: KnownExecution[] = [...known, ...executions].map((execution) => ({
      ...execution,
      actions: [...execution.actions],
    }))
    await setStates(db, this.#parts.series, pending)
  }

  /** The rules as they are now; the cache is emptied when it is behind. */
  async #load(wakes: readonly Wake[]) {
    const ids = [...new Set(wakes.map(({ ruleId }) => ruleId))]
    const memory = await readMemory(this.#ctx.db, ids)
    let rules = await this.#parts.cache.rules(memory.keys())
    if ([...rules.values()].some(({ id, version }) => memory.get(id)?.version !== version)) {
      this.#parts.cache.clear()
      rules = await this.#parts.cache.rules(memory.keys())
    }
    const remembered = new Map([...memory].map(([id, { lastFiredAt }]) => [id, { lastFiredAt }]))
    return { rules, memory: remembered }
  }

  async #readInputs(due: readonly Due[]): Promise<StepInput[]> {
    const requests = due.map(
      ({ rule, until, values }): InputRequest => ({
        rule: { id: `rule:${rule.id}@${rule.version}`, accountId: rule.accountId, metrics: rule.metrics },
        until,
        values,
      }),
    )
    const { db, scripts } = this.#ctx
    return readInputs({ db, scripts, current: this.#parts.series.current }, requests)
  }

  async #store(
    executions: readonly NewExecution[],
    turns: readonly AlarmTurn[],
    runs: readonly RuleRun[],
    memory: ReadonlyMap<number, { lastFiredAt: Date | null }>,
  ): Promise<{ changes: AlarmChange[]; executions: NewExecution[] }> {
    if (runs.length === 0) return { changes: [], executions: [] }
    const last = new Map(runs.map((run) => [run.rule.id, run]))
    const live = [...last.values()].map(({ rule, wake, outcome }) => ({
      ruleId: rule.id,
      evaluatedAt: wake.at,
      firedAt: memory.get(rule.id)?.lastFiredAt ?? null,
      result: outcome.result,
    }))
    return this.#ctx.db.transaction().execute(async (tx) => {
      const done = await this.#parts.mails.send(tx, runs, executions)
      await insertExecutions(tx, done)
      await updateLive(tx, live)
      return { changes: await this.#turnAlarms(tx, turns, last), executions: done }
    })
  }

  async #turnAlarms(
    tx: Executor,
    turns: readonly AlarmTurn[],
    runs: ReadonlyMap<number, RuleRun>,
  ): Promise<AlarmChange[]> {
    const raising = turns.flatMap(({ raise }) => (raise ? [raise.ruleId] : []))
    // A rule that was changed since it was evaluated has resolved its alarm, or will: it must not be raised again.
    const versions = await lockVersions(tx, raising)
    const current = turns.filter(
      ({ ruleId, raise }) => raise === null || versions.get(ruleId) === runs.get(ruleId)?.rule.version,
    )
    const changes: AlarmChange[] = []
    for (const round of alarmRounds(current)) {
      const raised = round.flatMap(({ raise }) => (raise ? [raise] : []))
      const resolved = round.filter(({ raise }) => raise === null)
      changes.push(...(await this.#parts.alarms.resolve(tx, resolved)))
      changes.push(...(await this.#parts.alarms.raise(tx, raised)))
    }
    return changes
  }

  #announce(executions: readonly NewExecution[]): void {
    for (const { ruleId, result, at } of executions) {
      const topic: LiveTopic = `rule:${ruleId}`
      this.#ctx.live.publish(topic, { kind: 'execution', topic, ruleId, result, timeMs: at.getTime() })
    }
  }
}

/** What no earlier attempt has handled, in the same order. */
function withoutKnown(due: readonly Due[], known: readonly KnownExecution[]): Due[] {
  if (known.length === 0) return [...due]
  const recorded = Map.groupBy(known, ({ ruleId }) => ruleId)
  const fresh = new Set<Due>()
  for (const [ruleId, wakes] of Map.groupBy(due, ({ rule }) => rule.id)) {
    const eventIds = new Set(recorded.get(ruleId)?.map(({ eventId }) => eventId))
    for (const wake of newWakes(wakes, eventIds)) fresh.add(wake)
  }
  return due.filter((wake) => fresh.has(wake))
}
