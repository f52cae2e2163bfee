import { type ExecutionCause, Metric, RuleTrigger } from '@leitstand/contract/rules'
import * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { Loop } from '../../platform/loop.ts'
import { ruleWoken } from '../../topics/ruleWoken.ts'
import type { ActionRunner } from './actions/types.ts'
import { judgeDue } from './due.ts'
import { fenceEvent } from './fences/watch.ts'
import { takeDueStays } from './store/fences.ts'
import {
  type DueRow,
  nextDueAt,
  readTriggers,
  saveNextDue,
  takeDue,
  takeDueConditions,
} from './store/triggers.ts'
import { silencesByKeyOf } from './triggers/index.ts'

const Triggers = z.object({ triggers: z.array(RuleTrigger), metrics: z.array(Metric) })

const batchMax = 5_000
/** A trigger that was stored by another process is noticed after this time. */
const lookMs = 1_000
const retryMs = 5_000

/**
 * Wakes rules that wait for the clock: each trigger that is due becomes an event in the transaction that moves it to its next
 * time. So it is neither missed nor doubled after a failure, and several processes can share the work.
 */
export class RuleClock {
  readonly #ctx: Context
  readonly #runners: readonly Pick<ActionRunner, 'due'>[]
  readonly #loop: Loop

  /** @param runners what their actions leave to the clock is done with it */
  constructor(ctx: Context, runners: readonly Pick<ActionRunner, 'due'>[]) {
    this.#ctx = ctx
    this.#runners = runners
    this.#loop = new Loop({
      log: ctx.log,
      failure: 'rules that wait for the clock are not woken; tried again soon',
      retryMs,
      round: () => this.#round(),
    })
  }

  start(): void {
    this.#loop.start()
  }

  /** Looks at once: a trigger was stored. */
  wake(): void {
    this.#loop.wake()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Wakes everything that is due now; for tests. */
  async settle(): Promise<void> {
    while ((await this.#piece()) > 0);
  }

  async #round(): Promise<number> {
    if ((await this.#piece()) === batchMax) return 0
    const next = await nextDueAt(this.#ctx.db)
    const waitMs = next === null ? lookMs : next.getTime() - this.#ctx.clock.now().getTime()
    return Math.min(lookMs, Math.max(1, waitMs))
  }

  #piece(): Promise<number> {
    return this.#ctx.db.transaction().execute((tx) => this.#wake(tx))
  }

  async #wake(tx: Executor): Promise<number> {
    const now = this.#ctx.clock.now()
    const conditions = await takeDueConditions(tx, now, batchMax)
    await this.#ctx.events.appendAll(
      tx,
      conditions.map(({ ruleId, twinId, accountId, dueAt }) => {
        const cause = { kind: 'conditions' } as const
        return ruleWoken.event(accountId, { ruleId, twinId, cause, depth: 0, dueMs: dueAt.getTime() })
      }),
    )
    const stays = await takeDueStays(tx, now, batchMax)
    await this.#ctx.events.appendAll(
      tx,
      stays.wakes.map(({ fence, ...twins }) => fenceEvent(fence, twins)),
    )
    const due = await takeDue(tx, now, batchMax)
    let left = 0
    for (const runner of this.#runners) left += (await runner.due?.(tx, now)) ?? 0
    const most = Math.max(conditions.length, stays.taken, left)
    if (due.length === 0) return most
    const rules = await readTriggers(tx, [...new Set(due.map(({ ruleId }) => ruleId))])
    const judged = due.map((row) => {
      const stored = rules.get(row.ruleId)
      const rule = Triggers.safeParse(stored).data
      const trigger = rule?.triggers[row.trigger]
      if (stored === undefined || rule === undefined || trigger === undefined) {
        const { ruleId, twinId, trigger: position } = row
        return {
          row,
          cause: null,
          isOfTwin: false,
          next: { ruleId, twinId, trigger: position, dueAt: null, reported: null },
        }
      }
      const { wakes, next } = judgeDue(row, trigger, stored.timeZone, now)
      const isOfTwin = silencesByKeyOf(rule).some((each) => each.trigger === row.trigger)
      return { row, cause: wakes ? causeOf(trigger) : null, isOfTwin, next }
    })
    await saveNextDue(
      tx,
      judged.map(({ next }) => next),
    )
    await this.#ctx.events.appendAll(
      tx,
      judged.flatMap(({ row, cause, isOfTwin }) =>
        cause === null ? [] : [wokenEvent(row, cause, isOfTwin)],
      ),
    )
    return Math.max(due.length, most)
  }
}

function causeOf(trigger: RuleTrigger): ExecutionCause {
  return trigger.kind === 'silence' ? { kind: 'silence', metric: trigger.metric } : { kind: 'time' }
}

/** @param isOfTwin the rule is woken on one twin, whose state is silent; otherwise on all of its twins */
function wokenEvent({ accountId, ruleId, twinId }: DueRow, cause: ExecutionCause, isOfTwin: boolean) {
  const place = isOfTwin && twinId !== null ? { ruleId, twinId } : { ruleId }
  return ruleWoken.event(accountId, { ...place, cause, depth: 0 })
}
