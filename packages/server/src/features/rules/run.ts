import { performance } from 'node:perf_hooks'
import type { LiveTopic } from '@leitstand/contract/live'
import type { Context } from '../../platform/context.ts'
import { MonthPartitions } from '../../platform/db/months.ts'
import { Mutexes } from '../../platform/mutex.ts'
import type { SeriesFeature } from '../series/index.ts'
import { actionTexts } from './actions/index.ts'
import type { ActionRunner } from './actions/types.ts'
import type { RuleCache } from './cache.ts'
import { collectRuns, type RuleRun } from './collect.ts'
import type { RuleFiguresCounter } from './figures.ts'
import type { HeavyRules, Reading, Took } from './heavy.ts'
import { decimalsStateOf } from './metrics/index.ts'
import { type InputRequest, readCells, readInputs, type Spent } from './metrics/read.ts'
import type { QuietResults } from './quiet.ts'
import { placeholdersOf } from './render.ts'
import { newState, type RuleState, type StepInput, step } from './step.ts'
import {
  insertExecutions,
  type KnownExecution,
  lockMemory,
  type NewExecution,
  type RuleMemory,
  type RunRule,
  readDecimals,
  readKnown,
  readMemory,
  updateLive,
} from './store/pipeline.ts'
import { changedSeen, type Seen } from './triggers/changes/changed.ts'
import { followsChangesOnly, wakingRelated, wakingStatesOf } from './triggers/index.ts'
import { distinctPlaces, newWakes, placeKey, type Wake } from './wakes.ts'
import { wakeWatchers } from './watchers.ts'
import type { WindowCache } from './windows/cache.ts'

/** A wake with the rule it wakes, as it runs on the twin. */
interface Due extends Wake {
  rule: RunRule
}

export interface RunnerParts {
  cache: RuleCache
  series: Pick<SeriesFeature, 'current' | 'summaries'>
  windows: Pick<WindowCache, 'answer'>
  runners: readonly ActionRunner[]
  figures: Pick<RuleFiguresCounter, 'count'>
  quiet: Pick<QuietResults, 'add'>
  heavy: Pick<HeavyRules, 'measured'>
}

/**
 * Evaluates the rules woken by triggers.
 *
 * One transaction stores the results of a batch of wakes: executions, the state of rules, alarms, mails.
 * States are set afterwards and marked as done in the transaction that sets them; a retry that finds a
 * recorded execution only does what is still marked as pending. So an event that is delivered again, after a
 * crash or a failure, is idempotent and nothing is lost.
 */
export class RuleRunner {
  readonly #ctx: Context
  readonly #parts: RunnerParts
  readonly #months: MonthPartitions
  readonly #evaluations
  /** by rule */
  readonly #underWay = new Mutexes<number>()

  constructor(ctx: Context, parts: RunnerParts) {
    this.#ctx = ctx
    this.#parts = parts
    this.#months = new MonthPartitions(ctx.db)
    this.#evaluations = ctx.metrics.counter('rule_evaluations_total', 'Evaluations of rules', ['result'])
  }

  /**
   * Evaluates rules in one transaction, in this order. Calls with the same rule are serialised, because
   * values of several accounts may wake it. Throws when something other than a rule fails.
   */
  run(wakes: readonly Wake[]): Promise<void> {
    return this.#underWay.run(
      wakes.map(({ ruleId }) => ruleId),
      () => this.#evaluate(wakes),
    )
  }

  async #evaluate(wakes: readonly Wake[]): Promise<void> {
    const { db } = this.#ctx
    const { rules, memory } = await this.#load(wakes)
    const now = this.#ctx.clock.now()
    const due = wakes.flatMap((wake): Due[] => {
      const rule = rules.get(placeKey(wake))
      return rule === undefined || isPaused(rule, now) ? [] : [{ ...wake, rule }]
    })
    const known = await readKnown(db, due)
    const { fresh, seen } = withoutUnchanged(withoutKnown(due, known, memory), memory)
    const started = performance.now()
    const inputs = await this.#readInputs(fresh)
    const decimalsOf = await this.#readDecimals(fresh)
    const shareUs = ((performance.now() - started) * 1000) / Math.max(1, fresh.length)

    const states = new Map<string, RuleState>()
    const evaluated = fresh.map((wake, index): RuleRun => {
      const before = performance.now()
      const rule = { ...wake.rule, decimals: decimalsOf(wake.rule) }
      const key = placeKey(wake)
      const state = states.get(key) ?? memory.get(key) ?? newState
      const outcome = step(rule, state, inputs[index] as StepInput, wake)
      states.set(key, outcome.state)
      const durationUs = Math.round(shareUs + (performance.now() - before) * 1000)
      return { rule: wake.rule, wake, input: inputs[index] as StepInput, outcome, durationUs }
    })
    let runs: readonly RuleRun[] = evaluated
    for (const runner of this.#parts.runners) runs = (await runner.prepare?.(runs, this.#ctx.scripts)) ?? runs
    const executions = await this.#store(runs, memory, seen)
    this.#parts.figures.count(runs)
    for (const { outcome } of runs) this.#evaluations.inc({ result: outcome.result })
    const pending: KnownExecution[] = [...known, ...executions].map((execution) => ({
      ...execution,
      actions: [...execution.actions],
    }))
    for (const runner of this.#parts.runners) await runner.finish?.(pending)
  }

  /** The current rules; those that are outdated in the cache are read again. */
  async #load(wakes: readonly Wake[]) {
    const woken = distinctPlaces(wakes)
    const memory = await readMemory(this.#ctx.db, woken)
    const places = woken.filter((place) => memory.has(placeKey(place)))
    let rules = await this.#parts.cache.rules(places)
    const outdated = [...rules].filter(([key, { version }]) => memory.get(key)?.version !== version)
    if (outdated.length > 0) {
      this.#parts.cache.forget([...new Set(outdated.map(([, { id }]) => id))])
      rules = await this.#parts.cache.rules(places)
    }
    return { rules, memory }
  }

  /** @returns the decimals that the texts of a rule need, by alias */
  async #readDecimals(due: readonly Due[]) {
    const shown = new Map(due.map(({ rule }) => [placeOf(rule), shownIn(rule)]))
    const stateIds = [...shown.values()].flat().map(({ stateId }) => stateId)
    const decimals = await readDecimals(this.#ctx.db, [...new Set(stateIds)])
    return (rule: RunRule): ReadonlyMap<string, number> =>
      new Map(
        shown.get(placeOf(rule))?.flatMap(({ alias, stateId }) => {
          const known = decimals.get(stateId)
          return known === undefined ? [] : [[alias, known]]
        }),
      )
  }

  async #readInputs(due: readonly Due[]): Promise<StepInput[]> {
    const { db, scripts } = this.#ctx
    const { series, windows, heavy } = this.#parts
    const requests = due.map(requestOf)
    const took = requests.map(
      ({ read }, index): Took => ({
        ruleId: (due[index] as Due).ruleId,
        // What was read in its turn says nothing of how long reading takes.
        readingUs: read === undefined ? 0 : null,
        scriptsUs: 0,
      }),
    )
    const spent: Spent = (index, on, durationUs) => {
      const of = took[index] as Took
      if (on === 'scripts') of.scriptsUs += durationUs
      else of.readingUs = (of.readingUs ?? 0) + durationUs
    }
    const inputs = await readInputs({ db, scripts, series, windows, spent }, requests)
    heavy.measured(took)
    return inputs
  }

  /**
   * Reads the metrics of wakes in their turn, for an evaluation later.
   * @returns by wake; those of rules that are not active are missing
   */
  async read(wakes: readonly Wake[]): Promise<Map<Wake, Reading>> {
    const { series, windows, cache } = this.#parts
    const rules = await cache.rules(distinctPlaces(wakes))
    const due = wakes.flatMap((wake): { wake: Wake; rule: RunRule }[] => {
      const rule = rules.get(placeKey(wake))
      return rule === undefined ? [] : [{ wake, rule }]
    })
    const requests = due.map(({ wake, rule }) => requestOf({ ...wake, rule }))
    const cells = Map.groupBy(
      await readCells({ db: this.#ctx.db, series, windows }, requests),
      ({ request }) => request,
    )
    return new Map(
      due.map(({ wake, rule: { accountId, version } }, index) => [
        wake,
        {
          accountId,
          version,
          read: new Map(
            (cells.get(index) ?? []).map(({ metric, value, error }) => [metric.alias, { value, error }]),
          ),
        },
      ]),
    )
  }

  /** @returns the executions as recorded, without those that did nothing */
  async #store(
    runs: readonly RuleRun[],
    memory: ReadonlyMap<string, RuleMemory>,
    seen: ReadonlyMap<string, Seen>,
  ): Promise<readonly NewExecution[]> {
    if (runs.length === 0) return []
    const last = new Map(runs.map((run) => [placeOf(run.rule), run]))
    const live = [...last].map(([key, { rule, wake, outcome }]) => ({
      ruleId: rule.id,
      twinId: rule.twinId,
      evaluatedAt: wake.at,
      eventId: wake.eventId,
      state: outcome.state,
      result: outcome.result,
      seen: seen.get(key) ?? null,
    }))
    const { runners } = this.#parts
    const { kept, quiet } = collectRuns(runs)
    await this.#months.prepare(
      'rule_executions',
      kept.map(({ at }) => at),
    )
    const watches = await this.#parts.cache.watches()
    const { executions, committed } = await this.#ctx.db.transaction().execute(async (tx) => {
      if (this.#ctx.nodes.isCluster) {
        // This process may have been paused, and another one goes on with these rules.
        await this.#ctx.events.requireLead(tx, 'rules')
        await lockMemory(tx, live, memory)
      }
      let executions: readonly NewExecution[] = kept
      for (const runner of runners) executions = (await runner.send?.(tx, runs, executions)) ?? executions
      await insertExecutions(tx, executions)
      await updateLive(tx, live)
      await wakeWatchers(this.#ctx, tx, { runs, memory, watches })
      const committed: (() => void)[] = []
      for (const runner of runners) {
        const done = await runner.turn?.(tx, runs)
        if (done) committed.push(done)
      }
      return { executions, committed }
    })
    for (const done of committed) done()
    // Most evaluations do nothing, and waking a queue costs a look into the database.
    if (executions.some(({ actions }) => actions.length > 0))
      for (const runner of runners) runner.committed?.()
    await this.#parts.quiet.add(quiet)
    this.#announce([...executions, ...quiet])
    return executions
  }

  #announce(executions: readonly Pick<NewExecution, 'ruleId' | 'result' | 'at'>[]): void {
    for (const { ruleId, result, at } of executions) {
      const topic: LiveTopic = `rule:${ruleId}`
      this.#ctx.live.publish(topic, { kind: 'execution', topic, ruleId, result, timeMs: at.getTime() })
    }
  }
}

function requestOf({ rule, until, values, cause, recheck, deferred }: Due): InputRequest {
  return {
    rule: {
      id: `rule:${rule.id}@${rule.version}`,
      accountId: rule.accountId,
      twinId: rule.twinId,
      metrics: rule.metrics,
      related: rule.related,
      conditions: rule.conditions,
    },
    until,
    values,
    isInTurn: cause === null && recheck === undefined && deferred === undefined,
    // The metrics of another version may be others: they are read from the history.
    ...(deferred?.read && deferred.version === rule.version && { read: deferred.read }),
  }
}

function placeOf({ id: ruleId, twinId }: RunRule): string {
  return placeKey({ ruleId, twinId })
}

/** The metrics that texts of actions show with the decimals of their states, with one of these states. */
function shownIn({ metrics, actions, related }: RunRule): { alias: string; stateId: number }[] {
  const aliases = new Set(actionTexts(actions).flatMap(placeholdersOf))
  return metrics
    .filter(({ alias }) => aliases.has(alias))
    .flatMap((metric) => {
      const stateId = decimalsStateOf(metric, related)
      return stateId === undefined ? [] : [{ alias: metric.alias, stateId }]
    })
}

function isPaused({ pausedUntil }: RunRule, now: Date): boolean {
  return pausedUntil !== null && pausedUntil > now
}

/**
 * Leaves out wakes that bring a rule that follows changes only what it has seen already.
 * @returns `seen`: the values that such rules have seen last, now
 */
function withoutUnchanged(due: readonly Due[], memory: ReadonlyMap<string, RuleMemory>) {
  const seen = new Map<string, Seen>()
  const fresh = due.filter(({ rule, values, cause }) => {
    if (!followsChangesOnly(rule)) return true
    const key = placeOf(rule)
    const known = seen.get(key) ?? memory.get(key)?.seen ?? null
    const changed = changedSeen(known, values, [...wakingStatesOf(rule), ...wakingRelated(rule)])
    const now = changed ?? known
    if (now !== null) seen.set(key, now)
    return changed !== null || cause !== null
  })
  return { fresh, seen }
}

/** The wakes that no earlier attempt has handled, in the same order. */
function withoutKnown(
  due: readonly Due[],
  known: readonly KnownExecution[],
  memory: ReadonlyMap<string, RuleMemory>,
): Due[] {
  const recorded = Map.groupBy(known, placeKey)
  const handled = new Set<Due>()
  for (const [key, wakes] of Map.groupBy(due, placeKey)) {
    const eventIds = new Set(recorded.get(key)?.map(({ eventId }) => eventId))
    const last = memory.get(key)?.lastEventId ?? null
    if (last !== null) eventIds.add(last)
    const fresh = newWakes(wakes, eventIds)
    for (const wake of wakes.slice(0, wakes.length - fresh.length)) handled.add(wake)
  }
  return handled.size === 0 ? [...due] : due.filter((wake) => !handled.has(wake))
}
